package graphiti

import (
	"cmp"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// edge makes a record of a fact (GRAPHITI-3).
func (d *document) edge(c *codec.Checker, ref string) (memory.Record, bool) {
	fact := c.Text(ruleEdge, "fact")
	r := d.Draft(memory.Semantic, fact, d.Rules.Format, ref)
	alone := !c.Value.Has("source_node_uuid") && !c.Value.Has("target_node_uuid") // as Zep gives facts, at most with names
	for _, end := range []string{"source_node", "target_node"} {
		name, id := c.Name(ruleEdge, end+"_name"), ""
		if !alone {
			id = c.Required(ruleEdge, end+"_uuid")
		}
		codec.About(&r, cmp.Or(d.names[id], name))
	}
	for _, id := range c.Names(ruleEdge, "episodes") {
		r.Provenance.Evidence = append(r.Provenance.Evidence, memory.Evidence{Ref: "episode/" + id})
	}
	c.Name(ruleEdge, "name")
	r.Time = validity(c)
	if blank(fact) {
		c.Drop("", lossBlank)
	}
	return r, !blank(fact)
}

// validity reads when a fact became known, and its valid time.
func validity(c *codec.Checker) memory.Times {
	t := memory.Times{ValidFrom: c.Instant(ruleDate, "valid_at"), ValidTo: c.Instant(ruleDate, "invalid_at")}
	if expired := c.Instant(ruleDate, "expired_at"); t.ValidTo.IsZero() {
		t.ValidTo = expired
	}
	if !t.ValidTo.IsZero() && t.ValidFrom.After(t.ValidTo) {
		c.Drop("/valid_at", lossBegin)
		t.ValidFrom = time.Time{}
	}
	t.Created = c.Date(c.Instant(ruleDate, "created_at"))
	return t
}

// episode makes a record of an episode.
func (d *document) episode(c *codec.Checker, ref string) (memory.Record, bool) {
	text, speaker := c.Text(ruleItem, "content"), c.Name(ruleItem, "role")
	if name := c.Name(ruleItem, "name"); isMessage(c.Value) { // of an episode it is a title
		speaker = cmp.Or(name, speaker)
	}
	said := text
	if !blank(speaker) && !strings.HasPrefix(text, speaker) {
		said = speaker + ": " + text
	}
	r := d.Draft(memory.Episodic, said, d.Rules.Format, ref)
	r.Time.ValidFrom = c.Instant(ruleDate, "valid_at")
	r.Time.Created = c.Date(c.Instant(ruleDate, "created_at"))
	r.Scope.Session = c.Name(ruleItem, "thread_id")
	if session := c.Name(ruleItem, "session_id"); r.Scope.Session == "" {
		r.Scope.Session = session
	}
	if blank(text) {
		c.Drop("", lossBlank)
	}
	return r, !blank(text)
}
