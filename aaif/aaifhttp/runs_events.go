package aaifhttp

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// eventPage is the most events that a stream holds.
const eventPage = 50

// runEvents streams the events of a run as server-sent events until the run has ended. The
// header Last-Event-ID, or the parameter after, is the number of the last event that the
// client has; without them the first event comes first. A client that asks for
// application/json gets a page of the events so far.
func (h *Handler) runEvents(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	id := r.PathValue("id")
	p, err := parametersOf(r, "after", "limit")
	if err != nil {
		return err
	}
	after, err := p.after(r)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1, mostItems, manyItems)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	if wantsList(r) {
		return h.eventList(w, r, c, id, after, limit)
	}
	s := &eventStream{handler: h, request: r, caller: c, id: id, after: after, out: w, control: http.NewResponseController(w)}
	return s.serve()
}

// after returns the number of the last event that a client has.
func (p parameters) after(r *http.Request) (int64, error) {
	said := p.text("after")
	if header := r.Header.Get("Last-Event-ID"); header != "" { // newer than the parameter: the client has reconnected
		said = header
	}
	if said == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(said, 10, 64)
	if err != nil || n < 0 {
		return 0, invalid("after, or Last-Event-ID, is the number of an event")
	}
	return n, nil
}

// wantsList reports whether a client asks for JSON instead of a stream.
func wantsList(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		switch media, _, _ := mime.ParseMediaType(part); media {
		case httpkit.EventType:
			return false
		case jsonType:
			return true
		}
	}
	return false
}

// eventList answers with a page of events.
func (h *Handler) eventList(w http.ResponseWriter, r *http.Request, c memory.Caller, id string, after int64, limit int) error {
	events, ended, err := h.options.Runs.Events(r.Context(), c, id, after, limit)
	if err != nil {
		return err
	}
	items := make([]canon.Value, len(events))
	for i, e := range events {
		items[i], after = e.Document, e.Number
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: "events", Value: canon.Array(items...)},
		canon.Member{Name: "last", Value: canon.Int(after)}, canon.Member{Name: "ended", Value: canon.Bool(ended)}))
	return nil
}

// eventStream is one answer with the events of a run. Between two reads it holds no
// transaction.
type eventStream struct {
	handler *Handler
	request *http.Request
	caller  memory.Caller
	id      string
	after   int64
	pieces  <-chan string // of answers, as models say them
	out     http.ResponseWriter
	control *http.ResponseController
}

// errGone means that the client has gone.
var errGone = errors.New("the client has gone")

// serve sends events until the run has ended, the client has gone, or its credentials have
// ended. It fails only before the first byte.
func (s *eventStream) serve() error {
	ctx := s.request.Context()
	events, ended, err := s.fetch(ctx)
	if err != nil {
		return err
	}
	if ended && len(events) == 0 {
		s.out.WriteHeader(http.StatusNoContent) // a browser connects no more
		return nil
	}
	httpkit.AnnounceEvents(s.out.Header())
	if s.request.Method == http.MethodHead {
		return nil
	}
	_ = s.control.SetReadDeadline(time.Time{}) // the request is complete; a writer in a test has no deadlines
	var stop func()
	s.pieces, stop = s.handler.options.Runs.Text(s.caller, s.id)
	defer stop()
	if err = s.write(": events of a run\n\n"); err == nil {
		err = s.follow(ctx, events, ended)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		s.handler.options.Report(s.request, err)
	}
	return nil
}

// fetch returns the events after the last one that was sent.
func (s *eventStream) fetch(ctx context.Context) ([]RunEvent, bool, error) {
	return s.handler.options.Runs.Events(ctx, s.caller, s.id, s.after, eventPage)
}

// follow sends events as they come.
func (s *eventStream) follow(ctx context.Context, events []RunEvent, ended bool) error {
	for {
		if err := s.send(events); err != nil || ended {
			return err
		}
		if len(events) == 0 {
			if err := s.pause(ctx); err != nil {
				return err
			}
		}
		var err error
		if events, ended, err = s.fetch(ctx); err != nil {
			return err
		}
	}
}

// pause waits for the next event, and sends a sign of life if there is none for long.
func (s *eventStream) pause(ctx context.Context) error {
	beat, done := context.WithTimeout(ctx, s.handler.options.Heartbeat)
	defer done()
	err := s.await(beat)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case beat.Err() == nil:
		return err
	}
	if _, err := s.handler.options.Authenticate(s.request); err != nil {
		return errGone
	}
	return s.write(": alive\n\n")
}

// await waits for an event, and meanwhile forwards what models say (AAIF-4.6-9): events text
// without a number, so that a client that connects again gets none twice.
func (s *eventStream) await(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	come := make(chan error, 1)
	go func() { come <- s.handler.options.Runs.Await(ctx, s.caller, s.id, s.after) }()
	for {
		select {
		case piece := <-s.pieces:
			if err := s.say(piece); err != nil {
				cancel()
				<-come
				return err
			}
		case err := <-come:
			for len(s.pieces) > 0 && err == nil {
				err = s.say(<-s.pieces)
			}
			return err
		}
	}
}

// say sends a piece of an answer, if the credentials still admit the caller.
func (s *eventStream) say(piece string) error {
	if c, err := s.handler.options.Authenticate(s.request); err != nil || c.Owner != s.caller.Owner {
		return errGone
	}
	return s.write(fmt.Sprintf("event: text\ndata: %s\n\n", canon.Object(member("text", piece)).Append(nil)))
}

// send sends events, if the credentials still admit the caller.
func (s *eventStream) send(events []RunEvent) error {
	if len(events) == 0 {
		return nil
	}
	if c, err := s.handler.options.Authenticate(s.request); err != nil || c.Owner != s.caller.Owner {
		return errGone
	}
	for _, e := range events {
		if err := s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Number, e.Kind, e.Document.Append(nil))); err != nil {
			return err
		}
		s.after = e.Number
	}
	return nil
}

// write sends a piece at once.
func (s *eventStream) write(text string) error {
	if _, err := s.out.Write([]byte(text)); err != nil {
		return errGone
	}
	if err := s.control.Flush(); err != nil {
		return errGone
	}
	return nil
}
