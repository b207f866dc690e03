package codec

import (
	"bytes"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// carrier is the member in which a UMP record travels inside JSON formats: the residue of
// the opposite direction. Residue never contains it, or it would grow with every
// conversion.
const carrier = "x_ump"

// residueNames are the members of body.structured that hold residue: one per format, and
// satchel for the vault's own notes about a record.
var residueNames = [...]string{
	"aimem", "engram", "aicf", "mcpmemory", "claudecode", "paste", "engramgo", "chatgpt", "claudeai", "gemini", "mem0", "openmemory",
	"letta", "graphiti", "mcpmemoryservice", "basicmemory", "obsidian", "pam", "mif", "aaif", "cursor", "windsurf", "copilot", "cline", "zep", "deepseek", "satchel",
}

// IsResidue reports whether a member of body.structured is residue: a copy of the record in
// the words of another format. Code that removes data from a record must look for it there,
// too.
func IsResidue(member string) bool { return slices.Contains(residueNames[:], member) }

// Residue returns the data of the named format that the model has no field for, as r
// carries it in body.structured, and whether r carries any.
func Residue(r memory.Record, format string) (canon.Value, bool) {
	if !Mentions(r, format) {
		return canon.Value{}, false
	}
	v := Structured(r).Get(format)
	return v, v.Type() != canon.TypeUndefined
}

// HasResidue reports whether r carries residue of the named format. It parses
// body.structured only if another member comes first.
func HasResidue(r memory.Record, format string) bool {
	if bytes.HasPrefix(r.Body.Structured, []byte(`{"`+format+`":`)) {
		return true
	}
	_, ok := Residue(r, format)
	return ok
}

// Mentions reports whether r's body.structured may contain a member with this name, of
// plain letters, at any depth. It is cheaper than parsing. It may say yes by mistake, for a
// text or an escape that looks like the member; a no is always right.
func Mentions(r memory.Record, member string) bool {
	s := r.Body.Structured
	return bytes.Contains(s, []byte(`"`+member+`"`)) || bytes.IndexByte(s, '\\') >= 0
}

// WithResidue returns a copy of r with v as its residue of the named format, instead of any
// older residue. The undefined Value removes the residue, and the whole object if that
// leaves it empty. WithResidue removes members named x_ump from v at any depth: residue
// never nests. It does not touch a body.structured that is not an object, since that is the
// author's.
//
// It panics if [IsResidue] does not know the format: redaction would overlook such residue,
// and hidden data would leave with it.
func WithResidue(r memory.Record, format string, v canon.Value) memory.Record {
	if !IsResidue(format) {
		panic("codec: " + format + " is not among the names of residue; add it to residueNames")
	}
	s := Structured(r)
	if s.Type() != canon.TypeObject && len(r.Body.Structured) > 0 {
		return r
	}
	had := s.Has(format)
	if hasCarrier(v) {
		v = withoutCarrier(v)
	}
	s = s.With(format, v)
	switch {
	case s.Len() > 0:
		r.Body.Structured = s.Append(nil)
	case had:
		r.Body.Structured = nil
	}
	return r
}

// Structured returns a record's body.structured, or the undefined Value if there is none or
// it is not JSON. No limit applies, since the reader of the record has checked the size.
func Structured(r memory.Record) canon.Value {
	if len(r.Body.Structured) == 0 {
		return canon.Value{}
	}
	v, err := canon.Parse(r.Body.Structured, canon.Options{Bytes: math.MaxInt64, Depth: math.MaxInt, Inexact: true})
	if err != nil {
		return canon.Value{} // not JSON, so it holds no residue
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

// hasCarrier reports whether a value contains the carrier at any depth.
func hasCarrier(v canon.Value) bool {
	return slices.ContainsFunc(v.Items(), hasCarrier) ||
		slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return m.Name == carrier || hasCarrier(m.Value) })
}
