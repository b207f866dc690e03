package mcpmemory

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// entity is a line of type "entity": a node of the graph.
type entity struct {
	Name         string         // "name"
	Type         string         // "entityType"
	Observations []string       // "observations"
	Rest         []canon.Member // the line's other members
}

// relation is a line of type "relation": an edge, in active voice.
type relation struct {
	From string         // "from"
	To   string         // "to"
	Type string         // "relationType"
	Rest []canon.Member // the line's other members
}

// item is one entity or relation and its place.
type item struct {
	place    place
	name     string // for people
	entity   *entity
	relation *relation
	left     []*codec.ParseError // of the entity's observations that it cannot have
}
