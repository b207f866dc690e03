package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// Stage says how far a call has come.
type Stage string

// The stages of a call without a result.
const (
	Wanted   Stage = "wanted"   // nobody has judged it
	Asking   Stage = "asking"   // a person is asked
	Open     Stage = "open"     // it may be made
	InFlight Stage = "inflight" // it may have been made
)

// Call is a call of a tool without a result.
type Call struct {
	aaif.Call
	Stage    Stage
	Digest   string    // of what was allowed or approved, see [policy.Digest]
	Why      string    // why a person is asked
	AskedAt  time.Time // when
	Until    time.Time // the end of the wait; zero: none
	SentAt   time.Time
	Copied   bool // from a checkpoint, or from a journal that may lack the latest events; not judged here since
	Unjudged bool // a checkpoint waits for its approval, and no rule was applied to it here
}

// Call returns the call with an id, of any thread.
func (r *Run) Call(id string) (Call, bool) {
	for t := range r.All() {
		if i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == id }); i >= 0 {
			return t.Calls[i], true
		}
	}
	return Call{}, false
}

// called applies an event of a call.
func (t *Thread) called(e Event) error {
	i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == e.Call })
	if i < 0 {
		return fmt.Errorf("no call %q is waited for", e.Call)
	}
	c := &t.Calls[i]
	from := map[Kind][]Stage{Allowed: {Wanted, InFlight}, AskedFor: {Wanted, InFlight}, Approved: {Asking}, Rejected: {Asking}, Sent: {Open, InFlight}, Returned: {Wanted, Open, InFlight}}
	in := []aaif.RunStatus{aaif.Running, aaif.AwaitingToolResult}
	if e.Kind == Approved || e.Kind == Rejected {
		in = []aaif.RunStatus{aaif.AwaitingApproval, aaif.Paused}
	}
	switch {
	case !slices.Contains(in, t.Status):
		return aaif.Transition(t.Status, aaif.Running)
	case !slices.Contains(from[e.Kind], c.Stage):
		return fmt.Errorf("the call %q is %s", e.Call, c.Stage)
	}
	switch e.Kind {
	case Allowed:
		c.Stage, c.Digest, c.Copied = Open, e.Digest, false
		return t.settle(aaif.Running)
	case AskedFor:
		c.Stage, c.Digest, c.Why, c.AskedAt, c.Until = Asking, e.Digest, e.Text, e.At, e.Until
		if err := t.settle(aaif.Running); err != nil {
			return err
		}
		return t.become(aaif.AwaitingApproval)
	case Approved:
		if e.Digest != c.Digest {
			return &aaif.Fault{Code: aaif.ApprovalMismatch, Text: "something else was approved than is to be called"}
		}
		c.Stage, c.Copied = Open, false
		return t.become(aaif.Running)
	case Sent:
		c.Stage, c.SentAt = InFlight, e.At
		return t.settle(aaif.AwaitingToolResult)
	}
	return t.takeResult(i, e)
}

// takeResult removes a call from those without a result, and adds its result to the conversation.
func (t *Thread) takeResult(i int, e Event) error {
	c := t.Calls[i]
	if e.Code != "" && e.Code != string(aaif.ToolSaysNo) {
		t.own = with(t.own, c.ID, true)
	}
	t.Messages = append(t.Messages, aaif.Message{Role: "tool", Content: e.Text, CallID: c.ID, Tool: c.Tool, Timestamp: e.At})
	if len(e.Pictures) > 0 {
		t.pictures = with(t.pictures, c.ID, e.Pictures)
	}
	t.Calls = slices.Delete(t.Calls, i, i+1)
	return t.settle(aaif.Running)
}

// outputCall is the name under which a person is asked about an answer.
const outputCall = "satchel.output"

// withheld asks a person whether the answer may leave (AAIF-4.9-2).
func (t *Thread) withheld(e Event, r *Run) error {
	if t.Status != aaif.Running || len(t.Calls) > 0 {
		return fmt.Errorf("there is no answer yet")
	}
	c := outputOf(e.Text)
	c.ID = r.unused(c.ID)
	t.Calls = append(t.Calls, Call{Call: c, Stage: Asking, Digest: policy.Digest(c.Tool, c.Arguments), Why: e.Why, AskedAt: e.At, Until: e.Until})
	return t.become(aaif.AwaitingApproval)
}

// outputOf returns the call that stands for an answer.
func outputOf(text string) aaif.Call {
	return aaif.Call{ID: "output", Tool: outputCall, Arguments: canon.Object(canon.Member{Name: "text", Value: canon.String(text)})}
}

// IsOutput reports whether a call stands for the answer of the run, about which a person is
// asked.
func (c Call) IsOutput() bool { return c.Tool == outputCall }
