package server_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpconform"
)

// subject is a server that conformance is tried on, perhaps with something in
// front of it.
type subject struct {
	vault  *vault.Vault
	target umpconform.Target
}

// stand serves a real vault at level 3; before, unless nil, stands before it.
func stand(t *testing.T, before func(http.Handler) http.Handler) subject {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "satchel.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	v := vault.New(vault.Options{
		Store: store, Release: "1.0.0", Bindings: []string{"mcp", "http", "file"}, Signed: true, Tokens: true, Owner: key.DID(), Via: "http",
		Key: func(did memory.DID) (keys.Private, bool) { return key, did == key.DID() },
	})
	s, err := server.New(server.Options{
		Backend: server.Over(v), Owner: key.DID(), Token: token, Release: "1.0.0", Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6, Public: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var handler http.Handler = s
	if before != nil {
		handler = before(s)
	}
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	owner := memory.Caller{Owner: key.DID(), Role: memory.Owner}
	return subject{v, umpconform.Target{
		URL: listening.URL, Token: token, Client: listening.Client(), Key: &key, Strict: true, Now: time.Now, Random: rand.Reader, Keep: true,
		Revoke: func(jti string) error { return v.RevokeToken(t.Context(), owner, jti) },
	}}
}

// TestConformance puts every requirement to the server.
func TestConformance(t *testing.T) {
	s := stand(t, nil)
	began := time.Now()
	var results []umpconform.Result
	summary, err := umpconform.Run(t.Context(), s.target, func(r umpconform.Result) { results = append(results, r) })
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(results, func(a, b umpconform.Result) int { return int(b.Took - a.Took) })
	for _, r := range results {
		if r.Outcome != umpconform.Pass {
			t.Log(r.Outcome, r.ID, r.Message)
		}
	}
	t.Log(summary.Level, summary.Counts, summary.Extra, time.Since(began))
	for _, r := range results[:8] {
		t.Log(r.ID, r.Took)
	}
	for _, r := range summary.Failed {
		t.Errorf("%s %s: %s", r.Outcome, r.ID, r.Message)
	}
}
