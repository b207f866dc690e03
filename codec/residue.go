package codec

import (
	"bytes"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// carrier is the member in which a UMP record travels inside the JSON formats:
// the residue of the other direction. Residue that kept it would grow with every
// conversion.
const carrier = "x_ump"

// residueNames are the members of body.structured that hold residue: one per
// format, and satchel for what the vault itself notes beside a record.
var residueNames = [...]string{
	"aimem", "engram", "aicf", "mcpmemory", "claudecode", "paste", "engramgo", "chatgpt", "claudeai", "gemini", "mem0", "openmemory",
	"letta", "graphiti", "mcpmemoryservice", "basicmemory", "obsidian", "pam", "mif", "aaif", "satchel",
}

// IsResidue reports whether a member of body.structured is residue: the record
// once more, as another format said it. Whoever takes something out of a record
// has to look for it there, too.
func IsResidue(member string) bool { return slices.Contains(residueNames[:], member) }

// Residue returns what the named format said and the model has no field for, as
// r carries it in body.structured, and whether it carries any.
func Residue(r memory.Record, format string) (canon.Value, bool) {
	v := Structured(r).Get(format)
	return v, v.Type() != canon.TypeUndefined
}

// Mentions reports whether a member of this name, of plain letters, may stand anywhere
// in r's body.structured. It costs less than reading that, and is wrong in one way only:
// a text or an escape may look like one.
func Mentions(r memory.Record, member string) bool {
	s := r.Body.Structured
	return bytes.Contains(s, []byte(`"`+member+`"`)) || bytes.IndexByte(s, '\\') >= 0
}

// WithResidue returns r with v as its residue of the named format, in place of
// any it had; the undefined Value takes the residue away, and an object that is
// left empty by that goes too. Members named x_ump are taken out of v wherever
// they are: residue never nests. A body.structured that is not an object is the
// author's and is left alone. r itself does not change.
//
// The format is one that [IsResidue] knows, or WithResidue panics: residue that
// redaction does not know would leave with what was to be hidden.
func WithResidue(r memory.Record, format string, v canon.Value) memory.Record {
	if !IsResidue(format) {
		panic("codec: " + format + " is not among the names of residue; add it to residueNames")
	}
	s := Structured(r)
	if s.Type() != canon.TypeObject && len(r.Body.Structured) > 0 {
		return r
	}
	had := s.Has(format)
	s = s.With(format, withoutCarrier(v))
	switch {
	case s.Len() > 0:
		r.Body.Structured = s.Append(nil)
	case had:
		r.Body.Structured = nil
	}
	return r
}

// Structured returns a record's body.structured; undefined: there is none, or it is no JSON.
// It was bounded when the record was read, so no limit applies here.
func Structured(r memory.Record) canon.Value {
	if len(r.Body.Structured) == 0 {
		return canon.Value{}
	}
	v, err := canon.Parse(r.Body.Structured, canon.Options{Bytes: math.MaxInt64, Depth: math.MaxInt, Inexact: true})
	if err != nil {
		return canon.Value{} // not JSON: it holds no residue
	}
	return v
}

func withoutCarrier(v canon.Value) canon.Value {
	switch v.Type() {
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, withoutCarrier(item))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		members := make([]canon.Member, 0, v.Len())
		for _, m := range v.Members() {
			if m.Name != carrier {
				members = append(members, canon.Member{Name: m.Name, Value: withoutCarrier(m.Value)})
			}
		}
		return canon.Object(members...)
	}
	return v
}
