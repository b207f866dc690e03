package a2ahttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// errGone means that the client has gone, or may stay no longer.
var errGone = errors.New("the client has gone")

// stream begins a task, and follows it.
func (c *call) stream(ctx context.Context) error {
	o, err := a2a.ReadOrder(c.version, c.asked.Params)
	if err != nil {
		return err
	}
	return c.within(func() error {
		t, err := c.backend.Send(ctx, c.caller, c.agent, o)
		if err != nil {
			return err
		}
		return c.follow(ctx, t.ID)
	})
}

// subscribe follows a task that has not ended.
func (c *call) subscribe(ctx context.Context, id string) error {
	t, err := c.backend.Task(ctx, c.caller, c.agent, id)
	switch {
	case err != nil:
		return err
	case t.Status.State.Ended():
		return &a2a.Fault{Code: a2a.UnsupportedOperation, Text: "the task has ended: ask for the task"}
	}
	return c.within(func() error { return c.follow(ctx, id) })
}

// within takes a place for a stream.
func (c *call) within(do func() error) error {
	leave, ok := c.options.Slots(c.http)
	if !ok {
		return errBusy
	}
	defer leave()
	return do()
}

// follow sends a task and its changes until it has ended. In A2A 0.3 a stream also ends where
// the task waits for somebody. It fails only before the first byte.
func (c *call) follow(ctx context.Context, id string) error {
	t, next, err := c.backend.Follow(ctx, c.caller, c.agent, id)
	if err != nil {
		return err
	}
	httpkit.AnnounceEvents(c.out.Header())
	_ = http.NewResponseController(c.out).SetReadDeadline(time.Time{}) // the request is complete; a writer in a test has no deadlines
	if err = c.event(a2a.Event{Task: &t}); err == nil && !c.over(t.Status.State) {
		err = c.changes(ctx, next)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errGone) && !errors.Is(err, a2a.ErrStopping) {
		c.options.Report(c.http, err)
	}
	return nil
}

// over reports whether a stream ends with a state.
func (c *call) over(s a2a.State) bool {
	return s.Ended() || c.version == a2a.V03 && s.Interrupted()
}

// changes sends changes as they come. While there are none it sends signs of life.
func (c *call) changes(ctx context.Context, next func(context.Context) ([]a2a.Event, error)) error {
	for {
		beat, done := context.WithTimeout(ctx, c.options.Heartbeat)
		events, err := next(beat)
		late := beat.Err() != nil && ctx.Err() == nil
		done()
		if err != nil && !late {
			return err
		}
		if c.stays() != nil {
			return errGone
		}
		if len(events) == 0 {
			if err := c.write(": alive\n\n"); err != nil {
				return err
			}
		}
		for _, e := range events {
			e.Last = e.Status != nil && c.over(e.Status.State)
			if err := c.event(e); err != nil {
				return err
			}
			if e.Last {
				return nil
			}
		}
	}
}

// event sends an event as an answer to the request.
func (c *call) event(e a2a.Event) error {
	return c.write("data: " + string(a2a.Answer(c.version, c.asked.ID, e.Document(c.version), nil).Append(nil)) + "\n\n")
}

// write sends a piece at once.
func (c *call) write(text string) error {
	if _, err := c.out.Write([]byte(text)); err != nil {
		return errGone
	}
	if err := http.NewResponseController(c.out).Flush(); err != nil {
		return errGone
	}
	return nil
}
