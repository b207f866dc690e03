package graphiti

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// kind is the kind of an item.
type kind int

const (
	nothing kind = iota
	anEdge
	anEpisode
	aNode
	aLink // an edge without a fact
)

// shape returns the kind of an item by its members.
func shape(v canon.Value) kind {
	switch {
	case v.Has("fact"):
		return anEdge
	case v.Has("source_node_uuid"):
		return aLink
	case v.Has("content"):
		return anEpisode
	case v.Has("name"):
		return aNode
	}
	return nothing
}

// uuidMember returns the name of an item's id member, which has an underscore in Zep's own
// types.
func uuidMember(v canon.Value) string {
	if !v.Has("uuid") && v.Has("uuid_") {
		return "uuid_"
	}
	return "uuid"
}

func uuidOf(v canon.Value) string { return v.Get(uuidMember(v)).Text() }

// textMember returns the member that a record's text holds.
func (k kind) textMember() string {
	switch k {
	case anEdge:
		return "fact"
	case anEpisode:
		return "content"
	}
	return "summary"
}

// withRest adds the other members of an item to its record.
func (d *document) withRest(c *codec.Checker, r memory.Record) memory.Record {
	rest := c.Value.Without(shape(c.Value).textMember())
	for _, m := range rest.Members() {
		switch {
		case strings.HasSuffix(m.Name, "_embedding"):
			if m.Value.Type() == canon.TypeArray {
				c.Drop(canon.Pointer(m.Name), lossVector)
			}
			rest = rest.Without(m.Name)
		case slices.Contains([]string{"score", "relevance"}, m.Name):
			if m.Value.Type() == canon.TypeNumber {
				c.Drop(canon.Pointer(m.Name), lossScore)
			}
			rest = rest.Without(m.Name)
		}
	}
	return codec.WithResidue(r, formatName, rest)
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
