package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Name returns the URN under which a record leaves: that of the chunk it came
// from, as long as its text is the one that came, or its alias; otherwise the one
// from its id. Of two records with one name the caller gives the younger
// [Mapper.URN] instead.
func (m Mapper) Name(r memory.Record) URN {
	origin := m.Origin(r)
	switch {
	case origin == "":
		return m.URN(r.ID)
	case m.OriginIDs, namespaceOf(origin) == m.Namespace:
		return origin
	}
	return m.Alias(origin)
}

// Origin returns the URN of the chunk that a record came from, as long as its text
// is the one that came, and "" otherwise.
func (m Mapper) Origin(r memory.Record) URN {
	if s, ok := sourceOf(r); ok && s.sameText {
		return s.id
	}
	return ""
}

// compose returns the chunk of a record with its whole text, without embedding and x_ump.
// It takes the members of the original chunk that agree with the record, and the others
// from the record (mapping section 3).
func compose(r memory.Record, name URN) canon.Value {
	seen := recordValues(r)
	s, ok := sourceOf(r)
	if !ok {
		v := seen.With("id", canon.String(string(name))).With("content", canon.String(r.Body.Text))
		return v.With("content_hash", canon.String(textHash(r.Body.Text)))
	}
	v, _ := codec.Reconcile(s.chunk, expectedValues(s.chunk), seen)
	v = v.With("id", canon.String(string(name))).With("content", canon.String(r.Body.Text))
	switch {
	case !s.sameText:
		v = v.With("content_hash", canon.String(textHash(r.Body.Text))).Without("embedding").Without(memberOrigin)
	case name != s.id && OriginURN(v) == "":
		v = v.With(memberOrigin, canon.String(string(s.id)))
	}
	return v
}

// recordValues returns the values of a record that its chunk contains, without id and
// text.
func recordValues(r memory.Record) canon.Value {
	structured := codec.Structured(r)
	kind := typeOf(r.Kind)
	if said := MemoryType(structured.Get("memory_type").Text()); said.known() {
		kind = said
	}
	tags := structured.Get("tags")
	if !areTags(tags) {
		tags = canon.Value{}
	}
	return chunkValues(kind, zoneOf(r.Lifecycle.Salience), tags, FormatInstant(r.Time.Created))
}

// expectedValues returns the recordValues of the record that a chunk becomes.
func expectedValues(chunk canon.Value) canon.Value {
	tags := chunk.Get("tags")
	if isAbsent(tags) {
		tags = canon.Value{}
	}
	created, _ := instantOf(chunk.Get("created_at").Text())
	kind := typeOf(kindOf(MemoryType(chunk.Get("memory_type").Text())))
	return chunkValues(kind, Zone(chunk.Get("zone").Text()), tags, FormatInstant(created))
}

func chunkValues(kind MemoryType, zone Zone, tags canon.Value, created string) canon.Value {
	var o object
	o.text("memory_type", string(kind))
	o.text("zone", string(zone))
	o.add("tags", tags)
	o.text("created_at", created)
	return o.value()
}

// StoredChunk returns a record that is here as a chunk, to be compared with
// Conversion.Chunk (decision AD-16): the whole text, its hash, and no x_ump or embedding.
func (m Mapper) StoredChunk(r memory.Record) Chunk { return chunkFrom(compose(r, m.Name(r))) }

// Protected reports whether no background job may change, demote or remove a record
// (mapping section 7, decision AD-27): its chunk is of a DNA-class type, or pinned.
func Protected(r memory.Record) bool { return chunkFrom(compose(r, "")).Protected() }
