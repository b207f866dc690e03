package aaif

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Kind is a kind of document.
type Kind string

// The kinds: the four documents of section 2, and registries (section 10).
const (
	AgentKind    Kind = "agent"
	StateKind    Kind = "agent-state"
	ManifestKind Kind = "platform-manifest"
	ReportKind   Kind = "conformance-report"
	RegistryKind Kind = "registry"
)

// kinds lists the kinds.
func kinds() []Kind { return []Kind{AgentKind, StateKind, ManifestKind, ReportKind, RegistryKind} }

// Document is a document as it was received.
type Document struct {
	Kind  Kind
	Value canon.Value
}

// KindOf tells the kind of a document from its content; "" means none (AAIF-2-1).
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

// checkHint warns if a document names the schema of another kind.
func checkHint(d Document) []*codec.ParseError {
	const member = "x-sc-schema"
	hint := d.Value.Get(member)
	if hint.Type() == canon.TypeUndefined || strings.HasSuffix("/"+hint.Text(), "/"+string(d.Kind)+".schema.json") {
		return nil
	}
	return []*codec.ParseError{warning(HintMismatch, "2-1", "/"+member, "names another schema than that of the document, which is of type %s", d.Kind)}
}

// NewID returns an id for an agent, a state or a run: a random UUID (RFC 9562, version 4).
func NewID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return uuidText(b), nil
}

// DerivedID returns the UUID of a text, the same for the same text (RFC 9562, version 8).
func DerivedID(text string) string {
	sum := sha256.Sum256([]byte(text))
	b := [16]byte(sum[:])
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return uuidText(b)
}

func uuidText(b [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
