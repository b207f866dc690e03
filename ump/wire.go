package ump

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// shape lists the members of an object of the specification, in the order in
// which new records have them (decision UD-28).
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

// place returns where a member stands in its object, after all known members if
// the specification does not know it.
func (s shape) place(name string) int {
	if i := slices.Index(s, name); i >= 0 {
		return i
	}
	return len(s)
}

// ordered returns a record with its members in the order of new records, and
// unknown members last.
func ordered(v canon.Value) canon.Value {
	members := slices.Clone(v.Members())
	slices.SortStableFunc(members, func(a, b canon.Member) int {
		return recordShape.place(a.Name) - recordShape.place(b.Name)
	})
	return canon.Object(members...)
}

// unknown calls found with the pointer of every member of a record that the
// specification does not name. What lies in body.structured is free.
func unknown(v canon.Value, found func(pointer string)) {
	strangers(v, recordShape, "", found)
	for _, part := range parts() {
		strangers(v.Get(part.name), part.shape, "/"+part.name, found)
	}
	for i, item := range v.Get("relations").Items() {
		strangers(item, relationShape, "/relations/"+strconv.Itoa(i), found)
	}
	provenance := v.Get("provenance")
	strangers(provenance.Get("source"), sourceShape, "/provenance/source", found)
	for i, item := range provenance.Get("evidence").Items() {
		strangers(item, evidenceShape, "/provenance/evidence/"+strconv.Itoa(i), found)
	}
}

// part is a member of a record that is an object of a certain shape.
type part struct {
	name string
	shape
}

func parts() []part {
	return []part{
		{"scope", scopeShape}, {"time", timeShape}, {"lifecycle", lifecycleShape},
		{"provenance", provenanceShape}, {"consent", consentShape}, {"integrity", integrityShape}, {"body", bodyShape},
	}
}

func strangers(v canon.Value, s shape, base string, found func(pointer string)) {
	for _, m := range v.Members() {
		if s.place(m.Name) == len(s) {
			found(base + canon.Pointer(m.Name))
		}
	}
}
