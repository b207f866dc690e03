package ump

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// shape lists the members of an object of the specification, in the order of new
// records (decision UD-28).
type shape []string

// The objects of section 2.
var (
	recordShape = shape{
		"ump", "id", "kind", "scope", "time", "lifecycle", "supersedes", "superseded_by",
		"relations", "provenance", "consent", "integrity", "body",
	}
	bodyShape       = shape{"text", "structured"}                                         // section 2
	scopeShape      = shape{"owner", "user", "project", "agent", "session", "visibility"} // section 2.2
	timeShape       = shape{"created", "observed", "valid_from", "valid_to"}              // section 2.3
	lifecycleShape  = shape{"confidence", "salience", "decay", "status"}                  // section 2.4
	relationShape   = shape{"type", "target"}                                             // section 2.5
	provenanceShape = shape{"actor", "actor_kind", "method", "source", "evidence"}        // section 2.6
	sourceShape     = shape{"ref", "provider"}                                            // section 2.6
	evidenceShape   = shape{"ref", "weight"}                                              // section 2.6
	consentShape    = shape{"retention", "exportable", "redact"}                          // section 2.7
	integrityShape  = shape{"content_hash", "signature", "signer"}                        // section 2.8
)

// place returns the position of a member in its object, after all known members if the
// specification does not know it.
func (s shape) place(name string) int {
	if i := slices.Index(s, name); i >= 0 {
		return i
	}
	return len(s)
}

// ordered returns a record with its members in the order of new records, unknown
// members last.
func ordered(v canon.Value) canon.Value {
	members := make([]canon.Member, 0, len(recordShape))
	for _, name := range recordShape {
		if m := v.Get(name); m.Type() != canon.TypeUndefined {
			members = append(members, canon.Member{Name: name, Value: m})
		}
	}
	for _, m := range v.Members() {
		if recordShape.place(m.Name) == len(recordShape) {
			members = append(members, m)
		}
	}
	return canon.Object(members...)
}

// part is an object of a record or of a request: the member that holds it, alone or in
// an array, and the members that it may have. An object that no part lists may have
// members of any name.
type part struct {
	name string
	shape
	parts []part
}

func recordPart() part { return part{shape: recordShape, parts: parts()} }

func parts() []part {
	return []part{
		{"scope", scopeShape, nil}, {"time", timeShape, nil}, {"lifecycle", lifecycleShape, nil},
		{"provenance", provenanceShape, []part{{"source", sourceShape, nil}, {"evidence", evidenceShape, nil}}},
		{"consent", consentShape, nil}, {"integrity", integrityShape, nil}, {"body", bodyShape, nil},
		{"relations", relationShape, nil},
	}
}

// unknownMembers calls found with every member that the part does not name, and with
// the part and pointer of the object around it.
func (p part) unknownMembers(v canon.Value, base string, found func(in part, base string, m canon.Member)) {
	for _, m := range v.Members() {
		if p.place(m.Name) == len(p.shape) {
			found(p, base, m)
		}
	}
	for _, inner := range p.parts {
		at := base + "/" + inner.name
		held := v.Get(inner.name)
		inner.unknownMembers(held, at, found)
		for i, item := range held.Items() {
			inner.unknownMembers(item, at+"/"+strconv.Itoa(i), found)
		}
	}
}
