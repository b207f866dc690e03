package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// Thread is the part of a run in which one agent works: the run's own agent, or a subagent.
// A handoff gives a thread another agent.
type Thread struct {
	In     string   // the path: the path of the thread above it and the name of the step; empty: the run's own agent
	Start  Start    // what it began with
	Agents []Worker // which agents have worked in it; the last one is at work

	Status    aaif.RunStatus
	Iteration int // turns of models so far; each counts once, with the calls that it asks for (decision R29)
	Messages  []aaif.Message
	Calls     []Call          // of the latest turn, without a result
	Variables canon.Value     // undefined: none
	Usage     Usage           // with that of its subagents
	Context   json.RawMessage // what was read as context, see [Rules]
	Active    time.Duration   // time of execution

	Output  string         // once Status is completed
	Err     *aaif.RunError // once Status is failed
	Dropped bool           // it was cancelled
	Skipped string         // why it never began; empty: it did

	began, ended int64                      // the numbers of its first and last event
	came         int                        // how many agents had worked in it when its checkpoint was made; 0: it has none
	turned       bool                       // the agent at work has had a turn
	below        []string                   // the paths of the subagents of the agent at work
	known        int                        // how many of their outcomes it has weighed
	own          map[string]bool            // the calls, by id, whose result this package wrote
	pictures     map[string][]model.Picture // of results, by the id of the call
	carry        map[string]canon.Value     // what providers want to see again, by the id of a turn's first call
}

// Worker is an agent that works in a thread.
type Worker struct {
	Agent    string
	Revision int
	Digest   string
	Leads    bool   // subagents work for it
	Remote   string // see [Start]
	Memory   PassedMemory
}

func workerOf(s Start) Worker {
	return Worker{Agent: s.Agent, Revision: s.Revision, Digest: s.Digest, Leads: s.Leads && !s.Own, Remote: s.Remote, Memory: s.Memory}
}

// Worker returns the agent at work.
func (t *Thread) Worker() Worker {
	if len(t.Agents) == 0 {
		return Worker{}
	}
	return t.Agents[len(t.Agents)-1]
}

// edited returns a copy that an event can change.
func (t *Thread) edited() *Thread {
	c := *t
	c.Calls, c.Messages, c.Agents, c.below = slices.Clone(t.Calls), slices.Clip(t.Messages), slices.Clip(t.Agents), slices.Clip(t.below)
	return &c
}

// apply adds an event.
func (t *Thread) apply(e Event, r *Run) error {
	switch e.Kind {
	case Read:
		t.Context = e.Context
		return nil
	case Asked, Passed:
		return nil
	case Withheld:
		return t.withheld(e, r)
	case Answered:
		return t.answered(e, r)
	case Allowed, AskedFor, Approved, Rejected, Sent, Returned:
		return t.called(e)
	case Handed:
		return t.handed(e, r)
	case Weighed:
		t.known = e.Pass
		return nil
	case Completed:
		t.Output = e.Text
		return t.become(aaif.Completed)
	case Failed:
		t.Err = &aaif.RunError{Code: e.Code, Message: e.Text, Step: e.Step, OccurredAt: e.At, Retries: e.Retry}
		if t.Err.Retries == nil {
			t.Err.Retries = new(int) // nothing is tried again after a run has ended
		}
		return t.become(aaif.Failed)
	}
	return errors.New("no such kind of event is known")
}

// become changes the status, as section 8.1 allows (AAIF-8.1-6).
func (t *Thread) become(s aaif.RunStatus) error {
	if t.Status == s {
		return aaif.Transition(s, s) // staying is no change
	}
	switch {
	case s == aaif.Migrating && (t.Status == aaif.AwaitingApproval || t.Status == aaif.AwaitingToolResult),
		s == aaif.Paused && t.Status == aaif.AwaitingToolResult:
		t.Status = aaif.Running // nobody executes it any more: it waits as well elsewhere, or later
	}
	if err := aaif.Transition(t.Status, s); err != nil {
		return err
	}
	t.Status = s
	return nil
}

// settle is become for a status that the thread may have already.
func (t *Thread) settle(s aaif.RunStatus) error {
	if t.Status == s {
		return nil
	}
	return t.become(s)
}

// copied says that every call of the thread may have been made elsewhere.
func (t *Thread) copied() error {
	for i := range t.Calls {
		if !t.Calls[i].IsOutput() {
			t.Calls[i].Stage, t.Calls[i].Copied = InFlight, true
		}
	}
	if t.Status == aaif.Migrating {
		return nil // where it is now, is for a person to say
	}
	if err := t.settle(aaif.Running); err != nil || !slices.ContainsFunc(t.Calls, Call.IsOutput) {
		return err
	}
	return t.become(aaif.AwaitingApproval) // a person is still asked whether the answer may leave
}

// asks reports whether a person is asked about a call.
func (t *Thread) asks() bool {
	return slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Stage == Asking })
}

// answered takes in a turn of a model. Every call gets an id that no other call of the run
// has, since results are told apart by it.
func (t *Thread) answered(e Event, r *Run) error {
	if t.Status != aaif.Running || len(t.Calls) > 0 {
		return fmt.Errorf("no answer of a model is waited for")
	}
	t.Iteration++
	t.turned = true
	var calls []aaif.Call
	for _, c := range e.Calls {
		call := aaif.Call{ID: r.unused(c.ID), Tool: c.Tool, Arguments: Value(c.Arguments)}
		if call.Arguments.Type() != canon.TypeObject {
			call.Arguments, call.Guessed = canon.Object(), true
		}
		calls = append(calls, call)
		t.Calls = append(t.Calls, Call{Call: call, Stage: Wanted})
	}
	if len(calls) > 0 && len(e.Carry) > 0 {
		t.carry = with(t.carry, calls[0].ID, Value(e.Carry))
	}
	t.Messages = append(t.Messages, aaif.CallMessages(e.Text, calls, e.At)...)
	return nil
}

// handed gives the thread another agent (AAIF-4.3-18, AAIF-4.3-19).
func (t *Thread) handed(e Event, r *Run) error {
	restored := e.Code == CopiedCode && e.Start != nil // it was handed over before its checkpoint was made
	if e.Start == nil || !restored && (t.Status != aaif.Running || len(t.Calls) > 0) {
		return errors.New("nothing can be handed over now")
	}
	t.Agents = append(t.Agents, workerOf(*e.Start))
	if restored {
		t.came = len(t.Agents)
		return nil
	}
	t.turned, t.below, t.known, t.Context, t.carry = false, nil, 0, nil, nil
	if e.Start.Conversation {
		t.Messages = append(t.Messages, aaif.Message{Role: "user", Content: takeOver, Timestamp: e.At})
	} else {
		t.Messages, t.pictures = []aaif.Message{{Role: "user", Content: said(Value(e.Start.Input)), Timestamp: e.At}}, nil
	}
	t.toRemote(Value(e.Start.Input), r)
	return nil
}

// takeOver is what an agent reads that goes on with the conversation of another one.
const takeOver = "You take over this conversation from another assistant. Go on from here, and answer the user."
