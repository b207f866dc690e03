package mcpmemory

import "github.com/satchel-memory/satchel/canon"

// Entity is a line of type "entity": a node of the graph.
type Entity struct {
	Name         string         // "name"
	Type         string         // "entityType"
	Observations []string       // "observations"
	Rest         []canon.Member // what else the line says
}

// Relation is a line of type "relation": an edge, in active voice.
type Relation struct {
	From string         // "from"
	To   string         // "to"
	Type string         // "relationType"
	Rest []canon.Member // what else the line says
}

// item is one entity or relation and where it stands.
type item struct {
	place    place
	entity   *Entity
	relation *Relation
}
