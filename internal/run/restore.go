package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// start begins a run, or goes on from a checkpoint.
func (r *Run) start(e Event) error {
	if e.Start == nil || r.Status != "" {
		return errors.New("a run starts once")
	}
	r.Start, r.Began, r.Status, r.Agents = *e.Start, e.At, aaif.Running, []Worker{workerOf(*e.Start)}
	r.Variables = Value(e.Start.Variables)
	if len(e.Start.State) > 0 {
		return r.Thread.restore(aaif.ReadState(Value(e.Start.State)), e.At, r)
	}
	r.Messages = []aaif.Message{{Role: "user", Content: said(Value(e.Start.Input)), Timestamp: e.At}}
	return nil
}

// said returns an input as a model reads it: a text as it is, anything else as JSON.
func said(v canon.Value) string {
	if v.Type() == canon.TypeString {
		return v.Text()
	}
	return string(v.AppendCanonical(nil))
}

// restore takes a checkpoint over (section 8.2, steps 5 and 6). Its iterations count on
// (AAIF-8.1-8). Calls without a result stay as they were: those that were not made are
// judged anew, those that may have been made are recovered, and one that waits for a
// person still does (AAIF-8.1-16, AAIF-8.1-20).
func (t *Thread) restore(s aaif.State, at time.Time, r *Run) error {
	switch {
	case s.Status.Ended():
		return aaif.Transition(s.Status, aaif.Running)
	case r.ID != "" && s.RunID != "" && s.RunID != r.ID:
		return fmt.Errorf("the checkpoint is of run %s", aaif.Shown(s.RunID))
	}
	if s.Iteration != nil {
		t.Iteration = max(*s.Iteration, 0)
		t.turned = t.Iteration > 0
	}
	if s.Variables.Type() != canon.TypeUndefined && (t.In != "" || len(r.Start.Variables) == 0) {
		t.Variables = s.Variables
	}
	t.came = len(t.Agents)
	ids := callIDs{r: r, own: map[string]string{}}
	t.Messages = ids.conversation(s.Conversation)
	for _, p := range s.Pending {
		stage := InFlight
		if p.Status == aaif.CallPending {
			stage = Wanted
		}
		t.pend(Call{Call: aaif.Call{ID: ids.of(p.ID), Tool: p.Tool, Arguments: p.Arguments}, Stage: stage, SentAt: p.SubmittedAt, Copied: true}, at)
	}
	if s.Status == aaif.AwaitingApproval {
		t.keepAsking(s.Approval, at, r)
	}
	own := s.Value.Get(extension)
	t.Active = time.Duration(min(max(own.Get("active_seconds").Float(), 0), t.Start.Limits.Active.Seconds()) * float64(time.Second))
	t.Usage = Usage{Input: count(own, "input_tokens"), Output: count(own, "output_tokens"), USD: max(own.Get("usd").Float(), 0), Unpriced: own.Get("unpriced").True()}
	for _, id := range own.Get("ids").Items() {
		ids.of(id.Text())
	}
	for _, m := range own.Get("carry").Members() {
		if t.carry == nil {
			t.carry = map[string]canon.Value{}
		}
		t.carry[ids.of(m.Name)] = m.Value
	}
	return nil
}

// Came returns the checkpoint from which the agent at work goes on; zero if it began here.
func (t *Thread) Came() aaif.State {
	if len(t.Start.State) == 0 || t.came != len(t.Agents) {
		return aaif.State{}
	}
	return aaif.ReadState(Value(t.Start.State))
}

// extension is the member of a state for what the format has no member for. A platform that
// ignores it loses only the usage so far, the trace, and what providers want to see again.
const extension = "x-satchel"

// TraceOf returns the span of the run that a state was captured of; zero: the state names none.
func TraceOf(state canon.Value) trace.Context {
	return trace.Parse(state.Get(extension).Get("trace").Text())
}

func count(v canon.Value, name string) int {
	return int(min(max(v.Get(name).Float(), 0), 1<<40))
}

// callIDs are the ids that the calls of a checkpoint have in the run: their own, unless another
// thread has a call of that id.
type callIDs struct {
	r   *Run
	own map[string]string
}

func (c callIDs) of(id string) string {
	if _, known := c.own[id]; !known {
		c.own[id] = c.r.unused(id)
	}
	return c.own[id]
}

// conversation returns the messages of a checkpoint without system messages, which come
// from the definition in force.
func (c callIDs) conversation(all []aaif.Message) (kept []aaif.Message) {
	for _, m := range all {
		if m.Role == "system" {
			continue
		}
		if m.CallID != "" {
			m.CallID = c.of(m.CallID)
		}
		kept = append(kept, m)
	}
	return kept
}

// pend adds a call without a result. The conversation has the call as a message, so that
// its result can follow.
func (t *Thread) pend(c Call, at time.Time) {
	if c.Arguments.Type() != canon.TypeObject {
		c.Arguments, c.Guessed = canon.Object(), true
	}
	asked := slices.ContainsFunc(t.Messages, func(m aaif.Message) bool { return m.Role == "assistant" && m.CallID == c.ID })
	if !asked {
		t.Messages = append(t.Messages, aaif.CallMessages("", []aaif.Call{c.Call}, at)...)
	}
	t.Calls = append(t.Calls, c)
}

// keepAsking restores the approval that a checkpoint waits for.
func (t *Thread) keepAsking(a *aaif.Approval, at time.Time, r *Run) {
	if a == nil {
		a = &aaif.Approval{}
	}
	i := slices.IndexFunc(t.Calls, func(c Call) bool {
		return c.Tool == a.Action.Tool && canon.Equal(c.Arguments, a.Action.Arguments)
	})
	if i < 0 && a.Action.Tool != "" {
		t.pend(Call{Call: aaif.Call{ID: r.unused("approval"), Tool: a.Action.Tool, Arguments: a.Action.Arguments}, Copied: true}, at)
		i = len(t.Calls) - 1
	}
	if i < 0 && len(t.Calls) > 0 {
		i = 0
	}
	if i < 0 {
		return // nothing says what is waited for: the model is asked again
	}
	c := &t.Calls[i]
	c.Stage, c.Unjudged, c.Digest, c.Why = Asking, !c.IsOutput(), policy.Digest(c.Tool, c.Arguments), "the checkpoint says: "+a.Trigger
	c.AskedAt = a.RequestedAt
	most := at.Add(t.Start.Limits.Wait)
	if c.Until = cmp.Or(a.TimeoutAt, a.RequestedAt.Add(t.Start.Limits.Wait)); c.Until.After(most) || a.TimeoutAt.IsZero() && a.RequestedAt.IsZero() {
		c.Until = most
	}
	t.Status = aaif.AwaitingApproval
}
