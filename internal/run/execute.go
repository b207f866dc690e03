package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// Executor executes runs. It is safe for concurrent use; a run is executed once at a time.
type Executor struct {
	Journal Journal
	// Open returns what a run works with. It fails if the run cannot go on here.
	Open   func(ctx context.Context, r *Run) (*Setup, error)
	Holder string        // names this process among those that share the journal
	Lease  time.Duration // how long a process that died keeps a run; at least a second
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Log    *slog.Logger
	// OnEvent is called after an event was written; nil: nobody listens.
	OnEvent func(id string, e Event)
	// OnText is called with the pieces of an answer as they come; nil: nobody listens.
	OnText func(id, piece string)

	mu     sync.Mutex
	health map[route.Target]route.Health
}

// errStopped means that the caller does not want the run to go on.
var errStopped = errors.New("stopped")

// ContinueOptions say how a run goes on.
type ContinueOptions struct {
	// Resumes: a person resumes the run. Without it a paused run stays paused, and a run that
	// was going on in another store fails with [ErrCopied].
	Resumes bool
	// Stop ends the execution after the action that is under way; nil: nobody stops it.
	Stop <-chan struct{}
}

// Continue executes a run until it ends or has to wait for a person or another platform,
// and returns it as it stands. While somebody else executes it, Continue fails with
// [ErrHeld], and with [ErrCrowded] while others execute as many runs of the agent as its
// definition allows. If ctx ends, what was under way is recovered when the run goes on.
func (x *Executor) Continue(ctx context.Context, id string, how ContinueOptions) (Run, error) {
	h, err := x.hold(ctx, id, Hold{Resumes: how.Resumes, Executes: true})
	if err != nil {
		return Run{}, err
	}
	defer h.release(ctx)
	paused := h.run.Status == aaif.Paused && how.Resumes
	if next := h.run.Next(x.Now()).Do; next == NothingDo || next == Wait && !paused {
		return h.run, nil
	}
	ctx, lost := context.WithCancelCause(ctx)
	var keeper sync.WaitGroup
	defer keeper.Wait()
	defer lost(nil)
	keeper.Go(func() { h.keep(ctx, lost) })
	err = h.open(ctx, how.Stop)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrFenced) {
		err = cause
	}
	if errors.Is(err, errStopped) {
		err = nil
	}
	return h.run, err
}

// mostOpening is how long the tools of a run may take to say what they offer.
const mostOpening = time.Minute

// open executes the run with what it works with.
func (h *heldRun) open(ctx context.Context, stop <-chan struct{}) error {
	opening, opened := context.WithTimeout(ctx, min(h.run.Start.Limits.Active-h.run.Active, mostOpening)+time.Millisecond)
	m, err := h.x.Open(opening, &h.run)
	if opened(); err != nil {
		return err
	}
	defer m.Close()
	return h.execute(ctx, m, stop)
}

func (h *heldRun) execute(ctx context.Context, m *Setup, stop <-chan struct{}) error {
	if err := h.append(ctx, Event{Kind: Resumed, By: h.x.Holder}); err != nil {
		return err
	}
	if err := h.lacks(ctx, m); err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return errStopped
		default:
		}
		if err := h.confirm(ctx); err != nil {
			return err
		}
		a := h.run.Next(h.x.Now())
		var err error
		switch a.Do {
		case Wait, NothingDo:
			return nil
		case GiveUp:
			err = h.fail(ctx, a.Code, a.Text)
		case Deny:
			err = h.deny(ctx, a.Call)
		default:
			err = h.within(ctx, m, a)
		}
		if err != nil {
			return err
		}
	}
}

// lacks reports the agent's tools that are missing here, before the first turn (AAIF-7-6):
// only now are the tools open. At the levels strict and regulated a missing tool ends the run.
func (h *heldRun) lacks(ctx context.Context, m *Setup) error {
	if h.run.Iteration > 0 || len(h.run.Calls) > 0 {
		return nil
	}
	var notes []Note
	for _, o := range m.Tools.Offered() {
		if o.Missing == nil {
			continue
		}
		if m.Definition.Agent.Compliance.Safety.IsStrict() {
			return h.fail(ctx, string(o.Missing.Code), o.Missing.Error())
		}
		notes = append(notes, Note{Code: "feature.disabled", Text: o.Missing.Error()})
	}
	return h.append(ctx, events(notes)...)
}

// deny rejects a call that nobody approved in time (AAIF-4.9-16). An answer that nobody approved
// ends the run.
func (h *heldRun) deny(ctx context.Context, c Call) error {
	if c.IsOutput() {
		return h.fail(ctx, string(aaif.ApprovalTimeout), "nobody let the answer leave in time: "+c.Why)
	}
	return h.append(ctx, Event{Kind: Rejected, Call: c.ID, Code: string(aaif.ApprovalTimeout), Text: errorForModel(string(aaif.ApprovalTimeout), "nobody approved the call in time: it was not made")})
}

// within does an action within the time that the run has left (AAIF-4.6-1).
func (h *heldRun) within(ctx context.Context, m *Setup, a Action) error {
	left := h.run.Start.Limits.Active - h.run.Active
	timed, cancel := context.WithTimeoutCause(ctx, left, errRunTimeout)
	defer cancel()
	var err error
	switch a.Do {
	case AskModel:
		err = h.ask(timed, m)
	case Judge:
		err = h.judge(timed, m, a.Call)
	case MakeCall:
		err = h.call(timed, m, a.Call)
	case Recover:
		err = h.recover(timed, m, a.Call)
	case Finish:
		err = h.finish(timed, m)
	}
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(timed), errRunTimeout) && !h.run.Status.Ended() {
		return h.fail(ctx, string(aaif.RunTimeout), "the run took longer than "+h.run.Start.Limits.Active.String())
	}
	return err
}

// finish checks the answer of the model, and ends the run with it or asks a person.
func (h *heldRun) finish(ctx context.Context, m *Setup) error {
	a, err := m.Rules.Output(ctx, h.run.Messages[len(h.run.Messages)-1].Content)
	notes := events(append(m.judged(), a.Notes...))
	if err != nil {
		if code := aaif.CodeOf(err); code != "" {
			return h.append(ctx, append(notes, Event{Kind: Failed, Code: string(code), Text: err.Error(), Step: "output"})...)
		}
		return err
	}
	last := Event{Kind: Completed, Text: a.Text}
	if a.Ask {
		c := outputOf(a.Text)
		last = Event{Kind: Withheld, Call: c.ID, Digest: policy.Digest(c.Tool, c.Arguments), Text: a.Text, Why: a.Why, Until: h.x.Now().Add(h.run.Start.Limits.Wait)}
	}
	return h.append(ctx, append(notes, last)...)
}

var errRunTimeout = errors.New("the time of the run is up")

// fail ends the run with an error, after which nothing is tried again (AAIF-4.6-10).
func (h *heldRun) fail(ctx context.Context, code, text string) error {
	none := 0
	return h.append(ctx, Event{Kind: Failed, Code: code, Text: text + h.run.unsettled(), Step: h.run.step(), Retry: &none})
}

// unsettled says which call was under way when a run ends, for people.
func (r *Run) unsettled() string {
	for _, c := range r.Calls {
		if c.Stage == InFlight {
			return "; a call of " + c.Tool + " was under way, and nobody knows whether it took effect"
		}
	}
	return ""
}

// step names what the run is doing, for errors.
func (r *Run) step() string {
	for _, c := range r.Calls {
		return "tool:" + c.Tool
	}
	return "model"
}
