package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestPending inserts more documents in one Update than their entries are held back for,
// and reads, deletes and reindexes among them.
func TestPending(t *testing.T) {
	const documents, terms = 300, 450 // more than mostPending entries
	s := openSealed(t, filepath.Join(t.TempDir(), "satchel.db"), secretOf)
	d := store.Document{Terms: map[string]int{}, Length: terms, Version: 1}
	for i := range terms {
		d.Terms[fmt.Sprintf("term%d", i)] = 1
	}
	expect := func(w store.Reader, want int) {
		t.Helper()
		counts, err := w.Frequencies([]string{"term7", "term449"})
		found, err2 := w.Postings("term7", documents)
		must(t, errors.Join(err, err2))
		if counts[0] != want || counts[1] != want || len(found) != want {
			t.Errorf("counted %d, found %d, want %d", counts, len(found), want)
		}
	}
	update(t, s, func(w store.Writer) error {
		for n := range documents {
			row := small(memory.ID(fmt.Sprint("urn:ump:", n)))
			if _, err := w.Insert(row, d, store.Links{}); err != nil {
				return err
			}
			if n == 9 {
				expect(w, 10)
				if held := w.(*writer).pending.Documents("term7"); held != 10 {
					t.Errorf("looking up a term left %d of 10 documents pending", held)
				}
			}
		}
		err := errors.Join(w.Delete("urn:ump:3"), w.Delete("urn:ump:290"))
		return errors.Join(err, w.Reindex(5, store.Document{Terms: map[string]int{"other": 1}, Length: 1, Version: 1}))
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		expect(r, documents-3)
		return nil
	}))
	sound(t, s)
	err := s.Update(t.Context(), ada, func(w store.Writer) error {
		_, err := w.Insert(small("urn:ump:more"), d, store.Links{})
		return errors.Join(err, store.ErrNotFound)
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	sound(t, s)
}
