package storetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// empty is the file of a new store, made by the first test of a process that needs one.
var empty struct {
	sync.Mutex
	bytes []byte
}

// PutFile puts the file of a new store at path, unless a file is there. The file is a
// copy of the one that create made for the first test that asked. Copying it is many
// times as fast as creating the tables. Create must be the same for all tests of a
// process, and close the store that it opens.
func PutFile(t testing.TB, path string, create func(path string) error) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	empty.Lock()
	defer empty.Unlock()
	if empty.bytes == nil {
		first := filepath.Join(t.TempDir(), "first.db")
		must(t, create(first))
		made, err := os.ReadFile(first)
		must(t, err)
		empty.bytes = made
	}
	must(t, os.WriteFile(path, empty.bytes, 0o600))
}
