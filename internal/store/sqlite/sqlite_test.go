package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store { return open(t, filepath.Join(t.TempDir(), "satchel.db")) })
}

func TestDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	storetest.Durable(t, func(t testing.TB) store.Store { return open(t, path) })
}

// open opens a store that closes with its test.
func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
