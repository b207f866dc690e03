package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// lineage opens the store at path and returns its lineage.
func lineage(t *testing.T, path string) (name string) {
	t.Helper()
	s := openSealed(t, path, secretOf)
	must(t, s.View(t.Context(), ada, func(r store.Reader) (err error) {
		name, err = r.Runs().Lineage()
		return err
	}))
	must(t, s.Close())
	if name == "" {
		t.Fatal("it has none")
	}
	return name
}

// TestLineage opens a store again, copies it, and puts copies in its place.
func TestLineage(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "satchel.db")
	first := lineage(t, path)
	copied := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(from)
		must(t, err)
		must(t, os.WriteFile(to, text, 0o600))
	}
	snapshot, aside := filepath.Join(folder, "snapshot.db"), filepath.Join(folder, "aside.db")
	copied(path, snapshot)
	for _, step := range []struct {
		name string
		do   func()
		same bool
	}{
		{"opened again", func() {}, true},
		{"vacuumed", func() { raw(t, path, func(db *sql.DB) { execute(t, db, "VACUUM") }) }, true},
		{"cleaned", func() {
			s := openSealed(t, path, secretOf)
			update(t, s, func(w store.Writer) error { return nearlyEverywhere(w, 1) })
			update(t, s, func(w store.Writer) error { return w.EraseOwner() })
			must(t, s.Compact(t.Context()))
			must(t, s.Close())
		}, true},
		{"moved to another name and back", func() { must(t, os.Rename(path, aside)); must(t, os.Rename(aside, path)) }, true},
		{"a snapshot takes its place", func() { must(t, os.Remove(path)); copied(snapshot, path) }, false},
	} {
		step.do()
		if now := lineage(t, path); (now == first) != step.same {
			t.Errorf("%s: the lineage was %s and is %s", step.name, first, now)
		} else {
			first = now
		}
	}
	if lineage(t, snapshot) == first {
		t.Error("a copy has the same lineage")
	}
	s := openSealed(t, path, secretOf)
	must(t, s.NewLineage(t.Context()))
	sound(t, s)
	must(t, s.Close())
	if lineage(t, path) == first {
		t.Error("a new lineage is the old one")
	}
}

// TestCopiedRun copies a store in which a run goes on: the run goes on in the one, and waits
// for a person in the other.
func TestCopiedRun(t *testing.T) {
	folder := t.TempDir()
	path, copied := filepath.Join(folder, "satchel.db"), filepath.Join(folder, "copy.db")
	s := openSealed(t, path, secretOf)
	update(t, s, func(w store.Writer) error { return goes(w, "x") })
	must(t, s.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(copied, text, 0o600))
	for path, want := range map[string]int{path: 1, copied: 0} {
		s := openSealed(t, path, secretOf)
		must(t, s.View(t.Context(), ada, func(r store.Reader) error {
			due, err := r.Runs().DueRuns(birth.Add(time.Hour), 9)
			if len(due) != want {
				t.Errorf("%s: %d runs are due", filepath.Base(path), len(due))
			}
			return err
		}))
		sound(t, s)
		must(t, s.Close())
	}
}
