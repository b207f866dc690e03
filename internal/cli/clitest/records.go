package clitest

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Authored makes signed records, created at the given nanoseconds after one
// instant.
func Authored(t *testing.T, key keys.Private, after ...int) []memory.Record {
	t.Helper()
	out := make([]memory.Record, len(after))
	for i, ns := range after {
		var err error
		out[i], err = ump.Author(memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("fact %d", i)},
			Scope:      memory.Scope{Owner: key.DID(), Visibility: memory.Private},
			Time:       memory.Times{Created: time.Date(2026, 3, 1, 12, 0, 0, ns, time.UTC)},
			Provenance: &memory.Provenance{Actor: string(key.DID()), ActorKind: memory.ByUser, Method: "test"},
		}, &key)
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// NewOwner makes the key of an owner.
func NewOwner(t *testing.T) keys.Private {
	t.Helper()
	key, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
