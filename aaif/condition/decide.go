package condition

import "github.com/satchel-memory/satchel/canon"

// Reason says how a decision was made.
type Reason string

// The reasons.
const (
	ByExpression Reason = "expression" // by evaluating the expression
	ByAbsence    Reason = "absent"     // there was no condition
	ByHint       Reason = "hint"       // the condition was in words
	ByFailure    Reason = "error"      // the expression failed
	ByLanguage   Reason = "unsupported"
)

// Policy says how to decide conditions in words, which this package cannot read.
type Policy struct {
	// DenyHints makes every condition in words unsatisfied. Otherwise When and Filter are
	// satisfied by one, and Handoff is not. Approval is required in any case.
	DenyHints bool
}

// Decision is the result of a condition at its site.
type Decision struct {
	Site Site
	// Satisfied: the subagent takes part, the run is handed over, the event starts a run,
	// or, for Approval, the action waits for approval.
	Satisfied bool
	Reason    Reason
	NL        string // the intended meaning, for logs (AAIF-5-11)
	Err       error  // an *[Error] if Reason is ByFailure or ByLanguage
}

// Codes of the events that a decision causes.
const (
	EventHint  = "portability.string_condition" // once per site and run (AAIF-5-14)
	EventError = "condition.error"              // (AAIF-5-19)
)

// Event returns the code of the event that the run must report for the decision, "" for
// none.
func (d Decision) Event() string {
	switch d.Reason {
	case ByHint:
		return EventHint
	case ByFailure, ByLanguage:
		return EventError
	}
	return ""
}

// Decide decides the condition for its site. A condition that fails is unsatisfied and
// opens no gate: an approval is required unless the expression says, without failing,
// that none is needed (AAIF-4.9-15).
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

// on evaluates the condition on a payload, which always and never ignore (AAIF-5-10).
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
