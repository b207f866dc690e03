package engram

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Name is the format's name in errors and in the residue of records.
const Name = "engram"

// ReadOptions bound the input. The zero value is safe for input from a stranger.
type ReadOptions struct {
	Bytes     int64  // most bytes; 0: 32 MiB
	Depth     int    // most nesting; 0: 64
	Supported string // the reader's version; empty: [Version]
}

const defaultBytes = 32 << 20

func (o ReadOptions) canon() canon.Options {
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	return canon.Options{Bytes: o.Bytes, Depth: o.Depth}
}

// Parse reads an export as far as a reader may. A broken rule that readers tolerate is a
// warning, and so is a later draft. The error is a [*codec.ParseError]; errors.As finds a
// [*Fault] in it when the version is not supported. Parse verifies nothing: see [Verify].
func Parse(raw []byte, o ReadOptions) (Document, []Violation, error) {
	v, err := canon.Parse(raw, o.canon())
	if err != nil {
		return Document{}, nil, notJSON(err)
	}
	found, err := readWarnings(v, o.Supported)
	if err != nil {
		return Document{}, nil, err
	}
	return readDocument(v), found, nil
}

// readWarnings returns the warnings about an export, or why a reader cannot read it.
func readWarnings(v canon.Value, supported string) ([]Violation, error) {
	newer, err := CheckVersion(v.Get("engram_version").Text(), supported)
	if err != nil {
		return nil, &codec.ParseError{Format: Name, Path: "/engram_version", Rule: "ENGRAM-3.10-1", Err: err}
	}
	found := check(v, false)
	for _, f := range found {
		if !f.Warning {
			return nil, &codec.ParseError{Format: Name, Path: f.Pointer, Rule: f.Rule, Err: errors.New(f.Message)}
		}
	}
	if newer {
		found = append(found, Violation{Pointer: "/engram_version", Rule: "ENGRAM-3.10-2", Warning: true,
			Message: "the export is of a later draft; what is new in it is ignored"})
	}
	return found, nil
}

// notJSON says where a text is not JSON that can be signed.
func notJSON(err error) error {
	p := &codec.ParseError{Format: Name, Rule: "ENGRAM-3.8-3", Err: err}
	if c, ok := errors.AsType[*canon.Error](err); ok {
		p.Path = c.Pointer
		if c.Kind == canon.DuplicateMember {
			p.Rule = "ENGRAM-3.2-24"
			p.Err = fmt.Errorf("duplicate key: %w", err)
		}
	}
	return p
}

func readDocument(v canon.Value) Document {
	d := readEnvelope(v)
	d.Identity = ReadIdentity(v.Get("identity"))
	d.Beliefs = listOf(v.Get("beliefs"), ReadBelief)
	d.Evolution = listOf(v.Get("evolution"), ReadChange)
	d.Corrections = listOf(v.Get("corrections"), ReadCorrection)
	d.Constraints = listOf(v.Get("constraints"), ReadConstraint)
	return d
}

// readEnvelope reads the members around the core objects.
func readEnvelope(v canon.Value) Document {
	return Document{
		Version:    v.Get("engram_version").Text(),
		Schema:     v.Get("schema").Text(),
		IssuedAt:   instant(v.Get("issued_at")),
		ExpiresAt:  instant(v.Get("expires_at")),
		Kid:        v.Get("kid").Text(),
		Issuer:     readIssuer(v.Get("issuer")),
		Subject:    readSubject(v.Get("subject")),
		Scope:      Scope(v.Get("scope").Text()),
		Definition: readDefinition(v.Get("scope_definition")),
		Signature:  readSignature(v.Get("signature")),
		Value:      v,
	}
}

// Encode writes an export. A document that was read keeps its order, unknown members and
// numbers, with later changes applied; any other is canonical. Encode writes the signature
// as it stands; the signature covers no change.
func Encode(d Document) ([]byte, error) {
	if d.Version == "" {
		return nil, errors.New("write the export: it has no engram_version")
	}
	v := d.Wire()
	if d.Value.Type() == canon.TypeObject {
		return v.Append(nil), nil
	}
	return v.AppendCanonical(nil), nil
}

// Wire returns the document as written (section 3.2).
func (d Document) Wire() canon.Value {
	v := written(d, d.Value, readEnvelope, Document.envelope, Document.same)
	received := d.Value.Type() == canon.TypeObject
	v = v.With("identity", d.Identity.Wire())
	v = withArray(v, "beliefs", d.Beliefs, !received)
	v = withArray(v, "evolution", d.Evolution, !received)
	v = withArray(v, "corrections", d.Corrections, !received)
	v = withArray(v, "constraints", d.Constraints, false)
	return withArray(v, memberConsents, d.Consents, false)
}

// withArray adds a list; it adds a nil list only when must is set.
func withArray[T interface{ Wire() canon.Value }](v canon.Value, name string, list []T, must bool) canon.Value {
	if list == nil && !must {
		return v
	}
	return v.With(name, arrayOf(list))
}

// envelope returns the members around the core objects.
func (d Document) envelope() canon.Value {
	var o object
	o.must("engram_version", d.Version)
	o.may("schema", d.Schema)
	o.time("issued_at", d.IssuedAt)
	o.time("expires_at", d.ExpiresAt)
	o.may("kid", d.Kid)
	o.add("issuer", d.Issuer.Wire())
	o.add("subject", d.Subject.wire())
	o.must("scope", string(d.Scope))
	if d.Definition != nil {
		o.add("scope_definition", d.Definition.Wire())
	}
	o.add("signature", d.Signature.wire())
	return o.value()
}

// wire returns the signature in its shape; undefined: there is none.
func (s Signature) wire() canon.Value {
	switch {
	case s.Object:
		var o object
		o.may("kid", s.Kid)
		o.may("algorithm", s.Algorithm)
		o.must("value", s.Value)
		return o.value()
	case s.Value == "":
		return canon.Value{}
	}
	return canon.String(s.Value)
}
