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

// Code tells violations apart.
type Code string

// The codes of what may be wrong with a document.
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
	SignerChanged      Code = "SIGNER_CHANGED" // of the definitions of an agent: not vouched for as the one before
)

// The codes of what a description of OpenAPI may keep a tool from (section 4.4).
const (
	OpenAPIVersionUnsupported Code = "OPENAPI_VERSION_UNSUPPORTED"
	ToolAuthMissing           Code = "TOOL_AUTH_MISSING" // it asks for another one than the tool has
)

// The codes of what may be wrong with taking in a definition (section 7).
const (
	AgentDeprecated         Code = "AGENT_DEPRECATED"
	HeldToMore              Code = "HELD_TO_MORE"    // of a subagent: than by its own definition
	HookUnresolved          Code = "HOOK_UNRESOLVED" // no hook of that name is registered
	UnsatisfiedCapabilities Code = "UNSATISFIED_CAPABILITIES"
	NegotiationStale        Code = "NEGOTIATION_STALE"   // the manifest has expired
	SubagentUnresolved      Code = "SUBAGENT_UNRESOLVED" // no definition of it is kept
	ToolUnbound             Code = "TOOL_UNBOUND"        // no function of that name is registered
)

// The codes of what may be wrong with moving a run from platform to platform (sections
// 8.1 to 8.3).
const (
	AgentUnknown       Code = "AGENT_UNKNOWN"
	BadFrame           Code = "BAD_FRAME"
	EnvelopeIncomplete Code = "ENVELOPE_INCOMPLETE"
	FrameTooLarge      Code = "FRAME_TOO_LARGE"
	PIIRejected        Code = "PII_REJECTED"
	PrincipalMismatch  Code = "PRINCIPAL_MISMATCH"
	ProtocolError      Code = "PROTOCOL_ERROR"
	StateLeft          Code = "STATE_LEFT" // another platform has it, and goes on with the run
	StateTransition    Code = "STATE_TRANSITION"
	TokenAudience      Code = "TOKEN_AUDIENCE"
	TokenBinding       Code = "TOKEN_BINDING"
	TokenExpired       Code = "TOKEN_EXPIRED"
	TokenInvalid       Code = "TOKEN_INVALID"
	TokenReplayed      Code = "TOKEN_REPLAYED"
)

// Fault is what is wrong: the Err of a [codec.ParseError] of this room.
type Fault struct {
	Code Code
	Text string // for people; repeats of a document no more than [Shown] lets through
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

// CodeOf returns the code of an error of this room, and "" of any other.
func CodeOf(err error) Code {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Code
	}
	return ""
}

// Violation makes a violation of a rule, given without its "AAIF-", at a pointer of a
// document in the format of that name.
func Violation(format string, code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return &codec.ParseError{Format: format, Path: pointer, Rule: "AAIF-" + rule, Err: &Fault{Code: code, Text: fmt.Sprintf(text, args...)}}
}

// fault makes a violation in a document of this format.
func fault(code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return Violation(format, code, rule, pointer, text, args...)
}

// warning is a fault that leaves the document valid.
func warning(code Code, rule, pointer, text string, args ...any) *codec.ParseError {
	p := fault(code, rule, pointer, text, args...)
	p.Warning = true
	return p
}

// Refused reports whether violations make a document invalid: whether one of them is no
// warning.
func Refused(found []*codec.ParseError) bool {
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

// mostShown is how many characters of a text are shown.
const mostShown = 40

// Shown returns a word of a document as it may stand in a sentence for people: without
// what no terminal shows, and no longer than 40 characters.
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

// mostViolations bounds how many violations are reported of a document.
const mostViolations = 1000

// branch holds violations of a value and of what it holds.
type branch struct {
	found []*codec.ParseError
	inner map[string]*branch
}

// ordered returns violations as the document has what they are about, and no more than
// mostViolations, of which warnings give way first. What is missing comes after what is
// there.
func ordered(v canon.Value, found []*codec.ParseError) []*codec.ParseError {
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
	return shortened(root.list(v, make([]*codec.ParseError, 0, len(found))))
}

// shortened leaves out what is too much, and says how much that is.
func shortened(sorted []*codec.ParseError) []*codec.ParseError {
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

// list appends the violations of a branch, which is about v.
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
