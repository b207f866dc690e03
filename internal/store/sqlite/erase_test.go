package sqlite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

const ada memory.DID = "did:key:ada"

var birth = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// secret is a record that says "canary" wherever content goes but in its id.
func secret(n int, rnd *rand.Rand) (store.Row, store.Document, store.Links) {
	mark := fmt.Sprintf("canary%dx", n)
	row := store.Row{
		ID:     memory.ID(fmt.Sprintf("urn:ump:%d", n)),
		Origin: []byte(strings.Repeat(mark, 1+rnd.IntN(900))),
		Columns: store.Columns{
			Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth,
			Project: mark, User: mark, Agent: mark, Session: mark, Duplicate: mark, Lineage: memory.ID(mark),
		},
	}
	d := store.Document{Terms: map[string]int{"word": 1}, Length: 30}
	for i := range 30 {
		d.Terms[fmt.Sprintf("%s%d", mark, i)] = 1
		d.Terms[fmt.Sprintf("%dcanary%d", rnd.IntN(1000), n)] = 1
	}
	return row, d, store.Links{Relations: []memory.Relation{{Type: memory.About, Target: "entity:" + mark}}}
}

func harmless(n int, rnd *rand.Rand) (store.Row, store.Document, store.Links) {
	row := store.Row{
		ID:     memory.ID(fmt.Sprintf("urn:ump:%d-%d", rnd.IntN(1000), n)),
		Origin: []byte(strings.Repeat("plain", rnd.IntN(400))),
		Columns: store.Columns{
			Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth,
		},
	}
	d := store.Document{Terms: map[string]int{"word": 1}, Length: 30}
	for range 30 {
		d.Terms[fmt.Sprintf("%dplain%d", rnd.IntN(1000), n)] = 1
	}
	return row, d, store.Links{}
}

// TestErasure writes words, forgets them in every way there is, and looks for
// them in the files.
func TestErasure(t *testing.T) {
	racing.Skip(t)
	for seed := range seeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { erase(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

// seeds is how often a test is worth repeating.
func seeds(n uint64) uint64 {
	if racing.Detector {
		return 1
	}
	return n
}

func erase(t *testing.T, rnd *rand.Rand) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	var forget []func(w store.Writer) error
	for n := range 300 {
		update(t, s, func(w store.Writer) error {
			row, d, links := harmless(n, rnd)
			_, err := w.Insert(row, d, links)
			return err
		})
		update(t, s, func(w store.Writer) error {
			undo, err := remember(w, n, rnd)
			forget = append(forget, undo)
			return err
		})
	}
	if found := grep(t, path, "canary"); found == 0 {
		t.Fatal("the words are not in the files to begin with")
	}
	for _, undo := range forget {
		update(t, s, undo)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := grep(t, path, "canary"); found != 0 {
		t.Errorf("%d places of the files still hold deleted words", found)
	}
	sound(t, s)
}

// remember writes a secret and returns how to forget it: by deleting the row, or
// by leaving an empty one.
func remember(w store.Writer, n int, rnd *rand.Rand) (func(store.Writer) error, error) {
	row, d, links := secret(n, rnd)
	shell := store.Row{ID: row.ID, Current: []byte("{}"), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Tombstoned, Visibility: memory.Private, Created: birth,
	}}
	if n%2 == 0 {
		number, err := w.Insert(row, d, links)
		return func(w store.Writer) error {
			if err := w.Reindex(number, store.Document{}); err != nil {
				return err
			}
			return w.Replace(shell, store.Links{})
		}, err
	}
	row.ID = memory.ID(fmt.Sprintf("urn:ump:canary%d", n))
	if _, err := w.Insert(row, d, links); err != nil {
		return nil, err
	}
	return func(w store.Writer) error { return w.Delete(row.ID) }, w.SetAlias("space", string(row.ID), row.ID)
}

// TestErasureOfCopies expects that nothing else beside the store outlives it.
func TestErasureOfCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	for _, name := range []string{".v2.bak", ".copy-123"} {
		if err := os.WriteFile(path+name, []byte("canary"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(filepath.Dir(path), "other.db.v2.bak")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if grep(t, path, "canary") != 0 {
		t.Error("a copy is left")
	}
	if !exists(other) {
		t.Error("the copy of another store is gone")
	}
}

func update(t testing.TB, s *Store, fn func(store.Writer) error) {
	t.Helper()
	if err := s.Update(t.Context(), ada, fn); err != nil {
		t.Fatal(err)
	}
}

// sound expects that a check finds nothing.
func sound(t testing.TB, s *Store) {
	t.Helper()
	findings, err := s.Check(t.Context())
	if err != nil || len(findings) > 0 {
		t.Errorf("check: %q, %v", findings, err)
	}
}

// grep counts the places in the files beside path that hold a word.
func grep(t testing.TB, path, word string) int {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found += bytes.Count(data, []byte(word))
	}
	return found
}
