package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	aimemsuite "github.com/satchel-memory/satchel/conformance/aimem"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// brainRow finds the rows that a mutant names.
var brainRow = regexp.MustCompile(`AIMEM-[0-9.]+-[0-9]+`)

// brainStore is a sound server that many mutants can stand before, one after another.
type brainStore struct {
	target  aimemsuite.Target
	handler http.Handler
	uses    int
}

// brainUses is how many mutants share a store: every one leaves chunks there, and makes exports longer.
const brainUses = 12

// brainStores hands stores to mutants that run in parallel. No two have one at a time.
type brainStores struct {
	parent *testing.T // outlives the mutants
	mu     sync.Mutex
	free   []*brainStore
}

func (s *brainStores) take() *brainStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		store := s.free[last]
		s.free = s.free[:last]
		return store
	}
	store := &brainStore{}
	store.target = brains(s.parent, server.Bundles{}, func(next http.Handler) http.Handler {
		store.handler = next
		return next
	})
	return store
}

func (s *brainStores) put(store *brainStore) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if store.uses++; store.uses < brainUses {
		s.free = append(s.free, store)
	}
}

// readersToken lets its bearer read, and neither export nor import.
func readersToken(t *testing.T, key keys.Private) string {
	t.Helper()
	token, err := ump.MintToken(ump.Claims{Issuer: key.DID(), Verbs: []memory.Verb{memory.ReadVerb}, ID: "reader", Expires: time.Now().Add(time.Hour)}, key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// sealedBundle returns a bundle of so many chunks.
func sealedBundle(chunks int) string {
	text := `{"format":"aimem-bundle","version":"1","producer":"elsewhere","tenant_id":"https://example.com/you","exported_at":"2026-06-12T10:00:00Z","scope":"FULL","edges":[],"entities":[],"chunk_entities":[],"chunks":[`
	for i := range chunks {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":"urn:aimem:elsewhere:%d","content":"Brought thing %d.","memory_type":"fact","created_at":"2026-04-01T09:30:00Z"}`, i, i)
	}
	v, err := canon.Parse([]byte(text+"]}"), canon.Options{})
	if err != nil {
		panic(err)
	}
	return string(resealed(v).Append(nil))
}

// resealed computes the checksum of a bundle anew.
func resealed(v canon.Value) canon.Value {
	v = v.Without("checksum")
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return v.With("checksum", canon.String("sha256:"+hex.EncodeToString(sum[:])))
}

func readReply(t *testing.T, got *http.Response) *reply {
	t.Helper()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Error(err)
	}
	return &reply{got.StatusCode, got.Header, body}
}
