package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/storetest"
	"github.com/satchel-memory/satchel/memory"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store {
		return &checked{Store: openSealed(t, filepath.Join(t.TempDir(), "satchel.db"), secretOf), t: t}
	})
}

// checked is a store that is sound whenever a test of the suite is done with it.
type checked struct {
	*Store
	t testing.TB
}

func (c *checked) Close() error {
	select {
	case <-c.closing:
	default:
		found, err := c.Check(context.Background()) // the test's own has ended
		must(c.t, err)
		if len(found) > 0 {
			c.t.Errorf("found %q", found)
		}
	}
	return c.Store.Close()
}

func TestDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	storetest.Durable(t, func(t testing.TB) store.Store { return open(t, path) })
}

// open opens a store that closes with its test.
func open(t testing.TB, path string) *Store {
	t.Helper()
	return openSealed(t, path, nil)
}

// create creates a store that nobody has open.
func create(path string) error {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// openSealed opens a store with secrets.
func openSealed(t testing.TB, path string, secret func(memory.DID) []byte) *Store {
	t.Helper()
	storetest.PutFile(t, path, create)
	s, err := Open(t.Context(), path, Options{Seal: secret})
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

func TestTampered(t *testing.T) {
	racing.Skip(t)
	storetest.Tampered(t, func(t testing.TB) storetest.Files {
		path := filepath.Join(t.TempDir(), "satchel.db")
		return storetest.Files{
			Open:   func(t testing.TB, secret func(memory.DID) []byte) store.Store { return openSealed(t, path, secret) },
			Change: func(t testing.TB, query string) { statement(t, path, query) },
		}
	})
}
