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
)

// start begins a run, or goes on from a checkpoint.
func (r *Run) start(e Event) error {
	if e.Start == nil || r.Status != "" {
		return errors.New("a run starts once")
	}
	r.Start, r.Began, r.Status, r.Agents = *e.Start, e.At, aaif.Running, []Worker{workerOf(*e.Start)}
	r.Variables = Value(e.Start.Variables)
	if len(e.Start.State) > 0 {
		return r.restore(aaif.ReadState(Value(e.Start.State)), e.At)
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
func (r *Run) restore(s aaif.State, at time.Time) error {
	switch {
	case s.Status.Ended():
		return aaif.Transition(s.Status, aaif.Running)
	case r.ID != "" && s.RunID != "" && s.RunID != r.ID:
		return fmt.Errorf("the checkpoint is of run %s", aaif.Shown(s.RunID))
	}
	if s.Iteration != nil {
		r.Iteration = max(*s.Iteration, 0)
		r.turned = r.Iteration > 0
	}
	if len(r.Start.Variables) == 0 {
		r.Variables = s.Variables
	}
	r.Messages, r.ids = conversation(s.Conversation)
	for _, p := range s.Pending {
		stage := InFlight
		if p.Status == aaif.CallPending {
			stage = Wanted
		}
		r.pend(Call{Call: aaif.Call{ID: p.ID, Tool: p.Tool, Arguments: p.Arguments}, Stage: stage, SentAt: p.SubmittedAt, Copied: true}, at)
	}
	if s.Status == aaif.AwaitingApproval {
		r.keepAsking(s.Approval, at)
	}
	own := s.Value.Get(extension)
	r.Active = time.Duration(min(max(own.Get("active_seconds").Float(), 0), r.Start.Limits.Active.Seconds()) * float64(time.Second))
	r.Usage = Usage{Input: count(own, "input_tokens"), Output: count(own, "output_tokens"), USD: max(own.Get("usd").Float(), 0), Unpriced: own.Get("unpriced").True()}
	for _, m := range own.Get("carry").Members() {
		if r.carry == nil {
			r.carry = map[string]canon.Value{}
		}
		r.carry[m.Name] = m.Value
	}
	return nil
}

// extension is the member of a state for what the format has no member for. A platform that
// ignores it loses only the usage so far, and what providers want to see again.
const extension = "x-satchel"

func count(v canon.Value, name string) int {
	return int(min(max(v.Get(name).Float(), 0), 1<<40))
}

// conversation returns the messages of a checkpoint without system messages, which come
// from the definition in force, and the ids of their calls.
func conversation(all []aaif.Message) (kept []aaif.Message, ids map[string]bool) {
	ids = map[string]bool{}
	for _, m := range all {
		if m.Role == "system" {
			continue
		}
		kept = append(kept, m)
		if m.CallID != "" {
			ids[m.CallID] = true
		}
	}
	return kept, ids
}

// pend adds a call without a result. The conversation has the call as a message, so that
// its result can follow.
func (r *Run) pend(c Call, at time.Time) {
	if c.Arguments.Type() != canon.TypeObject {
		c.Arguments, c.Guessed = canon.Object(), true
	}
	asked := slices.ContainsFunc(r.Messages, func(m aaif.Message) bool { return m.Role == "assistant" && m.CallID == c.ID })
	if !asked {
		r.ids[c.ID] = true
		r.Messages = append(r.Messages, aaif.CallMessages("", []aaif.Call{c.Call}, at)...)
	}
	r.Calls = append(r.Calls, c)
}

// keepAsking restores the approval that a checkpoint waits for.
func (r *Run) keepAsking(a *aaif.Approval, at time.Time) {
	if a == nil {
		a = &aaif.Approval{}
	}
	i := slices.IndexFunc(r.Calls, func(c Call) bool {
		return c.Tool == a.Action.Tool && canon.Equal(c.Arguments, a.Action.Arguments)
	})
	if i < 0 && a.Action.Tool != "" {
		r.pend(Call{Call: aaif.Call{ID: r.unused("approval"), Tool: a.Action.Tool, Arguments: a.Action.Arguments}, Copied: true}, at)
		i = len(r.Calls) - 1
	}
	if i < 0 && len(r.Calls) > 0 {
		i = 0
	}
	if i < 0 {
		return // nothing says what is waited for: the model is asked again
	}
	c := &r.Calls[i]
	c.Stage, c.Unjudged, c.Digest, c.Why = Asking, !c.IsOutput(), policy.Digest(c.Tool, c.Arguments), "the checkpoint says: "+a.Trigger
	c.AskedAt = a.RequestedAt
	most := at.Add(r.Start.Limits.Wait)
	if c.Until = cmp.Or(a.TimeoutAt, a.RequestedAt.Add(r.Start.Limits.Wait)); c.Until.After(most) || a.TimeoutAt.IsZero() && a.RequestedAt.IsZero() {
		c.Until = most
	}
	r.Status = aaif.AwaitingApproval
}
