package aimem

import (
	"bytes"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestFormat runs what every format has to stand.
func TestFormat(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	codectest.Suite{
		Format:  Format(ump.Forms()),
		Options: codec.Options{Owner: testOwner},
		Documents: []codectest.Document{
			{Name: "a bundle of another's", Data: plainBundle(t)},
		},
		Sign: func(r memory.Record) (memory.Record, error) {
			r.Scope.Owner = key.DID()
			return ump.Author(r, &key)
		},
	}.Run(t)
}

// plainBundle is a bundle that knows nothing of records.
func plainBundle(t testing.TB) []byte {
	t.Helper()
	b := bundle(t, []byte(`{"format":"aimem-bundle","version":"1","producer":"prod-a","tenant_id":"11111111-1111-1111-1111-111111111111",
		"exported_at":"2026-06-12T10:00:00Z","scope":"FULL","x_note":1.0,
		"chunks":[{"id":"urn:aimem:prod-a:1","content":"Uses tabs.","memory_type":"preference","zone":"important","is_pinned":true,"tags":["b","a"],"created_at":"2026-04-01T09:30:00.000Z","x_ump":{"mine":1}},
			{"id":"urn:aimem:prod-a:2","content":"Lives in Leipzig.","memory_type":"fact","created_at":"2026-04-02T09:30:00+00:00"}],
		"edges":[{"source_id":"urn:aimem:prod-a:1","target_id":"urn:aimem:prod-a:2","edge_type":"x-custom-rel","weight":0.5,"created_at":"2026-04-15T08:00:00Z"}],
		"entities":[{"id":"urn:aimem:prod-a:e1","name":"Leipzig","kind":"place","created_at":"2026-04-01T09:30:00Z"},{"id":"urn:aimem:prod-a:e2","name":"nobody","kind":"person","created_at":"2026-04-01T09:30:00Z"}],
		"chunk_entities":[{"chunk_id":"urn:aimem:prod-a:2","entity_id":"urn:aimem:prod-a:e1"}]}`))
	var out bytes.Buffer
	if err := Write(&out, b, b.sum(t)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
