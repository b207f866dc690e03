package aimem

import (
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// edgePrefix begins the types of edges that relations of other types become.
const edgePrefix = "x-ump-"

// The types of edges that no relation makes.
const (
	edgeSupersedes = edgePrefix + "supersedes"
	edgeContinues  = edgePrefix + "continues" // joins the parts of a long text
)

// EdgeType returns the type of edge that a type of relation becomes: itself, if it
// may be one (section 2.4).
func EdgeType(relation string) string {
	if isEdgeType(relation) {
		return relation
	}
	return edgePrefix + relation
}

// RelationType returns the type of relation that becomes an edge of a type, and
// false where none does: edges that say what a record supersedes or join the parts
// of a text come from something else, and no relation has a type that is longer than
// [maxRelationType].
func RelationType(edge string) (string, bool) {
	kind := edge
	if bare, ours := strings.CutPrefix(edge, edgePrefix); ours && bare != "" && !isEdgeType(bare) {
		kind = bare
	}
	return kind, edge != edgeSupersedes && edge != edgeContinues && kind != "" && len(kind) <= maxRelationType
}

// Joins reports whether an edge joins a part of a text with the next.
func (e Edge) Joins() bool {
	first, n, ok := e.Target.PartOf()
	return ok && e.Type == edgeContinues && e.Source == first.Part(n-1)
}

// EntityTarget is the target of a relation to the entity of a name.
func EntityTarget(name string) string { return entityPrefix + name }

// EntityName returns the name of the entity that a relation leads to, and false for
// one that leads to something else.
func EntityName(r memory.Relation) (string, bool) { return strings.CutPrefix(r.Target, entityPrefix) }
