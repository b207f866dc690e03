package remote

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// The pauses between looks at a task, and how long its cancellation may take.
const (
	firstPause  = 200 * time.Millisecond
	longPause   = 10 * time.Second
	cancelTime  = 5 * time.Second
	mostRepeats = 3
)

// ask gives a task, and follows it to its end.
func (a *agent) ask(ctx context.Context, key, message string) (tool.Result, error) {
	o := a2a.Order{Message: a2a.Message{ID: messageID(key), Parts: []a2a.Part{{Text: message}}}}
	e, err := a.give(ctx, o)
	if err != nil {
		return tool.Result{}, err
	}
	if e.Message != nil {
		return answerWith(e.Message.Parts), nil
	}
	t := *e.Task
	if err := a.follow(ctx, &t); err != nil {
		if givenUp(ctx) {
			a.cancel(ctx, t.ID)
		}
		return tool.Result{}, a.gaveUp(ctx, t, err)
	}
	return resultOf(t)
}

// give sends the message. If nobody knows whether it arrived, it is sent again only to an
// agent that takes a message that comes twice for one.
func (a *agent) give(ctx context.Context, o a2a.Order) (a2a.Event, error) {
	pause := firstPause
	for try := 1; ; try++ {
		result, err := a.result(ctx, a2a.Send, o.Document(a.at.Version))
		if err == nil {
			e, bad := a2a.ReadEvent(a.at.Version, result)
			if bad == nil && (e.Task != nil || e.Message != nil) {
				return e, nil
			}
			return e, fail(tool.OutcomeUnknown, tool.Unknown, "the agent answers neither with a task nor with a message")
		}
		known, ok := errors.AsType[*tool.Error](err)
		if !ok || known.Outcome != tool.Unknown || !a.said.Idempotent || try > mostRepeats || a.opt.Wait(ctx, pause) != nil {
			return a2a.Event{}, err
		}
		pause *= 2
	}
}

// follow waits until a task has ended. While the agent cannot be reached it tries again.
func (a *agent) follow(ctx context.Context, t *a2a.Task) error {
	for pause := firstPause; !t.Status.State.Ended(); pause = min(2*pause, longPause) {
		streamed := false
		if a.streams {
			err := a.listen(ctx, t)
			if errors.Is(err, errLarge) {
				a.streams = false // to look at the task may be enough
			}
			if streamed = err == nil; isFault(err, a2a.MethodNotFound, a2a.UnsupportedOperation) {
				a.streams = t.Status.State.Ended() // it sends no streams, or the task has ended meanwhile
			}
		}
		if !streamed || !t.Status.State.Ended() {
			if err := a.opt.Wait(ctx, pause); err != nil {
				return err
			}
		}
		now, err := a.look(ctx, t.ID)
		switch known, _ := errors.AsType[*tool.Error](err); {
		case err == nil:
			*t = now
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errLarge), isFault(err, a2a.TaskNotFound, a2a.InvalidParams, a2a.MethodNotFound), known != nil && (known.Err == errStatus(401) || known.Err == errStatus(403) || known.Err == errStatus(404)):
			return err
		}
	}
	return nil
}

// look returns a task as it stands.
func (a *agent) look(ctx context.Context, id string) (a2a.Task, error) {
	result, err := a.result(ctx, a2a.Get, canon.Object(canon.Member{Name: "id", Value: canon.String(id)}))
	if err != nil {
		return a2a.Task{}, err
	}
	t, err := a2a.ReadTask(a.at.Version, result)
	if err == nil && t.ID != id {
		err = fail(refused, tool.Answered, "the agent answers with another task")
	}
	return t, err
}

// listen follows the stream of a task to its end.
func (a *agent) listen(ctx context.Context, t *a2a.Task) error {
	return a.events(ctx, t.ID, func(e a2a.Event) bool {
		switch {
		case e.Task != nil && e.Task.ID == t.ID:
			*t = *e.Task
		case e.Status != nil && e.ID == t.ID:
			t.Status = *e.Status
		}
		return t.Status.State.Ended() || e.Last
	})
}

// givenUp reports whether nobody will wait for a task any more. It is not so where this process
// stops, or has lost the run to another: whoever goes on may ask for the same task.
func givenUp(ctx context.Context) bool {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, run.ErrFenced):
		return errors.Is(cause, run.ErrCancelled)
	default:
		return cause != context.Canceled //nolint:errorlint // this very cause, which stopping has
	}
}

// cancel ends a task that nobody waits for. Whether it succeeds is not looked at: the agent may
// have done everything by now.
func (a *agent) cancel(ctx context.Context, id string) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer done()
	_, _ = a.result(ctx, a2a.Cancel, canon.Object(canon.Member{Name: "id", Value: canon.String(id)})) // see above
}

// gaveUp returns the error of a task that is not followed any more.
func (a *agent) gaveUp(ctx context.Context, t a2a.Task, err error) error {
	if ctx.Err() == nil {
		return err
	}
	e := fail(tool.OutcomeUnknown, tool.Unknown, "the task was given up before it ended")
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e = fail(tool.Timeout, tool.Unknown, "the task did not end in time, and was cancelled")
	}
	if t.Status.State.Interrupted() {
		e.Text += "; the agent was waiting: " + t.Status.Say
	}
	e.Err = ctx.Err()
	return e
}

// resultOf returns what a task that has ended made.
func resultOf(t a2a.Task) (tool.Result, error) {
	if t.Status.State != a2a.Completed {
		text := "the task ended as " + string(t.Status.State)
		if t.Status.Say != "" {
			text += ": " + t.Status.Say
		}
		return tool.Result{}, fail(failed, tool.Answered, text)
	}
	var parts []a2a.Part
	for _, made := range t.Artifacts {
		parts = append(parts, made.Parts...)
	}
	if len(parts) == 0 && t.Status.Say != "" {
		parts = []a2a.Part{{Text: t.Status.Say}}
	}
	return answerWith(parts), nil
}

// answerWith returns parts as a result: a single value as it is, else a line for each part.
// Files are named.
func answerWith(parts []a2a.Part) tool.Result {
	var r tool.Result
	var lines []string
	for _, p := range parts {
		switch {
		case p.Other != "":
			text := "the agent sends a file (" + p.Other + "), which is not taken"
			lines, r.Warnings = append(lines, text), append(r.Warnings, text)
		case p.Data.Type() != canon.TypeUndefined:
			lines, r.Value = append(lines, string(p.Data.Append(nil))), p.Data
		default:
			lines = append(lines, p.Text)
		}
	}
	if len(parts) != 1 {
		r.Value = canon.Value{}
	}
	r.Text = strings.Join(lines, "\n")
	return r
}
