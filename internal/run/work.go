package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// worker works in one thread of a run that this process holds. One goroutine uses it at a time.
type worker struct {
	*heldRun
	in     string
	m      *Setup // nil: not open
	agents int    // how many agents had worked in the thread when m was opened
	looked bool   // what m lacks was reported
	mute   error  // why the model that was asked last did not answer
}

// at returns the thread as it stands.
func (w *worker) at() *Thread {
	r := w.stands()
	return r.Of(w.in)
}

// append writes events of the thread down.
func (w *worker) append(ctx context.Context, events ...Event) error {
	for i := range events {
		if events[i].In == "" {
			events[i].In = w.in
		}
	}
	return w.heldRun.append(ctx, events...)
}

// key returns the idempotency key of a call.
func (w *worker) key(c Call) string {
	r := w.stands()
	return r.Key(c)
}

// mostOpening is how long the tools of an agent may take to say what they offer.
const mostOpening = time.Minute

// open opens what the agent at work needs.
func (w *worker) open(ctx context.Context) error {
	r := w.stands()
	t := r.Of(w.in)
	if w.m != nil && w.agents == len(t.Agents) {
		return nil
	}
	w.close()
	opening, opened := context.WithTimeout(ctx, min(r.Start.Limits.Active-r.Active, mostOpening)+time.Millisecond)
	defer opened()
	m, err := w.x.Open(opening, &r, t)
	if err != nil {
		return err
	}
	w.m, w.agents, w.looked = m, len(t.Agents), false
	return nil
}

func (w *worker) close() {
	if w.m != nil {
		w.m.Close()
		w.m = nil
	}
}

