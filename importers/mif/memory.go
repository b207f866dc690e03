package mif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// kindOf returns the kind of a memory by its type.
func kindOf(memoryType string) memory.Kind {
	switch strings.ToLower(memoryType) {
	case "conversation", "error", "code_edit", "file_access", "search", "command", "episodic":
		return memory.Episodic
	case "pattern", "procedural":
		return memory.Procedural
	case "task", "intention", "working":
		return memory.Working
	case "identity":
		return memory.Identity
	}
	return memory.Semantic
}

// memory makes a record of a memory (MIF-3).
func (d *document) memory(c *codec.Checker) []memory.Record {
	if !c.IsObject(ruleMemory) {
		return nil
	}
	id, text := c.Required(ruleMemory, "id"), c.Text(ruleMemory, "content")
	r := d.Draft(kindOf(c.Name(ruleMemory, "memory_type")), text, d.provider, "memory/"+id)
	if c.Value.Get("created_at").Type() != canon.TypeString {
		c.Required(ruleMemory, "created_at")
		return nil
	}
	r.Time.Created = c.Instant(ruleMemory, "created_at")
	if updated := c.Instant(ruleMemory, "updated_at"); updated.After(r.Time.Created) {
		r.Time.Observed = updated
	}
	scope(c, &r)
	codec.Tag(&r, c.Names(ruleMemory, "tags")...)
	for _, e := range c.Objects(ruleMemory, "entities") {
		codec.About(&r, e.Required(ruleMemory, "name"))
	}
	residue := c.Value.Without("content")
	if vendors, ok := d.vendors[id]; ok {
		residue = residue.With("vendor_extensions", vendors)
	}
	switch {
	case !d.once(c, ruleMemory, r.Provenance.Source.Ref):
	case strings.TrimSpace(text) == "":
		c.Drop("", lossBlank)
		return nil
	}
	if v := residue.Get("embeddings"); v.Has("vector") {
		c.Drop("/embeddings/vector", lossVector)
		residue = residue.With("embeddings", v.Without("vector"))
	}
	return []memory.Record{codec.WithResidue(r, formatName, residue)}
}

// scope reads the agent and the session of a memory.
func scope(c *codec.Checker, r *memory.Record) {
	r.Scope.Agent = c.Name(ruleMemory, "agent_id")
	source, ok := c.Object(ruleMemory, "source")
	if !ok {
		return
	}
	r.Scope.Session = source.Name(ruleMemory, "session_id")
	if agent := source.Name(ruleMemory, "agent_name"); r.Scope.Agent == "" {
		r.Scope.Agent = agent
	}
}
