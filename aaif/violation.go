package aaif

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "aaif"

// Code is the machine-readable kind of a violation.
type Code string

// The codes of violations in a document.
const (
	NotJSON            Code = "NOT_JSON"
	DuplicateKey       Code = "DUPLICATE_KEY"
	TooLarge           Code = "TOO_LARGE" // or nested too deep
	UnknownType        Code = "UNKNOWN_TYPE"
	HintMismatch       Code = "HINT_MISMATCH"
	SchemaViolation    Code = "SCHEMA"
	Unregistered       Code = "UNREGISTERED"
	RegisteredOnly     Code = "REGISTERED_ONLY"
	RegistryDeprecated Code = "REGISTRY_DEPRECATED"
	VersionUnsupported Code = "VERSION_UNSUPPORTED"
	VersionNewer       Code = "VERSION_NEWER"
	IntegerInexact     Code = "INTEGER_INEXACT"
	CBORKeyType        Code = "CBOR_KEY_TYPE"
	CBORNotJSON        Code = "CBOR_NOT_JSON"
	InlineSecret       Code = "INLINE_SECRET"
	ChecksumMismatch   Code = "CHECKSUM_MISMATCH"
	SignatureInvalid   Code = "SIGNATURE_INVALID"
	SignatureUntrusted Code = "SIGNATURE_UNTRUSTED"
	SignatureMissing   Code = "SIGNATURE_MISSING"
	SignerChanged      Code = "SIGNER_CHANGED" // another signer than the agent's previous definition, or none
)

// The codes of OpenAPI descriptions that cannot become tools (section 4.4).
const (
	OpenAPIVersionUnsupported Code = "OPENAPI_VERSION_UNSUPPORTED"
	ToolAuthMissing           Code = "TOOL_AUTH_MISSING" // the description requires another authentication than the tool has
)

// The codes of definitions that cannot be accepted (section 7).
const (
	AgentDeprecated         Code = "AGENT_DEPRECATED"
	HeldToMore              Code = "HELD_TO_MORE"    // a subagent gets stricter rules than its own
	HookUnresolved          Code = "HOOK_UNRESOLVED" // no hook of that name is registered
	UnsatisfiedCapabilities Code = "UNSATISFIED_CAPABILITIES"
	NegotiationStale        Code = "NEGOTIATION_STALE"   // the manifest has expired
	SubagentUnresolved      Code = "SUBAGENT_UNRESOLVED" // no definition of the subagent is kept
	ToolUnbound             Code = "TOOL_UNBOUND"        // no function of that name is registered
)

// The codes of failures in moving a run between platforms (sections 8.1 to 8.3).
const (
	AgentUnknown       Code = "AGENT_UNKNOWN"
	BadFrame           Code = "BAD_FRAME"
	EnvelopeIncomplete Code = "ENVELOPE_INCOMPLETE"
	FrameTooLarge      Code = "FRAME_TOO_LARGE"
	PIIRejected        Code = "PII_REJECTED"
	PrincipalMismatch  Code = "PRINCIPAL_MISMATCH"
	ProtocolError      Code = "PROTOCOL_ERROR"
	StateLeft          Code = "STATE_LEFT" // another platform has the state and goes on with the run
	StateTransition    Code = "STATE_TRANSITION"
	TokenAudience      Code = "TOKEN_AUDIENCE"
	TokenBinding       Code = "TOKEN_BINDING"
	TokenExpired       Code = "TOKEN_EXPIRED"
	TokenInvalid       Code = "TOKEN_INVALID"
	TokenReplayed      Code = "TOKEN_REPLAYED"
)

// The codes of what keeps a run from starting, or ends it (sections 3, 4 and 4.9).
const (
	ApprovalMismatch      Code = "APPROVAL_MISMATCH"     // the call is not the one that was approved
	ApprovalRejected      Code = "APPROVAL_REJECTED"     // a person refused the call
	ApprovalTimeout       Code = "APPROVAL_TIMEOUT"      // nobody answered in time: the call is refused
	AuditUnavailable      Code = "AUDIT_UNAVAILABLE"     // the audit log cannot be written
	BudgetExceeded        Code = "BUDGET_EXCEEDED"       // the run has used as much as it may
	Cancelled             Code = "CANCELLED"             // by a person
	ConcurrencyLimit      Code = "CONCURRENCY_LIMIT"     // as many runs of the agent are executed as its definition allows
	ConstraintViolation   Code = "CONSTRAINT_VIOLATION"  // what a model said or asked for breaks a constraint
	ConstraintUnenforced  Code = "CONSTRAINT_UNENFORCED" // nothing can tell whether a constraint is kept
	ContextDenied         Code = "CONTEXT_DENIED"        // a context entry outside of what the operator lets be read
	ContextUnavailable    Code = "CONTEXT_UNAVAILABLE"   // a context entry that cannot be read
	InputSchemaViolation  Code = "INPUT_SCHEMA_VIOLATION"
	MaxIterations         Code = "MAX_ITERATIONS_EXCEEDED"
	ModelBadRequest       Code = "MODEL_BAD_REQUEST" // a provider refuses the request, as any other would
	ModelUnreadable       Code = "MODEL_ANSWER_UNREADABLE"
	OutcomeUnknown        Code = "TOOL_OUTCOME_UNKNOWN" // the call may have taken effect, or not
	OutputSchemaViolation Code = "OUTPUT_SCHEMA_VIOLATION"
	RunTimeout            Code = "RUN_TIMEOUT"
	SchemaUnusable        Code = "SCHEMA_UNUSABLE" // a schema to which nothing can be held
	ToolSaysNo            Code = "TOOL_ERROR"      // the tool answers that it failed
)

