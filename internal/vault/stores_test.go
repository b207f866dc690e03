package vault_test

import (
	"context"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// openPostgres is open over a database of its own.
func openPostgres(t testing.TB) *house {
	t.Helper()
	url := pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })
	h := over(t, "", func(seal func(memory.DID) []byte) store.Store {
		s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: seal})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
	h.url = url
	return h
}

// opener opens a fresh store of some kind.
type opener func(testing.TB) *house

// onEach runs a test over every kind of store; under the race detector over PostgreSQL
// where that is to be had: without the detector both have their turn.
func onEach(t *testing.T, test func(*testing.T, opener)) {
	t.Run("sqlite", func(t *testing.T) {
		if racing.Detector && pgtest.Available() {
			t.Skip("skipped under the race detector: PostgreSQL stands for it")
		}
		test(t, open)
	})
	t.Run("postgres", func(t *testing.T) { test(t, openPostgres) })
}

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
