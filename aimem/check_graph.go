package aimem

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// edge checks section 2.4, except for whether its ends are in the bundle.
func (j *recordChecker) edge(v canon.Value) {
	j.text(v, "source_id", "AIMEM-2.4-1")
	j.text(v, "target_id", "AIMEM-2.4-1")
	if t, ok := j.text(v, "edge_type", "AIMEM-2.4-2"); ok && !isEdgeType(t) {
		j.violation(InvalidEdgeType, "AIMEM-2.4-2", "is none of hebbian, semantic, temporal, causal and x-…", "edge_type")
	}
	if w, ok := j.member(v, "weight"); ok {
		j.weight(w)
	}
	j.createdAt(v)
}

// isEdgeType reports whether t is one of the four types of edges, or an extension.
func isEdgeType(t string) bool { return oneOf(t, "hebbian", "semantic", "temporal", "causal") }

func (j *recordChecker) weight(v canon.Value) {
	switch {
	case v.Type() != canon.TypeNumber:
		j.violation(InvalidType, "AIMEM-2.4-3", "is no number", "weight")
	case v.Float() < 0 || v.Float() > 1:
		j.violation(EdgeWeightOutOfRange, "AIMEM-2.4-3", "is not from 0 to 1", "weight")
	}
}

// entity checks section 2.5.
func (j *recordChecker) entity(v canon.Value) {
	j.urn(v, "AIMEM-2.5-2")
	if name, ok := j.text(v, "name", "AIMEM-2.5-3"); ok && name == "" {
		j.violation(EmptyEntityName, "AIMEM-2.5-3", "is empty", "name")
	}
	if kind, ok := j.text(v, "kind", "AIMEM-2.5-4"); ok && !oneOf(kind, "person", "organization", "place", "technology", "concept") {
		j.violation(InvalidEntityKind, "AIMEM-2.5-4", "is none of person, organization, place, technology, concept and x-…", "kind")
	}
	j.createdAt(v)
}

// oneOf reports whether s is one of known, or an extension (decision AD-11).
func oneOf(s string, known ...string) bool {
	return slices.Contains(known, s) || strings.HasPrefix(s, "x-") && len(s) > len("x-")
}
