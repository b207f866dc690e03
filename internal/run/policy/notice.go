package policy

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Codes of the errors of this package, besides those of package aaif. [aaif.CodeOf] finds
// them.
const (
	ApprovalMismatch      aaif.Code = "APPROVAL_MISMATCH"      // the call is not the one that was approved (4.9)
	ConstraintViolation   aaif.Code = "CONSTRAINT_VIOLATION"   // what the model said or asked for breaks a constraint (4.9)
	ConstraintUnenforced  aaif.Code = "CONSTRAINT_UNENFORCED"  // nothing here can tell whether a constraint is kept (3)
	ContextDenied         aaif.Code = "CONTEXT_DENIED"         // a context entry outside of what the operator lets be read (4)
	ContextUnavailable    aaif.Code = "CONTEXT_UNAVAILABLE"    // a context entry that cannot be read (4)
	InputSchemaViolation  aaif.Code = "INPUT_SCHEMA_VIOLATION" // (4)
	OutputSchemaViolation aaif.Code = "OUTPUT_SCHEMA_VIOLATION"
	SchemaUnusable        aaif.Code = "SCHEMA_UNUSABLE" // a schema to which nothing can be held (4)
)

// Codes of the events that a run reports, besides those of package condition.
const (
	EventViolation  = "constraint_violation"        // what was said breaks a constraint
	EventUnjudged   = "constraint.unjudged"         // the judge could not say whether it does
	EventUnenforced = "constraint.unenforced"       // neither rule nor judge: the model is told, and that is all
	EventInjection  = "context.injection_suspected" // data that speaks to the model
	EventCut        = "context.cut"                 // longer than what is read of an entry
	EventStale      = "context.stale"               // could not be read again; what was read before stands
	EventMissing    = "context.unavailable"
	EventPersonal   = "pii.detected"
	EventDisabled   = "feature.disabled"
	EventHook       = "hook.unresolved"
	EventStatus     = "agent.status" // a draft, or deprecated
)

// Notice is something that a run reports and that does not stop it.
type Notice struct {
	Event   string // one of the codes of this package or of package condition
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

// rulesOf returns the rules that bind an agent: its own, and those of the agents it works
// for (AAIF-4.3-26, AAIF-12-6).
func rulesOf(own aaif.Definition, over []aaif.Definition) aaif.Rules {
	rules := aaif.RulesOf(own.Agent)
	for _, d := range over {
		rules = rules.WithParent(aaif.RulesOf(d.Agent))
	}
	return rules
}
