package graphiti

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// node makes a record of an entity, or of a community of entities (GRAPHITI-4).
func (d *document) node(c *codec.Checker, id string, community bool) (memory.Record, bool) {
	name, summary := c.Required(ruleNode, "name"), c.Prose(ruleNode, "summary")
	labels := c.Names(ruleNode, "labels")
	community = community || slices.Contains(labels, "Community")
	labels = slices.DeleteFunc(labels, func(l string) bool { return blank(l) || l == "Entity" || l == "Community" })
	text, ref := name, "entity/"+id
	if community {
		ref = "community/" + id
	}
	if !blank(summary) {
		text += ": " + summary
	} else if len(labels) > 0 {
		text += " (" + strings.Join(labels, ", ") + ")"
	}
	r := d.Draft(memory.Semantic, text, d.Rules.Format, ref)
	r.Time.Created = c.Date(c.Instant(ruleDate, "created_at"))
	if community {
		codec.Tag(&r, "community")
	} else {
		codec.About(&r, name)
	}
	if text == name && c.Value.Get("attributes").Len() == 0 {
		c.Drop("", lossBare)
		return r, false
	}
	return r, true
}
