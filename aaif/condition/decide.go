package condition

import "github.com/satchel-memory/satchel/canon"

// Reason says what a decision rests on.
type Reason string

// The reasons.
const (
	ByExpression Reason = "expression" // the expression was evaluated
	ByAbsence    Reason = "absent"     // there is no condition
	ByHint       Reason = "hint"       // the condition is in words
	ByFailure    Reason = "error"      // the expression failed
	ByLanguage   Reason = "unsupported"
)

// Policy says what becomes of conditions in words, which nothing here reads.
type Policy struct {
	// DenyHints: a condition in words is never satisfied. False: it is for When
	// and Filter, and never for Handoff. An approval is asked for in any case.
	DenyHints bool
}

// Decision is what a condition came to at its site.
type Decision struct {
	Site Site
	// Satisfied: the subagent takes part, the run is handed over, the event
	// counts; for Approval: the action waits for approval.
	Satisfied bool
	Reason    Reason
	NL        string // what the condition was to mean, for logs (AAIF-5-11)
	Err       error  // an *[Error] where Reason is ByFailure or ByLanguage
}

// Codes of events that a decision asks for.
const (
	EventHint  = "portability.string_condition" // once per site and run (AAIF-5-14)
	EventError = "condition.error"              // (AAIF-5-19)
)

// Event returns the code of the event that a run reports for the decision, "" for none.
func (d Decision) Event() string {
	switch d.Reason {
	case ByHint:
		return EventHint
	case ByFailure, ByLanguage:
		return EventError
	}
	return ""
}

// Decide decides the condition for its site. What fails is unsatisfied, and
// opens no gate: an approval is waited for unless an expression says, without
// failing, that none is needed (AAIF-4.9-15).
func (c *Condition) Decide(site Site, payload canon.Value, policy Policy) Decision {
	d := Decision{Site: site, NL: c.NL}
	switch {
	case c.IsZero():
		d.Reason, d.Satisfied = ByAbsence, site != Handoff
		return d
	case c.Hint != "":
		d.Reason = ByHint
		d.Satisfied = site == Approval || site != Handoff && !policy.DenyHints
		return d
	case c.program == nil:
		d.Reason, d.Err = ByLanguage, c.undecided()
	default:
		d.Reason = ByExpression
		d.Satisfied, d.Err = c.on(payload)
		if d.Err != nil {
			d.Reason = ByFailure
		}
	}
	d.Satisfied = d.Satisfied || d.Err != nil && site == Approval
	return d
}

// on evaluates on a payload, which always and never do not look at (AAIF-5-10).
func (c *Condition) on(payload canon.Value) (bool, error) {
	if c.Lang == Always || c.Lang == Never {
		return c.Eval(Payload{})
	}
	p, err := NewPayload(payload, c.limits)
	if err != nil {
		return false, err
	}
	return c.Eval(p)
}
