package topology

import (
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// Handoffs are the handoffs of a definition. They are safe for concurrent use.
type Handoffs struct {
	all        []aaif.Handoff
	conditions []*condition.Condition
}

// NewHandoffs returns the handoffs of a definition. The error is a *codec.ParseError: a
// condition cannot be read.
func NewHandoffs(c *condition.Compiler, d aaif.Definition) (*Handoffs, error) {
	h := &Handoffs{}
	for i, one := range d.Agent.Orchestration.Handoffs {
		compiled, err := c.Compile(one.Condition.Value, handoffPointer(i))
		if err != nil {
			return nil, err
		}
		one.Target = named(d, one.Target)
		h.all, h.conditions = append(h.all, one), append(h.conditions, compiled)
	}
	return h, nil
}

func handoffPointer(i int) string {
	return "/agent/orchestration/handoff/" + strconv.Itoa(i) + "/condition"
}

// Turn is a turn of an agent.
type Turn struct {
	Input     canon.Value // the run's
	Output    string      // what the agent said
	Message   string      // what it answered
	Variables canon.Value // an object or undefined
}

// After returns the first handoff, in declared order, whose condition is satisfied after a
// turn; false if none is (AAIF-4.3-18). Its target has the name that [Members] gives it. A
// condition in words is never satisfied (decision R18). The intent of a turn is the member
// intent of its output.
func (h *Handoffs) After(t Turn) (aaif.Handoff, bool, []Note) {
	if len(h.all) == 0 {
		return aaif.Handoff{}, false, nil
	}
	output := structuredText(t.Output)
	payload := condition.ForHandoff{Input: structured(t.Input), Output: output, Message: canon.String(t.Message), Variables: t.Variables}
	if intent := output.Get("intent"); intent.Type() == canon.TypeString {
		payload.Intent = intent
	}
	value := payload.Value()
	var notes []Note
	for i, c := range h.conditions {
		d := c.Decide(condition.Handoff, value, condition.Policy{})
		if n, ok := noteOf(handoffPointer(i), c, d); ok {
			notes = append(notes, n)
		}
		if d.Satisfied {
			return h.all[i], true, notes
		}
	}
	return aaif.Handoff{}, false, notes
}

// PassesMemory reports whether every handoff of a definition to an agent passes its memory on.
func PassesMemory(d aaif.Definition, name string) bool {
	passes := false
	for _, one := range d.Agent.Orchestration.Handoffs {
		if named(d, one.Target) == name {
			if passes = one.PassMemory; !passes {
				return false
			}
		}
	}
	return passes
}
