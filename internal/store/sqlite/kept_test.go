package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
)

// kept makes a store with the canary, migrates it, so that a copy is kept from
// before, and erases the canary.
func kept(t *testing.T) (s *Store, path, bak string) {
	t.Helper()
	path = planted(t)
	s, err := Open(t.Context(), path, Options{migrations: later(t, "CREATE TABLE more (a);")})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	update(t, s, canary{ada}.forget)
	found, err := filepath.Glob(path + ".v*.bak")
	if err != nil || len(found) != 1 || tracks(t, found[0]) == 0 {
		t.Fatal("no copy was kept: ", found, err)
	}
	return s, path, found[0]
}

// TestErasureAfterMigration expects the copy to go, and what a look into it left.
func TestErasureAfterMigration(t *testing.T) {
	racing.Skip(t)
	s, path, bak := kept(t)
	must(t, os.WriteFile(bak+"-wal", []byte(canaryWords[0]), 0o600))
	must(t, s.Compact(t.Context()))
	if left, _ := filepath.Glob(bak + "*"); len(left) > 0 || tracks(t, path) > 0 {
		t.Errorf("there are %v and %d traces", left, tracks(t, path))
	}
}

// TestErasureKeepsTheWayBack damages the migrated store: then the copy from before
// stays, is named, and the debt with it.
func TestErasureKeepsTheWayBack(t *testing.T) {
	racing.Skip(t)
	s, path, bak := kept(t)
	must(t, s.emptyLog(t.Context()))
	damage(t, path)
	err := s.Compact(t.Context())
	if !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), bak) || !exists(bak) {
		t.Errorf("with a damaged store and the copy there (%v): %v", exists(bak), err)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed {
		t.Errorf("owed: %v, %v", owed, err)
	}
}

// damage overwrites the last page of the store that has cells with others.
func damage(t *testing.T, path string) {
	t.Helper()
	const size = 4096
	data, err := os.ReadFile(path)
	must(t, err)
	page := len(data)/size - 1
	for ; page > 1 && data[page*size] != 13; page-- { // a leaf of a table
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte{13, 0, 0, 0xff, 0xff, 0, 1}, int64(page)*size)
	must(t, errors.Join(err, f.Close()))
}

// TestErasureNamesWhatStays has a copy that cannot be removed: all else is
// cleaned, and the copy is named until it is gone.
func TestErasureNamesWhatStays(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	s := open(t, path)
	update(t, s, canary{ada}.forget)
	bak := path + ".v0.bak"
	must(t, os.MkdirAll(filepath.Join(bak, "full"), 0o700))
	for range 2 {
		if err := s.Compact(t.Context()); err == nil || !strings.Contains(err.Error(), bak) {
			t.Errorf("got %v", err)
		}
		if owed, err := s.Owed(t.Context()); err != nil || !owed || tracks(t, path) > 0 {
			t.Errorf("owed: %v, %v, with %d traces", owed, err, tracks(t, path))
		}
	}
	must(t, os.RemoveAll(bak))
	must(t, s.Compact(t.Context()))
	if owed, err := s.Owed(t.Context()); err != nil || owed {
		t.Errorf("owed: %v, %v", owed, err)
	}
}

// TestErasureBesideABackup kills a process while its backup is under way, and
// expects its copy to be found and removed.
func TestErasureBesideABackup(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	backup := talkTo(t, helper(t, "backup", path))
	backup.hear("sends")
	s := open(t, path)
	update(t, s, canary{ada}.forget)
	start := time.Now()
	if err := s.Compact(t.Context()); !errors.Is(err, store.ErrBusy) || time.Since(start) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed || tracks(t, path) == 0 {
		t.Errorf("owed: %v, %v, with %d traces", owed, err, tracks(t, path))
	}
	must(t, backup.cmd.Process.Kill())
	_ = backup.cmd.Wait() // it ends by a signal
	if tracks(t, path) == 0 {
		t.Error("the killed backup left nothing")
	}
	must(t, s.Compact(t.Context()))
	if left := tracks(t, path); left > 0 {
		t.Errorf("%d traces are left", left)
	}
}
