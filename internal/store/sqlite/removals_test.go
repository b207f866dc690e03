package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestRemovals deletes documents of several blocks in one Update. Their entries leave the
// index together: before it is read, and when the Update ends.
func TestRemovals(t *testing.T) {
	const documents = 600 // three blocks
	s := openSealed(t, filepath.Join(t.TempDir(), "satchel.db"), secretOf)
	words := func(n int) store.Document {
		return store.Document{Terms: map[string]int{"all": 1, fmt.Sprint("tens", n/10): 1, fmt.Sprint("own", n): 2}, Length: 4, Version: 1}
	}
	id := func(n int) memory.ID { return memory.ID(fmt.Sprint("urn:ump:", n)) }
	insert := func(w store.Writer, n int) error {
		_, err := w.Insert(small(id(n)), words(n), store.Links{})
		return err
	}
	check := func(r store.Reader, when string, counts ...int) {
		t.Helper()
		got, err := r.Frequencies([]string{"all", "tens1", "tens2", "own15"})
		found, err2 := r.Postings("all", documents)
		names, err3 := r.Terms("own15", 1)
		must(t, errors.Join(err, err2, err3))
		if !slices.Equal(got, counts) || len(found) != counts[0] {
			t.Errorf("%s: counted %d and found %d, want %d", when, got, len(found), counts)
		}
		if (len(names) == 1 && names[0] == "own15") != (counts[3] == 1) {
			t.Errorf("%s: the terms are %q", when, names)
		}
	}
	update(t, s, func(w store.Writer) (err error) {
		for n := range documents {
			err = errors.Join(err, insert(w, n))
		}
		return err
	})
	update(t, s, func(w store.Writer) (err error) {
		for n := 10; n < 20; n++ { // all of tens1
			err = errors.Join(err, w.Delete(id(n)))
		}
		held := &w.(*writer).removals
		if held.size != 30 {
			t.Errorf("%d entries are to leave, want 30", held.size)
		}
		check(w, "after ten", documents-10, 0, 10, 0)
		if held.size != 0 {
			t.Errorf("reading left %d entries", held.size)
		}
		for n := documents - 1; n >= 260; n-- { // a whole block, and parts of two
			err = errors.Join(err, w.Delete(id(n)))
		}
		err = errors.Join(err, w.Reindex(27, words(15)), insert(w, 700), w.Delete(id(25)))
		check(w, "after most", 250, 1, 8, 1)
		return errors.Join(err, w.Delete(id(700)), w.Delete(id(24)), w.Reindex(27, words(25)))
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		check(r, "at the end", 248, 0, 8, 0)
		return nil
	}))
	sound(t, s)
	update(t, s, func(w store.Writer) error { return errors.Join(w.Delete(id(0)), w.EraseOwner()) })
	sound(t, s)
}