// Fault is the Err of a [codec.ParseError] of this package.
type Fault struct {
	Code Code
	Text string // for people; quotes a document only through [Shown]
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

// CodeOf returns the code of an error of this package, "" for any other.
func CodeOf(err error) Code {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Code
	}
	return ""
}

// Violation returns the violation of a rule, named without its "AAIF-", at a pointer of a
// document. format is the name of the document's format.
func Violation(format string, code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return &codec.ParseError{Format: format, Path: pointer, Rule: "AAIF-" + rule, Err: &Fault{Code: code, Text: fmt.Sprintf(text, args...)}}
}

// fault returns a violation in a document of this format.
func fault(code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return Violation(format, code, rule, pointer, text, args...)
}

// warning returns a fault that leaves the document valid.
func warning(code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	p := fault(code, rule, pointer, text, args...)
	p.Warning = true
	return p
}

// HasErrors reports whether violations make a document invalid: at least one is no
// warning.
func HasErrors(found []*codec.ParseError) bool {
	return slices.ContainsFunc(found, func(p *codec.ParseError) bool { return !p.Warning })
}

// Errors returns the violations that are no warnings.
func Errors(found []*codec.ParseError) []*codec.ParseError {
	var list []*codec.ParseError
	for _, p := range found {
		if !p.Warning {
			list = append(list, p)
		}
	}
	return list
}

// mostShown is the most characters of a text that are shown.
const mostShown = 40

// Shown returns a word of a document for a sentence for people: without unprintable
// characters, and cut to 40 characters.
func Shown(word string) string {
	var b strings.Builder
	n := 0
	for _, r := range word {
		if !unicode.IsPrint(r) {
			continue
		}
		if n++; n == mostShown {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// mostViolations is the most violations that are reported of a document.
const mostViolations = 1000

// branch holds the violations of a value and of its members.
type branch struct {
	found []*codec.ParseError
	inner map[string]*branch
}

// sortViolations sorts violations in document order, with missing members after present
// ones. It returns at most mostViolations, and drops warnings first.
func sortViolations(v canon.Value, found []*codec.ParseError) []*codec.ParseError {
	root := &branch{}
	for _, p := range found {
		b := root
		for _, name := range steps(p.Path) {
			if b.inner[name] == nil {
				if b.inner == nil {
					b.inner = map[string]*branch{}
				}
				b.inner[name] = &branch{}
			}
			b = b.inner[name]
		}
		b.found = append(b.found, p)
	}
	return truncateViolations(root.list(v, make([]*codec.ParseError, 0, len(found))))
}

// truncateViolations drops the violations beyond the limit, and says how many.
func truncateViolations(sorted []*codec.ParseError) []*codec.ParseError {
	more := len(sorted) - mostViolations
	if more <= 0 {
		return sorted
	}
	kept := make([]*codec.ParseError, 0, mostViolations+1)
	over := more
	for i := len(sorted) - 1; i >= 0; i-- {
		if over > 0 && sorted[i].Warning {
			over--
			continue
		}
		kept = append(kept, sorted[i])
	}
	slices.Reverse(kept)
	if over > 0 {
		return append(kept[:mostViolations], fault(SchemaViolation, "4-1", "", "%d more", more))
	}
	return append(kept, warning(SchemaViolation, "4-1", "", "%d more, which are warnings", more))
}

// list appends the violations of a branch, which belong to v.
func (b *branch) list(v canon.Value, sorted []*codec.ParseError) []*codec.ParseError {
	slices.SortStableFunc(b.found, func(a, b *codec.ParseError) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Err.Error(), b.Err.Error()))
	})
	sorted = append(sorted, b.found...)
	visit := func(name string, v canon.Value) {
		if inner := b.inner[name]; inner != nil {
			delete(b.inner, name)
			sorted = inner.list(v, sorted)
		}
	}
	if len(b.inner) > 0 {
		for i, item := range v.Items() {
			visit(strconv.Itoa(i), item)
		}
		for _, m := range v.Members() {
			visit(m.Name, m.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.inner)) {
		visit(name, canon.Value{})
	}
	return sorted
}
