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
	aLink    // an edge without a fact
	aText    // a fact alone
	aRequest // an episode as Zep takes it
	aHolder  // a session, a user or a result: others are in it
)

// shape returns the kind of an item by its members.
func shape(v canon.Value) kind {
	switch {
	case v.Type() == canon.TypeString:
		return aText
	case isResult(v):
		return aHolder
	case v.Has("fact"):
		return anEdge
	case v.Has("source_node_uuid"):
		return aLink
	case v.Has("content"):
		return anEpisode
	case v.Has("data") && (v.Has("type") || v.Has("data_type")):
		return aRequest
	case v.Has("name"):
		return aNode
	case isHolder(v):
		return aHolder
	}
	return nothing
}

// isMessage reports whether an episode is a message, which need not have an id where
// somebody wrote it for Zep to take.
func isMessage(v canon.Value) bool { return v.Has("role") || v.Has("role_type") }

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
	case aRequest:
		return "data"
	}
	return "summary"
}

// withRest adds the other members of an item to its record.
func (d *document) withRest(c *codec.Checker, r memory.Record) memory.Record {
	if shape(c.Value) == aText {
		return r
	}
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
	return codec.WithResidue(r, d.Rules.Format, rest)
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
