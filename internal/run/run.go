package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Run is a run as its journal tells it: the fold of its events with [Run.Apply].
type Run struct {
	ID     string // run_id, a UUID
	Start  Start
	Events int64 // how many were applied

	Status    aaif.RunStatus
	Iteration int // turns of models so far; each counts once, with the calls that it asks for (decision R29)
	Messages  []aaif.Message
	Calls     []Call      // of the latest turn, without a result
	Variables canon.Value // undefined: none
	Usage     Usage
	Context   json.RawMessage // what was read as context, see [Rules]
	Active    time.Duration   // time of execution

	Output   string         // once Status is completed
	Err      *aaif.RunError // once Status is failed
	Platform string         // where the run goes, or went
	Began    time.Time
	Last     time.Time // of the newest event

	ticking bool                   // Active grows
	own     map[string]bool        // the calls, by id, whose result this package wrote
	carry   map[string]canon.Value // what providers want to see again, by the id of a turn's first call
	ids     map[string]bool
	rests   map[string]time.Time // until when a route wants to be left alone, by provider/model
}

// CopiedCode is the code of the event Resumed if the run was going on in another store, or
// before this store was restored.
const CopiedCode = "COPIED"

// Apply adds an event. It fails, and changes nothing, if the event cannot follow.
func (r *Run) Apply(e Event) error {
	if e.Number != r.Events+1 {
		return fmt.Errorf("event %d follows event %d", e.Number, r.Events)
	}
	next := *r
	next.Calls, next.Messages = slices.Clone(r.Calls), slices.Clip(r.Messages)
	next.tick(e)
	if err := next.apply(e); err != nil {
		return fmt.Errorf("event %d, %s: %w", e.Number, e.Kind, err)
	}
	next.Events, next.Last = e.Number, e.At
	*r = next
	return nil
}

// tick counts the time of execution. While nobody executes a run, no time passes for it.
func (r *Run) tick(e Event) {
	if r.ticking && e.Kind != Resumed && e.At.After(r.Last) {
		r.Active += e.At.Sub(r.Last)
	}
	switch e.Kind {
	case Resumed:
		r.ticking = true
	case AskedFor, Withheld, Paused, Leaving, Completed, Failed:
		r.ticking = false
	}
}

func (r *Run) apply(e Event) error {
	switch e.Kind {
	case Started:
		return r.start(e)
	case Noted:
		r.Usage = r.Usage.Plus(e.Usage)
		return nil
	case Read:
		r.Context = e.Context
		return nil
	case Asked:
		return nil
	case Passed:
		if !e.Until.IsZero() {
			r.rests = maps.Clone(r.rests)
			if r.rests == nil {
				r.rests = map[string]time.Time{}
			}
			r.rests[e.Route] = e.Until
		}
		return nil
	case Withheld:
		return r.withheld(e)
	case Resumed:
		return r.resumed(e.Code == CopiedCode)
	case Answered:
		return r.answered(e)
	case Allowed, AskedFor, Approved, Rejected, Sent, Returned:
		return r.called(e)
	case Paused:
		return r.become(aaif.Paused)
	case Leaving:
		r.Platform = e.Text
		return r.become(aaif.Migrating)
	case Left:
		r.Output = ""
		return r.become(aaif.Completed)
	case Stayed:
		r.Platform = ""
		return r.become(aaif.Paused)
	case Completed:
		r.Output = e.Text
		return r.become(aaif.Completed)
	case Failed:
		r.Err = &aaif.RunError{Code: e.Code, Message: e.Text, Step: e.Step, OccurredAt: e.At, Retries: e.Retry}
		if r.Err.Retries == nil {
			r.Err.Retries = new(int) // nothing is tried again after a run has ended
		}
		return r.become(aaif.Failed)
	}
	return fmt.Errorf("no such kind of event is known")
}

// become changes the status, as section 8.1 allows (AAIF-8.1-6).
func (r *Run) become(s aaif.RunStatus) error {
	if r.Status == s {
		return aaif.Transition(s, s) // staying is no change
	}
	switch {
	case s == aaif.Migrating && (r.Status == aaif.AwaitingApproval || r.Status == aaif.AwaitingToolResult),
		s == aaif.Paused && r.Status == aaif.AwaitingToolResult:
		r.Status = aaif.Running // nobody executes it any more: it waits as well elsewhere, or later
	}
	if err := aaif.Transition(r.Status, s); err != nil {
		return err
	}
	r.Status = s
	return nil
}

// resumed goes on with a run. One that waits for a person still does. copied says that the
// journal may be older than what became of the run: every call may have been made since.
func (r *Run) resumed(copied bool) error {
	if r.Status.Ended() || r.Status == aaif.Migrating && !copied {
		return aaif.Transition(r.Status, aaif.Running)
	}
	asking := slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Stage == Asking })
	switch {
	case copied:
		for i := range r.Calls {
			if !r.Calls[i].IsOutput() {
				r.Calls[i].Stage, r.Calls[i].Copied = InFlight, true
			}
		}
		if r.Status == aaif.Migrating {
			r.ticking = false
			return nil // where it is now, is for a person to say
		}
		if err := r.settle(aaif.Running); err != nil || !slices.ContainsFunc(r.Calls, Call.IsOutput) {
			return err
		}
		r.ticking = false // a person is still asked whether the answer may leave
		return r.become(aaif.AwaitingApproval)
	case asking:
		r.ticking = false
	}
	if r.Status != aaif.Paused {
		return nil
	}
	r.Status = aaif.Running
	if asking {
		return r.become(aaif.AwaitingApproval)
	}
	return nil
}

// answered takes in a turn of a model. Every call gets an id that no other call of the run
// has, since results are told apart by it.
func (r *Run) answered(e Event) error {
	if r.Status != aaif.Running || len(r.Calls) > 0 {
		return fmt.Errorf("no answer of a model is waited for")
	}
	r.Iteration++
	r.Usage = r.Usage.Plus(e.Usage)
	var calls []aaif.Call
	for _, c := range e.Calls {
		call := aaif.Call{ID: r.unused(c.ID), Tool: c.Tool, Arguments: Value(c.Arguments)}
		if call.Arguments.Type() != canon.TypeObject {
			call.Arguments, call.Guessed = canon.Object(), true
		}
		calls = append(calls, call)
		r.Calls = append(r.Calls, Call{Call: call, Stage: Wanted})
	}
	if len(calls) > 0 && len(e.Carry) > 0 {
		r.carry = maps.Clone(r.carry)
		if r.carry == nil {
			r.carry = map[string]canon.Value{}
		}
		r.carry[calls[0].ID] = Value(e.Carry)
	}
	r.Messages = append(r.Messages, aaif.CallMessages(e.Text, calls, e.At)...)
	return nil
}

// unused returns an id for a call: the given one if no call of the run has it yet.
func (r *Run) unused(id string) string {
	ids := make(map[string]bool, len(r.ids)+1)
	for known := range r.ids {
		ids[known] = true
	}
	own := id
	for n := 2; own == "" || ids[own]; n++ {
		own = fmt.Sprintf("%s-%d", id, n)
	}
	ids[own] = true
	r.ids = ids
	return own
}

// settle is become for a status that the run may have already.
func (r *Run) settle(s aaif.RunStatus) error {
	if r.Status == s {
		return nil
	}
	return r.become(s)
}

// Fold returns the run of a journal.
func Fold(id string, events []Event) (Run, error) {
	r := Run{ID: id}
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			return Run{}, err
		}
	}
	return r, nil
}
