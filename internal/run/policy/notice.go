package policy

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Codes of the events that a run reports, besides those of package condition.
const (
	EventViolation  = "constraint_violation"        // what was said breaks a constraint
	eventUnjudged   = "constraint.unjudged"         // the judge could not say whether it does
	eventUnenforced = "constraint.unenforced"       // neither rule nor judge: the model is told, and that is all
	EventInjection  = "context.injection_suspected" // data that speaks to the model
	eventCut        = "context.cut"                 // longer than what is read of an entry
	eventStale      = "context.stale"               // could not be read again; what was read before stands
	eventMissing    = "context.unavailable"
	eventPersonal   = "pii.detected"
	eventDisabled   = "feature.disabled"
	eventHook       = "hook.unresolved"
	eventStatus     = "agent.status" // a draft, or deprecated
)

// Notice is something that a run reports and that does not stop it.
type Notice struct {
	Event   string // such as "constraint_violation", or an event of package condition
	Pointer string // into the definition; "" for what is not part of it
	Text    string // for people; quotes nobody's data
}

// String returns the notice in one line.
func (n Notice) String() string {
	if n.Pointer == "" {
		return n.Event + ": " + n.Text
	}
	return n.Event + " " + n.Pointer + ": " + n.Text
}

// fault returns a violation of a requirement at a pointer of a definition.
func fault(code aaif.Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return aaif.Violation("aaif", code, rule, pointer, text, args...)
}
