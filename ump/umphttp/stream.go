package umphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Why a stream ends, as its last line says.
var (
	errExpired  = errors.New("token expired")
	errRefused  = errors.New("token no longer accepted")
	errStopping = errors.New("server is stopping")
	errGone     = errors.New("client is gone")
)

// stream is one answer to subscribe. One goroutine reads the changes and writes
// them, at the pace of its client; it holds nothing of the store in between.
type stream struct {
	handler *Handler
	watcher ump.Watcher
	request *http.Request
	caller  memory.Caller // who subscribed
	reader  memory.Caller // as whom the changes are read
	last    string        // the event the client has had last, as it says
	wanted  memory.Subscription
	out     http.ResponseWriter
	control *http.ResponseController
}

// serve writes events until there is a reason to end, and says which. It fails
// only before anything is written.
func (s *stream) serve() error {
	ctx, cancel := context.WithCancelCause(s.request.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.handler.streams.stopping, func() { cancel(errStopping) })()
	stay := s.handler.stay(s.request, s.caller)
	ctx, done := stay.Until(ctx)
	defer done()
	if context.Cause(ctx) == stay.Over {
		return stay.Over
	}
	// All of the request is here: it is not to be cut off for taking long. A
	// writer without deadlines, as in tests, has none to lift.
	_ = s.control.SetReadDeadline(time.Time{})
	events, err := s.fetch(ctx)
	if err != nil {
		return err
	}
	if err = s.write(": ump subscribe open\n\n"); err == nil {
		err = s.run(ctx, events)
	}
	if ctx.Err() != nil && err != errGone {
		err = context.Cause(ctx)
	}
	s.end(err)
	return nil
}

// run sends events and follows the changes until that fails.
func (s *stream) run(ctx context.Context, events []memory.Event) error {
	err := s.deliver(ctx, events)
	for err == nil {
		if err = s.between(ctx); err == nil {
			err = s.alive()
		}
	}
	return err
}

// between follows the changes from one heartbeat to the next.
func (s *stream) between(ctx context.Context) error {
	beat, done := context.WithTimeout(ctx, s.handler.options.Heartbeat)
	defer done()
	for beat.Err() == nil {
		before := s.wanted.After
		events, err := s.fetch(ctx)
		if err == nil {
			err = s.deliver(ctx, events)
		}
		if err != nil {
			return err
		}
		if s.wanted.After != before {
			continue
		}
		if err := s.watcher.Await(beat, s.reader, s.wanted.After); err != nil && beat.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// fetch returns what has happened since the last event, and goes on from there.
func (s *stream) fetch(ctx context.Context) ([]memory.Event, error) {
	events, next, err := s.watcher.Changes(ctx, s.reader, s.wanted)
	if err == nil {
		s.wanted.After = next
	}
	return events, err
}

// deliver sends events. What was read before a token was revoked is not sent
// after.
func (s *stream) deliver(ctx context.Context, events []memory.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.admitted(ctx); err != nil {
		return err
	}
	for _, e := range events {
		if err := s.send(e); err != nil {
			return err
		}
	}
	return nil
}

// admitted fails when the caller would not be let in now as it was at the
// beginning: the token may have been revoked.
func (s *stream) admitted(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := s.handler.again(s.request, s.caller)
	if err != nil && memory.KindOf(err) == memory.Unauthorized && !errors.Is(err, ump.ErrTokenExpired) {
		return errRefused
	}
	return err
}

// alive tells a client that nothing has happened, and looks whether it is still
// welcome.
func (s *stream) alive() error {
	if err := s.admitted(s.request.Context()); err != nil {
		return err
	}
	return s.write(": alive\n\n")
}

func (s *stream) send(e memory.Event) error {
	data, err := ump.EventJSON(e)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\nid: %d\ndata: %s\n\n", e.Type, e.Sequence, data))
}

// write sends a piece of the stream at once. However long nothing follows, the
// connection is not to be cut for it; how long a client may take over one piece
// is the server's to say.
func (s *stream) write(text string) error {
	if _, err := io.WriteString(s.out, text); err != nil {
		return errGone
	}
	if err := s.control.Flush(); err != nil {
		return errGone
	}
	_ = s.control.SetWriteDeadline(time.Time{})
	return nil
}

// end says why the stream ends, to whoever still listens, and when to come back
// where that is of use.
func (s *stream) end(err error) {
	if errors.Is(err, ump.ErrTokenExpired) {
		err = errExpired
	}
	again := ""
	switch err {
	case errExpired, errRefused:
	case errStopping:
		again = retry(time.Second)
	default:
		if err == errGone || s.request.Context().Err() != nil {
			return
		}
		s.handler.options.Report(s.request, err)
		again = retry(time.Duration(max(ump.RetryAfter(err), 1)) * time.Second)
		err = errors.New("interrupted; come back with Last-Event-ID")
	}
	_ = s.write(": " + err.Error() + "\n" + again + "\n") // the client has gone; there is nobody to tell
}

// retry is the field that tells a client how long to wait before it comes back.
func retry(after time.Duration) string { return fmt.Sprintf("retry: %d\n", after.Milliseconds()) }
