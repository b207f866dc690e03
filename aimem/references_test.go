package aimem

import (
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// TestTies: only so many ends are held, and an end is found in records of any place.
func TestTies(t *testing.T) {
	link := Link{Chunk: "urn:aimem:garden:1", Entity: "urn:aimem:garden:rose"}
	r := record{kind: linkRecord, value: link.value(), at: 7}
	var few referenceList
	few.add(r)
	few.add(record{kind: chunkRecord, value: canon.Object()})
	var chunks, entities ids
	chunks.add("urn:aimem:garden:0", 1)
	chunks.add(link.Chunk, 2)
	entities.add(link.Entity, 3)
	chunks.sort()
	rank, _ := chunks.rank(link.Chunk)
	if found, ok := incidenceOf(few.links, chunks, entities); !ok || len(found) != 1 || found[0] != (incident{uint32(rank), 7}) {
		t.Errorf("found %v, %v", found, ok)
	}
	if _, ok := incidenceOf(few.links, chunks, chunks); ok {
		t.Error("an end that is in no record was found")
	}
	var many referenceList
	for range maxReferences + 1 {
		many.add(r)
	}
	if !many.overflow || len(many.links) != 0 {
		t.Errorf("%d are held", len(many.links))
	}
}
