package ump

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// relations reads section 2.5. It accepts every type.
func (d *decoder) relations(v canon.Value) []memory.Relation {
	var list []memory.Relation
	for i, item := range d.list(v, "", "relations", "UMP-2-23") {
		base := itemPointer("/relations", i)
		if !d.isObject(item, base, "UMP-2-23") {
			continue
		}
		list = append(list, memory.Relation{
			Type:   d.text(item, base, "type", "UMP-2-23"),
			Target: d.text(item, base, "target", "UMP-2-23"),
		})
	}
	return list
}

// provenance reads section 2.6.
func (d *decoder) provenance(v canon.Value) *memory.Provenance {
	p, ok := d.object(v, "", "provenance", "UMP-2.6-1")
	if !ok {
		return nil
	}
	out := &memory.Provenance{
		Actor:     d.text(p, "/provenance", "actor", "UMP-2.6-1"),
		ActorKind: memory.ActorKind(d.text(p, "/provenance", "actor_kind", "UMP-2.6-2")),
		Method:    d.text(p, "/provenance", "method", "UMP-2.6-1"),
	}
	if s, ok := d.object(p, "/provenance", "source", "UMP-2.6-1"); ok {
		out.Source = &memory.Source{
			Ref:      d.text(s, "/provenance/source", "ref", "UMP-2.6-1"),
			Provider: d.text(s, "/provenance/source", "provider", "UMP-2.6-1"),
		}
	}
	for i, item := range d.list(p, "/provenance", "evidence", "UMP-2.6-1") {
		base := itemPointer("/provenance/evidence", i)
		if !d.isObject(item, base, "UMP-2.6-1") {
			continue
		}
		if !item.Has("ref") {
			d.add("UMP-2.6-1", base+"/ref", "is missing; say what the evidence is")
		}
		out.Evidence = append(out.Evidence, memory.Evidence{
			Ref:    d.text(item, base, "ref", "UMP-2.6-1"),
			Weight: d.number(item, base, "weight", "UMP-2.6-6"),
		})
	}
	return out
}

// consent reads section 2.7.
func (d *decoder) consent(v canon.Value) *memory.Consent {
	c, ok := d.object(v, "", "consent", "UMP-2-25")
	if !ok {
		return nil
	}
	return &memory.Consent{
		Retention:  d.word(c, "/consent", "retention", "UMP-2.7-1"),
		Exportable: d.flag(c, "/consent", "exportable", "UMP-2.7-6"),
		Redact:     d.texts(c, "/consent", "redact", "UMP-2.7-5"),
	}
}

// integrity reads section 2.8.
func (d *decoder) integrity(v canon.Value) *memory.Integrity {
	i, ok := d.object(v, "", "integrity", "UMP-2.8-2")
	if !ok {
		return nil
	}
	return &memory.Integrity{
		ContentHash: d.text(i, "/integrity", "content_hash", "UMP-2.8-1"),
		Signature:   d.text(i, "/integrity", "signature", "UMP-2.8-2"),
		Signer:      memory.DID(d.text(i, "/integrity", "signer", "UMP-2.8-2")),
	}
}