// act does what a thread has to do.
func (w *worker) act(ctx context.Context, a Action) error {
	switch a.Do {
	case GiveUp:
		return w.fail(ctx, a.Code, a.Text)
	case Deny:
		return w.deny(ctx, a.Call)
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	if !w.looked {
		if err := w.lacks(ctx, w.m); err != nil {
			return err
		}
		if w.looked = true; w.at().Status.Ended() {
			return nil
		}
	}
	return w.within(ctx, w.m, a)
}

// lacks reports the agent's tools that are missing here, and what there is to know of the others
// (AAIF-4.4-7, AAIF-4.4-20), before the first turn (AAIF-7-6): only now are the tools open. At the levels strict and regulated a missing tool ends the run.
func (w *worker) lacks(ctx context.Context, m *Setup) error {
	t := w.at()
	if t.turned || len(t.Calls) > 0 {
		return nil
	}
	var notes []Note
	if w.in != "" || len(t.Agents) > 1 { // what there is to report of the run's own agent was reported when it started
		notes = slices.Clone(m.Notices)
	}
	for _, o := range m.Tools.Offered() {
		for _, warning := range o.Warnings {
			notes = append(notes, Note{Code: toolWarning, Text: o.Name + ": " + warning})
		}
		if o.Missing == nil {
			continue
		}
		if m.rules().Safety.IsStrict() {
			return w.fail(ctx, string(o.Missing.Code), o.Missing.Error())
		}
		notes = append(notes, Note{Code: "feature.disabled", Text: o.Missing.Error()})
	}
	r := w.stands()
	return w.append(ctx, r.unheard(w.in, notes)...)
}

// deny rejects a call that nobody approved in time (AAIF-4.9-16). An answer that nobody approved
// ends the run.
func (w *worker) deny(ctx context.Context, c Call) error {
	if c.IsOutput() {
		return w.fail(ctx, string(aaif.ApprovalTimeout), "nobody let the answer leave in time: "+c.Why)
	}
	return w.append(ctx, Event{Kind: Rejected, Call: c.ID, Code: string(aaif.ApprovalTimeout), Text: errorForModel(string(aaif.ApprovalTimeout), "nobody approved the call in time: it was not made")})
}

// within does an action within the time that the run, the thread and those above it have left
// (AAIF-4.6-1).
func (w *worker) within(ctx context.Context, m *Setup, a Action) error {
	r := w.stands()
	t := r.Of(w.in)
	left, up, late := r.Start.Limits.Active-r.Active, errRunTimeout, &r.Thread
	for _, one := range append([]*Thread{t}, r.Over(t)...) {
		if own := one.Start.Limits.Active - one.Active; one.In != "" && own < left {
			left, up, late = own, errThreadTimeout, one
		}
	}
	timed, cancel := context.WithTimeoutCause(ctx, left, up)
	defer cancel()
	var err error
	switch a.Do {
	case AskModel:
		err = w.turn(timed, m)
	case Judge:
		err = w.judge(timed, m, a.Call)
	case MakeCall:
		err = w.call(timed, m, a.Call)
	case Recover:
		err = w.recover(timed, m, a.Call)
	case Finish:
		err = w.answer(timed, m)
	case Lead:
		err = w.lead(timed, m)
	}
	if cause := context.Cause(timed); err == nil || ctx.Err() != nil || w.at().Status.Ended() {
		return err
	} else if errors.Is(cause, errThreadTimeout) {
		return w.fail(ctx, string(aaif.RunTimeout), "the agent took longer than "+late.Start.Limits.Active.String())
	} else if errors.Is(cause, errRunTimeout) {
		return errRunTimeout
	}
	return err
}

// turn asks a model, unless the run is handed to another agent.
func (w *worker) turn(ctx context.Context, m *Setup) error {
	if done, err := w.handOver(ctx, m, ""); done || err != nil {
		return err
	}
	return w.ask(ctx, m)
}

// answer ends the thread with what its agent said last, unless the run is handed to another
// agent.
func (w *worker) answer(ctx context.Context, m *Setup) error {
	t := w.at()
	last := t.Messages[len(t.Messages)-1]
	if t.Worker().Remote != "" && t.own[last.CallID] {
		return w.fail(ctx, string(aaif.ToolSaysNo), "the agent elsewhere gave no answer: "+last.Content)
	}
	if done, err := w.handOver(ctx, m, last.Content); done || err != nil {
		return err
	}
	return w.finish(ctx, m, last.Content)
}

// finish ends the thread with an answer, or asks a person whether the answer may leave.
func (w *worker) finish(ctx context.Context, m *Setup, text string) error {
	a, err := m.Rules.Output(ctx, text)
	notes := events(append(m.judged(), a.Notes...))
	if err != nil {
		if code := aaif.CodeOf(err); code != "" {
			return w.append(ctx, append(notes, Event{Kind: Failed, Code: string(code), Text: err.Error(), Step: "output"})...)
		}
		return err
	}
	last := Event{Kind: Completed, Text: a.Text}
	if a.Ask {
		c := outputOf(a.Text)
		last = Event{Kind: Withheld, Call: c.ID, Digest: policy.Digest(c.Tool, c.Arguments), Text: a.Text, Why: a.Why, Until: w.x.Now().Add(w.at().Start.Limits.Wait)}
	}
	return w.append(ctx, append(notes, last)...)
}

var (
	errRunTimeout    = errors.New("the time of the run is up")
	errThreadTimeout = errors.New("the time of the agent is up")
	errDropped       = errors.New("what the agent does is not needed any more")
)

// fail ends the thread with an error, after which nothing is tried again (AAIF-4.6-10).
func (w *worker) fail(ctx context.Context, code, text string) error {
	return w.failAt(ctx, code, text, w.at().step())
}

// failAt is fail for a step of a team. What subagents do is given up first.
func (w *worker) failAt(ctx context.Context, code, text, step string) error {
	r := w.stands()
	for _, path := range r.working(r.Of(w.in)) {
		w.threads.halt(path)
	}
	r = w.stands()
	return w.append(ctx, Event{Kind: Failed, Code: code, Text: text + r.unsettled(w.in), Step: step, Retry: new(int)})
}

// unsettled says which call was under way when a thread ends, for people.
func (r *Run) unsettled(path string) string {
	for t := range r.All() {
		if t.Status.Ended() || !t.under(path) {
			continue
		}
		for _, c := range t.Calls {
			if c.Stage == InFlight {
				return "; a call of " + c.Tool + " was under way, and nobody knows whether it took effect"
			}
		}
	}
	return ""
}

// step names what the thread is doing, for errors.
func (t *Thread) step() string {
	for _, c := range t.Calls {
		return "tool:" + c.Tool
	}
	return "model"
}
