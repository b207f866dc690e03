package umpsuite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// watched is the record of following the run's project while a memory is created and
// forgotten in it, across a reconnection.
type watched struct {
	header http.Header
	first  string
	events []event
}

// tells reports whether an event was about a record.
func (w *watched) tells(id memory.ID) bool {
	return slices.ContainsFunc(w.events, func(e event) bool { return e.about() == id })
}

// watch follows one memory through its life, once.
func watch(r *run) (watched, error) {
	return r.watchedOne.get(r, func() (w watched, err error) {
		query := inProject(r)
		s, err := follow(r, r.Token, query, "")
		if err != nil {
			return w, unoffered(err)
		}
		w.header, w.first = s.header, s.first
		if _, err := r.remember(`{"scope":{"project":"%s-b"}}`, raw(r.Project)); err != nil { // the stream does not cover that project
			s.leave()
			return w, err
		}
		id, err := r.remember(`{}`)
		if err == nil {
			err = awaits(r, s, &w, memory.WasCreated, id)
		}
		s.leave()
		if err != nil {
			return w, err
		}
		err = watchOn(r, &w, id, query)
		return w, err
	})
}

// watchOn resumes the stream where it was left.
func watchOn(r *run, w *watched, id memory.ID, query string) error {
	v, err := r.revise(id, `{"body":{"text":"The %s was moved."}}`, raw(r.word()))
	if err != nil {
		return err
	}
	next := memory.ID(v.Get("id").Text())
	s, err := follow(r, r.Token, query, w.events[0].id)
	if err != nil {
		return fmt.Errorf("with Last-Event-ID: %w", err)
	}
	defer s.leave()
	if err := awaits(r, s, w, memory.WasRevised, next); err != nil {
		return fmt.Errorf("after Last-Event-ID: %w", err)
	}
	if _, err := r.forget(next, `{}`).ok(); err != nil {
		return err
	}
	if err := awaits(r, s, w, memory.WasTombstoned, next); err != nil {
		return err
	}
	a := r.forget(next, `{"hard":true}`)
	if a.code() == memory.ForbiddenScope {
		return nil
	}
	if _, err := a.ok(); err != nil {
		return err
	}
	return awaits(r, s, w, memory.WasErased, next)
}

// awaits takes the next event, which must have a type and be about a record. It passes over
// records of earlier rows whose retention ends meanwhile.
func awaits(r *run, s *stream, w *watched, kind memory.EventType, id memory.ID) error {
	e, err := r.next(s)
	for err == nil && e.about() != id && e.name == string(memory.WasTombstoned) && slices.Contains(r.made, e.about()) && !w.tells(e.about()) {
		e, err = r.next(s)
	}
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", kind, err)
	}
	w.events = append(w.events, e)
	switch {
	case e.name != string(kind) || e.data.Get("type").Text() != string(kind):
		return fmt.Errorf("the event is %q with the type %q, not %s", short(e.name), short(e.data.Get("type").Text()), kind)
	case e.about() != id:
		return fmt.Errorf("the event %s is about another record", kind)
	}
	if record := e.data.Get("record"); kind != memory.WasErased {
		observeRecord(r, record)
	} else if record.Type() != canon.TypeUndefined {
		return errors.New("the event erased brings the record")
	}
	return nil
}

// unoffered ends the row if the error is the refusal of a server that opens no stream.
func unoffered(err error) error {
	if e, ok := errors.AsType[*refusal](err); ok && (e.code == memory.Unsupported || e.status == http.StatusNotFound) {
		return notOffered("subscribe")
	}
	return err
}

func changesFollowed(r *run) error {
	w, err := watch(r)
	if err != nil {
		return err
	}
	last := int64(0)
	for _, e := range w.events {
		if n := e.number(); n <= last {
			return fmt.Errorf("the ids of events do not rise: %q", short(e.id))
		}
		last = e.number()
	}
	for _, more := range []func(*run) error{mergesTold, erasuresInScope, endsTold} {
		if err := more(r); err != nil && !isSkipped(err) {
			return err
		}
	}
	return nil
}

func eventStream(r *run) error {
	s, err := follow(r, r.Token, inProject(r), "")
	if err != nil {
		return unoffered(err)
	}
	defer s.leave()
	if media, _, _ := strings.Cut(s.header.Get("Content-Type"), ";"); media != "text/event-stream" {
		return fmt.Errorf("subscribe answers with Content-Type %q", short(media))
	}
	if s.first != ": ump subscribe open" {
		return errors.New("the first line of the stream is not \": ump subscribe open\"")
	}
	if _, err := r.remember(`{}`); err != nil {
		return err
	}
	e, err := r.next(s)
	switch {
	case err != nil:
		return err
	case e.number() < 0:
		return errors.New("an event has no id that is a whole number")
	case e.name == "" || e.data.Type() != canon.TypeObject:
		return errors.New("an event lacks its name, or its data is no JSON object")
	}
	return beats(r, s)
}

// beats waits until an idle stream says that it is alive.
func beats(r *run, s *stream) error {
	if r.Heartbeat == 0 {
		return nil
	}
	ctx, done := context.WithTimeout(r.ctx, r.Heartbeat)
	defer done()
	select {
	case <-s.beat:
		return nil
	case <-s.ended:
		return errors.New("the stream ended")
	case <-ctx.Done():
		return fmt.Errorf("the stream does not say within %v that it is alive", r.Heartbeat)
	}
}

func followersSeeNoMore(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	s, err := follow(r, peer, "", "")
	if err != nil {
		return unoffered(err)
	}
	defer s.leave()
	hidden, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	secret := r.word()
	n, err := shared(r, memory.Shared, `{"body":{"structured":{"token":%q}},"consent":{"redact":["body.structured.token"]}}`, secret)
	if err != nil {
		return err
	}
	e, err := r.next(s)
	switch {
	case err != nil:
		return err
	case e.about() == hidden.id:
		return errors.New("a peer is told of a private record")
	case e.about() != n.id:
		return errors.New("a peer is told of a record that is not the one shared with it")
	case strings.Contains(e.raw, secret):
		return errors.New("a peer is sent what is redacted")
	}
	return endsInTime(r)
}

// grace is the time that a stream may outlive its token, since clocks differ.
const grace = time.Minute

// endsInTime checks that a stream ends with its token.
func endsInTime(r *run) error {
	left := 4 * time.Second
	token, err := r.token(`{"exp":%q}`, instant(r, left-grace)) // expired, apart from the difference of clocks
	if err != nil {
		return err
	}
	s, err := follow(r, token, "", "")
	if e, ok := errors.AsType[*refusal](err); ok && e.code == memory.Unauthorized { // the server allows no difference of clocks
		left = 2 * time.Second
		if token, err = r.token(`{"exp":%q}`, instant(r, left)); err != nil {
			return err
		}
		s, err = follow(r, token, "", "")
	}
	if err != nil {
		return err
	}
	defer s.leave()
	began := r.Now()
	for r.Now().Sub(began) < left+r.Patience && r.ctx.Err() == nil {
		select {
		case <-s.ended:
			return nil
		default:
			r.wait(50 * time.Millisecond)
		}
	}
	return errors.New("a stream goes on after its token has expired")
}
