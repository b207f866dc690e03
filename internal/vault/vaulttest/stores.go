package vaulttest

import (
	"context"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// OpenPostgres is Open over a database of its own.
func OpenPostgres(t testing.TB) *House {
	t.Helper()
	url := pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })
	h := Over(t, "", func(seal func(memory.DID) []byte) store.Store {
		s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: seal})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
	h.URL = url
	return h
}

// Opener opens a fresh store of some kind.
type Opener func(testing.TB) *House

// OnEach runs a test over every kind of store. Under the race detector it runs over
// PostgreSQL only, if PostgreSQL is available. Without the detector both kinds run, unless
// PostgreSQL had its turn under the detector: see [racing.Ran].
func OnEach(t *testing.T, test func(*testing.T, Opener)) {
	t.Run("sqlite", func(t *testing.T) {
		if racing.Detector && pgtest.Available() {
			t.Skip("skipped under the race detector: PostgreSQL stands for it")
		}
		test(t, Open)
	})
	t.Run("postgres", func(t *testing.T) {
		racing.Ran(t)
		test(t, OpenPostgres)
	})
}
