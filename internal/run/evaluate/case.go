package evaluate

import (
	"context"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// do puts a case to the agent, and rates what it does.
func (e *evaluation) do(ctx context.Context, c aaif.TestCase) Case {
	out := Case{ID: c.ID, Calls: []Call{}, Scores: []Score{}}
	l, why := e.left()
	if why != "" {
		out.fail(string(aaif.BudgetExceeded), why)
		return e.scored(ctx, c, nil, out)
	}
	events, err := e.run(ctx, c, l, &out)
	if err != nil && out.Error == nil {
		code := string(aaif.CodeOf(err))
		if code == "" {
			code = "NOT_RUN"
		}
		out.fail(code, err.Error())
	}
	return e.scored(ctx, c, events, out)
}

// run runs a case to its end, and returns what happened.
func (e *evaluation) run(ctx context.Context, c aaif.TestCase, l run.Limits, out *Case) ([]run.Event, error) {
	id, err := e.opt.NewID()
	if err != nil {
		return nil, err
	}
	begins, err := e.opt.Begin(c, l)
	if err != nil {
		return nil, err
	}
	e.journal.begin(id, begins)
	e.now, e.stubbed = c.ID, map[string]int{}
	r, err := e.toEnd(ctx, id, out)
	events, failed := e.journal.Events(ctx, id, 0)
	if err == nil {
		err = failed
	}
	e.report.Usage = e.report.Usage.Plus(r.Usage)
	out.Status, out.Output, out.Turns = string(r.Status), r.Output, r.Turns()
	out.LatencyMS, out.Usage = float64(r.Active.Microseconds())/1000, r.Usage
	out.Calls = callsOf(events)
	if r.Err != nil {
		out.fail(r.Err.Code, r.Err.Message)
	}
	return events, err
}

// toEnd executes a run to its end. A call for which a person would be asked is approved, since
// a stub answers it. An answer for which a person would be asked stays where it is.
func (e *evaluation) toEnd(ctx context.Context, id string, out *Case) (run.Run, error) {
	x := e.opt.Executor
	for {
		r, err := x.Continue(ctx, id, run.ContinueOptions{})
		if err != nil || r.Status.Ended() {
			return r, err
		}
		asked := false
		for _, call := range r.Asking() {
			if asked = true; call.IsOutput() {
				r, err = x.Reject(ctx, id, call.ID, approver, "")
			} else {
				out.Approvals++
				r, err = x.Approve(ctx, id, call.ID, call.Digest, approver)
			}
			break // the others may have another state now
		}
		if !asked {
			return r, fmt.Errorf("the run is %s, and waits for something that an evaluation does not have", r.Status)
		}
		if err != nil {
			return r, err
		}
	}
}

// approver is who decides in an evaluation.
const approver = "evaluation"

// callsOf returns the calls of a run, and how each ended.
func callsOf(events []run.Event) []Call {
	calls := []Call{}
	for _, ev := range events {
		for _, c := range ev.Calls {
			calls = append(calls, Call{id: c.ID, in: ev.In, Tool: c.Tool, Arguments: c.Arguments})
		}
		if ev.Kind != run.Returned && ev.Kind != run.Rejected {
			continue
		}
		for i := range calls {
			if calls[i].id == ev.Call && calls[i].in == ev.In {
				calls[i].Code, calls[i].answer = ev.Code, ev.Text
			}
		}
	}
	return calls
}

// exhibit returns what the judge is shown of a case.
func exhibit(c aaif.TestCase, out Case) policy.Exhibit {
	var steps strings.Builder
	for _, call := range out.Calls {
		fmt.Fprintf(&steps, "%s(%s)\n  answered: %s\n", call.Tool, call.Arguments, call.answer)
	}
	return policy.Exhibit{Input: textOf(c.Input), Expected: textOf(c.Expected), Criteria: c.Criteria, Steps: steps.String(), Output: out.Output}
}

// textOf returns a value as a text: a text itself, anything else as JSON, "" for nothing.
func textOf(v canon.Value) string {
	switch v.Type() {
	case canon.TypeUndefined:
		return ""
	case canon.TypeString:
		return v.Text()
	}
	return string(v.AppendCanonical(nil))
}
