package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Kind is a type of document.
type Kind string

// The kinds: the four documents of section 2, and the registries of section 10.
const (
	AgentKind    Kind = "agent"
	StateKind    Kind = "agent-state"
	ManifestKind Kind = "platform-manifest"
	ReportKind   Kind = "conformance-report"
	RegistryKind Kind = "registry"
)

// kinds lists the kinds.
func kinds() []Kind { return []Kind{AgentKind, StateKind, ManifestKind, ReportKind, RegistryKind} }

// Document is one document as received.
type Document struct {
	Kind  Kind
	Value canon.Value
}

// KindOf tells the kind of a document from its content, and "" of what is none
// (AAIF-2-1).
func KindOf(v canon.Value) Kind {
	switch {
	case v.Has("agent"):
		return AgentKind
	case v.Has("state_id"):
		return StateKind
	case v.Has("platform") && v.Has("claims"):
		return ReportKind
	case v.Has("platform"):
		return ManifestKind
	case v.Has("registry") && v.Has("entries"):
		return RegistryKind
	}
	return ""
}

// hinted returns the warning that a document says to be of another kind than it is.
func hinted(d Document) []*codec.ParseError {
	const member = "x-sc-schema"
	hint := d.Value.Get(member)
	if hint.Type() == canon.TypeUndefined || strings.HasSuffix("/"+hint.Text(), "/"+string(d.Kind)+".schema.json") {
		return nil
	}
	return []*codec.ParseError{warning(HintMismatch, "2-1", "/"+member, "names another schema than that of the document, which is of type %s", d.Kind)}
}
