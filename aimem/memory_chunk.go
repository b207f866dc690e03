package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// name: see [Mapper.Name].
func (m Mapper) name(r memory.Record) URN {
	origin := m.origin(r)
	switch {
	case origin == "":
		return m.URN(r.ID)
	case m.OriginIDs, namespaceOf(origin) == m.Producer:
		return origin
	}
	return m.Alias(origin)
}

// origin: see [Mapper.Origin].
func (m Mapper) origin(r memory.Record) URN {
	if s, ok := sourceOf(r); ok && s.sameText {
		return s.id
	}
	return ""
}

// compose returns the chunk of a record, with the whole of its text and without
// embedding and x_ump: what it came from, where that still says what the record
// says, and what the record says, where it does not (mapping section 3).
func compose(r memory.Record, name URN) canon.Value {
	seen := seenOf(r)
	s, ok := sourceOf(r)
	if !ok {
		v := seen.With("id", canon.String(string(name))).With("content", canon.String(r.Body.Text))
		return v.With("content_hash", canon.String(textHash(r.Body.Text)))
	}
	v, _ := codec.Reconcile(s.chunk, seenAgain(s.chunk), seen)
	v = v.With("id", canon.String(string(name))).With("content", canon.String(r.Body.Text))
	switch {
	case !s.sameText:
		v = v.With("content_hash", canon.String(textHash(r.Body.Text))).Without("embedding").Without(memberOrigin)
	case name != s.id && CameFrom(v) == "":
		v = v.With(memberOrigin, canon.String(string(s.id)))
	}
	return v
}

// seenOf returns what of a record shows in a chunk, but for its id and text.
func seenOf(r memory.Record) canon.Value {
	structured := codec.Structured(r)
	kind := typeOf(r.Kind)
	if said := MemoryType(structured.Get("memory_type").Text()); said.known() {
		kind = said
	}
	tags := structured.Get("tags")
	if !areTags(tags) {
		tags = canon.Value{}
	}
	return seen(kind, zoneOf(r.Lifecycle.Salience), tags, FormatInstant(r.Time.Created))
}

// seenAgain returns what would show in a chunk of the record that is made of one.
func seenAgain(chunk canon.Value) canon.Value {
	tags := chunk.Get("tags")
	if isAbsent(tags) {
		tags = canon.Value{}
	}
	created, _ := instantOf(chunk.Get("created_at").Text())
	kind := typeOf(kindOf(MemoryType(chunk.Get("memory_type").Text())))
	return seen(kind, Zone(chunk.Get("zone").Text()), tags, FormatInstant(created))
}

func seen(kind MemoryType, zone Zone, tags canon.Value, created string) canon.Value {
	var o object
	o.text("memory_type", string(kind))
	o.text("zone", string(zone))
	o.add("tags", tags)
	o.text("created_at", created)
	return o.value()
}

// standing: see [Mapper.Standing].
func (m Mapper) standing(r memory.Record) Chunk { return chunkFrom(compose(r, m.name(r))) }

// Protected reports whether no background job may change, demote or remove a record
// (mapping section 7, decision AD-27): what it says as a chunk is of a DNA-class
// type, or pinned.
func Protected(r memory.Record) bool { return chunkFrom(compose(r, "")).Protected() }
