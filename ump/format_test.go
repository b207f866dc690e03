package ump_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ownerKey is the key whose seed is 32 times 7.
func ownerKey(t testing.TB) *keys.Private {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return &key
}

func TestFormat(t *testing.T) {
	t.Run("UMP-1-6 JSON keeps every promise, whatever comes in", func(t *testing.T) { codectest.Run(t, ump.Format()) })
}

func TestMarkdownFormat(t *testing.T) {
	note := &fstest.MapFile{Data: []byte(sampleNote)}
	suite := codectest.Suite{
		Format:   ump.MarkdownFormat(),
		FreeText: true,
		Sign:     func(r memory.Record) (memory.Record, error) { return ump.Author(r, ownerKey(t)) },
		Folder:   fstest.MapFS{"a.ump.md": note, "b/c.ump.md": note},
	}
	t.Run("UMP-1-6 Markdown keeps every promise, whatever comes in", suite.Run)
}

const sampleNote = `---
ump: "0.1"
id: urn:ump:9f2c
kind: procedural
scope: { owner: did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z, project: github.com/example/garden, visibility: private }
time: { observed: 2026-06-04T09:58:00Z, valid_from: 2026-06-04T00:00:00Z }
provenance: { actor_kind: user, method: user_correction }
---

Always close the gate before dusk.
`
