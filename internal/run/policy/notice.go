package policy

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Event is the code of what a run reports. The codes of package condition are events, too.
type Event string

// The events of this package.
const (
	EventViolation  Event = "constraint_violation"        // what was said breaks a constraint
	EventUnjudged   Event = "constraint.unjudged"         // the judge could not say whether it does
	EventUnenforced Event = "constraint.unenforced"       // neither rule nor judge: the model is told, and that is all
	EventInjection  Event = "context.injection_suspected" // data that speaks to the model
	EventCut        Event = "context.cut"                 // longer than what is read of an entry
	EventStale      Event = "context.stale"               // could not be read again; what was read before stands
	EventMissing    Event = "context.unavailable"
	EventPersonal   Event = "pii.detected"
	EventDisabled   Event = "feature.disabled"
	EventHook       Event = "hook.unresolved"
	EventStatus     Event = "agent.status" // a draft, or deprecated
)

// Notice is something that a run reports and that does not stop it.
type Notice struct {
	Event   Event
	Pointer string // into the definition; "" for what is not part of it
	Text    string // for people; quotes nobody's data
}

// String returns the notice in one line.
func (n Notice) String() string {
	if n.Pointer == "" {
		return string(n.Event) + ": " + n.Text
	}
	return string(n.Event) + " " + n.Pointer + ": " + n.Text
}

// fault returns a violation of a requirement at a pointer of a definition.
func fault(code aaif.Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return aaif.Violation("aaif", code, rule, pointer, text, args...)
}

// rulesOf returns the rules that bind an agent: its own, and those of the agents it works
// for (AAIF-4.3-26, AAIF-12-6).
func rulesOf(own aaif.Definition, over []aaif.Definition) aaif.Rules {
	rules := aaif.RulesOf(own.Agent)
	for _, d := range over {
		rules = rules.WithParent(aaif.RulesOf(d.Agent))
	}
	return rules
}
