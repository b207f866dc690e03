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

// The reasons for which a stream ends. Its last line names the reason.
var (
	errExpired  = errors.New("token expired")
	errRefused  = errors.New("token no longer accepted")
	errStopping = errors.New("server is stopping")
	errGone     = errors.New("client is gone")
)

// stream is one answer to subscribe. One goroutine reads the changes and writes them at
// the pace of the client. Between two reads it holds nothing of the store.
type stream struct {
	handler      *Handler
	watcher      ump.Watcher
	request      *http.Request
	caller       memory.Caller // the subscriber
	reader       memory.Caller // the caller with whose rights the changes are read
	last         string        // the last event that the client has, in its spelling
	subscription memory.Subscription
	out          http.ResponseWriter
	control      *http.ResponseController
}

// serve writes events until the stream ends, and then the reason. It fails only before
// the first byte.
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
	// The request is complete, so the read deadline must not end a long answer. A writer
	// without deadlines, as in tests, returns an error that means nothing.
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

// run sends events and follows the changes until one of them fails.
func (s *stream) run(ctx context.Context, events []memory.Event) error {
	err := s.deliver(ctx, events)
	for err == nil {
		if err = s.follow(ctx); err == nil {
			err = s.heartbeat()
		}
	}
	return err
}

// follow follows the changes from one heartbeat to the next.
func (s *stream) follow(ctx context.Context) error {
	beat, done := context.WithTimeout(ctx, s.handler.options.Heartbeat)
	defer done()
	for beat.Err() == nil {
		before := s.subscription.After
		events, err := s.fetch(ctx)
		if err == nil {
			err = s.deliver(ctx, events)
		}
		if err != nil {
			return err
		}
		if s.subscription.After != before {
			continue
		}
		if err := s.watcher.Await(beat, s.reader, s.subscription.After); err != nil && beat.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// fetch returns the events after the last one, and advances the position.
func (s *stream) fetch(ctx context.Context) ([]memory.Event, error) {
	events, next, err := s.watcher.Changes(ctx, s.reader, s.subscription)
	if err == nil {
		s.subscription.After = next
	}
	return events, err
}

// deliver sends events. It checks the credentials first, so that a revoked token gets
// no events that were read before.
func (s *stream) deliver(ctx context.Context, events []memory.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.checkCredentials(ctx); err != nil {
		return err
	}
	for _, e := range events {
		if err := s.send(e); err != nil {
			return err
		}
	}
	return nil
}

// checkCredentials fails if the credentials are not those of the caller any more: the
// token may be revoked.
func (s *stream) checkCredentials(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := s.handler.recheck(s.request, s.caller)
	if err != nil && memory.KindOf(err) == memory.Unauthorized && !errors.Is(err, ump.ErrTokenExpired) {
		return errRefused
	}
	return err
}

// heartbeat checks the credentials and sends a comment, so that the client knows that
// the stream is alive.
func (s *stream) heartbeat() error {
	if err := s.checkCredentials(s.request.Context()); err != nil {
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

// write sends a piece of the stream immediately. Then it clears the write deadline, so
// that a quiet stream stays open. The server sets the deadline for one piece.
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

// end sends the reason why the stream ends, and when to reconnect if that helps.
func (s *stream) end(err error) {
	if errors.Is(err, ump.ErrTokenExpired) {
		err = errExpired
	}
	again := ""
	switch err {
	case errExpired, errRefused:
	case errStopping:
		again = retryField(time.Second)
	default:
		if err == errGone || s.request.Context().Err() != nil {
			return
		}
		s.handler.options.Report(s.request, err)
		again = retryField(time.Duration(max(ump.RetryAfter(err), 1)) * time.Second)
		err = errors.New("interrupted; come back with Last-Event-ID")
	}
	_ = s.write(": " + err.Error() + "\n" + again + "\n") // an error means that the client is gone
}

// retryField is the field that tells a client how long to wait before it comes back.
func retryField(after time.Duration) string { return fmt.Sprintf("retry: %d\n", after.Milliseconds()) }
