package policy

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// Gate says which calls wait for a person (section 4.9). It is safe for concurrent use.
type Gate struct {
	needed bool
	every  bool // all calls that write wait: a definition has no trigger
	when   []trigger
}

// trigger is one condition on which calls wait.
type trigger struct {
	*condition.Condition
	err error // it cannot be compiled
}

// NewGate returns the gate of an agent and of the agents it works for: a call waits if one
// of them makes it wait (AAIF-4.9-17, AAIF-12-6). A trigger that cannot be compiled makes
// every write wait, as one that fails does (AAIF-4.9-15).
func NewGate(c *condition.Compiler, own aaif.Definition, over ...aaif.Definition) *Gate {
	g := &Gate{}
	for _, d := range append([]aaif.Definition{own}, over...) {
		s := aaif.RulesOf(d.Agent).Supervision
		if !s.Needed {
			continue
		}
		g.needed, g.every = true, g.every || len(s.Triggers) == 0
		for _, one := range s.Triggers {
			compiled, err := c.Compile(one.Value, "/agent/compliance/human_in_the_loop/trigger")
			g.when = append(g.when, trigger{compiled, err})
		}
	}
	return g
}

// Verdict says whether a call waits for a person.
type Verdict struct {
	Ask   bool
	Why   string // for the person, in one line; empty: nobody is asked
	Event string // the code of an event that the run must report, "" for none; condition.EventHint once only
}

// Judge decides whether a call waits (decision R14). A call of a tool that is not proven
// to be read-only writes (AAIF-4.9-13). Where no trigger is given, every write waits
// (AAIF-4.9-14). A trigger that says yes makes any call wait; one that is in words, or
// fails, makes every write wait (AAIF-4.9-15). confidence is the model's, a number from 0
// to 1, or undefined; variables are the run's.
//
// A call whose arguments were guessed ([aaif.Call]) waits if it writes, whatever the
// triggers say: nobody knows what was meant.
func (g *Gate) Judge(call aaif.Call, protocol aaif.Protocol, nature aaif.ToolNature, confidence, variables canon.Value) Verdict {
	if !g.needed {
		return Verdict{}
	}
	var v Verdict
	ask := func(yes bool, why string) {
		if yes && !v.Ask {
			v.Ask, v.Why = true, why
		}
	}
	writes := !nature.ReadOnly
	args := call.Arguments
	if args.Type() == canon.TypeUndefined {
		args = canon.Object()
	}
	payload := condition.ForApproval{Tool: call.Tool, Protocol: string(cmp.Or(protocol, aaif.FunctionTool)), Args: args, Confidence: confidence, Variables: variables}.Value()
	for _, t := range g.when {
		yes, sure, why, event := t.decide(payload)
		ask(yes && (sure || writes), why)
		v.Event = cmp.Or(v.Event, event)
	}
	ask(writes && call.Guessed, "its arguments were not kept, so that nobody knows what the call was")
	ask(writes && g.every, "it may write, and every call that may write needs approval")
	return v
}

// decide decides a trigger. sure says that the expression decided, and did not fail.
func (t trigger) decide(payload canon.Value) (yes, sure bool, why, event string) {
	if t.err != nil {
		return true, false, "it may write, and the condition on which people are asked cannot be read", condition.EventError
	}
	d := t.Decide(condition.Approval, payload, condition.Policy{})
	switch d.Reason {
	case condition.ByExpression, condition.ByAbsence:
		why = shown(t.String())
	case condition.ByHint:
		why = "it may write, and the definition says in words when people are asked: " + shown(t.String())
	default:
		why = "it may write, and the condition on which people are asked could not be decided: " + shown(t.String())
	}
	return d.Satisfied, d.IsDecided(), why, d.Event()
}
