package umpsuite

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/satchel-memory/satchel/memory"
)

// hears takes events until one of a type is about a record. look judges each event.
func hears(r *run, s *stream, kind memory.EventType, id memory.ID, look func(event) error) (event, error) {
	for {
		e, err := r.next(s)
		if err == nil {
			err = look(e)
		}
		if err != nil {
			return e, fmt.Errorf("waiting for %s: %w", kind, err)
		}
		if e.about() == id && e.name == string(kind) {
			return e, nil
		}
	}
}

// mergesTold checks that the stream reports a draft merged into a record as merged, if at
// all.
func mergesTold(r *run) error {
	s, err := follow(r, r.Token, inProject(r), "")
	if err != nil {
		return err
	}
	defer s.leave()
	draft, _ := r.draft(`{}`)
	id, _, err := r.put(draft)
	if err != nil {
		return err
	}
	again, outcome, err := r.put(draft)
	if err != nil || outcome != memory.Merged || again != id {
		return err
	}
	next, err := r.remember(`{}`)
	if err != nil {
		return err
	}
	told := 0
	_, err = hears(r, s, memory.WasCreated, next, func(e event) error {
		if e.about() != id {
			return nil
		}
		if told++; told > 1 && e.name != string(memory.WasMerged) {
			return fmt.Errorf("a draft that was merged is told as %s", short(e.name))
		}
		return nil
	})
	return err
}

// inProject returns the query of a stream of the run's project.
func inProject(r *run) string { return "?project=" + url.QueryEscape(r.Project) }

// erasuresInScope checks that a stream of one project reports no erasures in another. It
// tries the owner's stream for one project, and the stream of a peer with a token for one.
func erasuresInScope(r *run) error {
	if err := erasedFor(r, r.Token, inProject(r)); err != nil {
		return err
	}
	peer, err := r.peer()
	if err != nil {
		return err
	}
	if err := erasedFor(r, peer, ""); err != nil {
		return fmt.Errorf("a peer: %w", err)
	}
	return nil
}

func erasedFor(r *run, token, query string) error {
	s, err := follow(r, token, query, "")
	if err != nil {
		return err
	}
	defer s.leave()
	here, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	born, err := hears(r, s, memory.WasCreated, here.id, func(event) error { return nil })
	if err != nil {
		return err
	}
	there, err := shared(r, memory.Shared, `{"scope":{"project":"%s-b"}}`, raw(r.Project))
	if err != nil {
		return err
	}
	for _, id := range []memory.ID{there.id, here.id} {
		if err := erase(r, id); err != nil {
			return err
		}
	}
	elsewhere := func(e event) error {
		if e.about() == there.id {
			return fmt.Errorf("a stream of one project tells what was %s in another", short(e.name))
		}
		return nil
	}
	if _, err := hears(r, s, memory.WasErased, here.id, elsewhere); err != nil {
		return err
	}
	return erasedLater(r, token, query, born.id, here.id, elsewhere)
}

// erasedLater checks the same for a stream that resumes from before the erasures.
func erasedLater(r *run, token, query, last string, id memory.ID, look func(event) error) error {
	s, err := follow(r, token, query, last)
	if err != nil {
		return err
	}
	defer s.leave()
	if _, err := hears(r, s, memory.WasErased, id, look); err != nil {
		return fmt.Errorf("after Last-Event-ID: %w", err)
	}
	return nil
}

// erase erases a record, if the run's token may.
func erase(r *run, id memory.ID) error {
	a := r.forget(id, `{"hard":true}`)
	if a.code() == memory.ForbiddenScope {
		return notTried("the run's token may not erase")
	}
	_, err := a.ok()
	return err
}

// endsTold checks that a peer learns when a record shared with it continues as a private
// one: the old record has ended, and the stream says nothing about the new one.
func endsTold(r *run) error {
	peer, err := r.peer()
	if err != nil {
		return err
	}
	n, err := shared(r, memory.Shared, `{}`)
	if err != nil {
		return err
	}
	s, err := follow(r, peer, "", "")
	if err != nil {
		return err
	}
	defer s.leave()
	a := r.post("revise", object(`{"id":%q,"patch":{"scope":{"visibility":"private"}}}`, n.id))
	if a.code() == memory.ForbiddenScope {
		return notTried("the run's token may not change who sees a record")
	}
	v, err := a.ok()
	if err != nil {
		return err
	}
	r.wrote(memory.ID(v.Get("id").Text()))
	e, err := r.next(s)
	record := e.data.Get("record")
	switch {
	case err != nil:
		return fmt.Errorf("waiting for the end of a record that goes on as a private one: %w", err)
	case e.about() == memory.ID(v.Get("id").Text()):
		return errors.New("a peer is told of the private successor of a shared record")
	case e.about() != n.id:
		return errors.New("a peer is told of a record other than the one that ended")
	case e.name == string(memory.WasErased), e.name == string(memory.WasTombstoned):
		return nil
	case record.Get("time").Get("valid_to").Text() == "" && !tombstoned(record):
		return errors.New("a peer is not told that a record has ended which goes on as a private one")
	}
	return nil
}
