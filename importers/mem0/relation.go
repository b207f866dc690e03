package mem0

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// relation is an edge of the graph.
type relation struct {
	value           canon.Value
	source, is, end string
}

// sentence expresses the relation in words.
func (r relation) sentence() string { return r.source + " " + r.is + " " + r.end }

// relationIn reads an edge (MEM0-5).
func relationIn(c *codec.Checker) relation {
	if !c.IsObject(ruleRelation) {
		return relation{}
	}
	end := "target"
	if !c.Value.Has(end) {
		end = "destination"
	}
	return relation{value: c.Value, source: c.Required(ruleRelation, "source"), is: c.Required(ruleRelation, "relationship"), end: c.Required(ruleRelation, end)}
}
