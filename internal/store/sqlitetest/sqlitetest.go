// Package sqlitetest opens embedded stores for tests.
package sqlitetest

import (
	"context"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/storetest"
)

// Open opens the store at path, or a new one where nothing is there. The caller closes it.
func Open(t testing.TB, path string, opt sqlite.Options) *sqlite.Store {
	t.Helper()
	storetest.PutFile(t, path, create)
	s, err := sqlite.Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// create creates a store that nobody has open.
func create(path string) error {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}
