package postgres

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// expectPostings expects just these documents to hold a term.
func expectPostings(t *testing.T, r store.Reader, term string, want ...int64) {
	t.Helper()
	found, err := r.Postings(term, 9)
	must(t, err)
	var got []int64
	for _, p := range found {
		got = append(got, p.Document)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q is held by %d, want %d", term, got, want)
	}
}

// TestAhead asks for postings that were read ahead, and changes what they say in
// between.
func TestAhead(t *testing.T) {
	s := openSealed(t, made(t), secretOf)
	insert := func(w store.Writer, id memory.ID, imp int64, terms ...string) {
		t.Helper()
		row := small(id)
		row.Columns.Import, row.Columns.Staged = imp, imp != 0
		d := store.Document{Terms: map[string]int{}, Length: len(terms)}
		for _, term := range terms {
			d.Terms[term] = 1
		}
		_, err := w.Insert(row, d, store.Links{})
		must(t, err)
	}
	ask := func(r store.Reader, want ...int) {
		t.Helper()
		got, err := r.Frequencies([]string{"a", "b", "nowhere"})
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("frequencies are %d, want %d", got, want)
		}
	}
	update(t, s, func(w store.Writer) error {
		insert(w, "urn:ump:1", 0, "a", "b")
		insert(w, "urn:ump:2", 0, "b")
		ask(w, 1, 2, 0)
		expectPostings(t, w, "a", 1)
		expectPostings(t, w, "b", 2, 1)
		expectPostings(t, w, "nowhere")
		insert(w, "urn:ump:3", 0, "a", "nowhere")
		ask(w, 2, 2, 1)
		expectPostings(t, w, "a", 3, 1)
		expectPostings(t, w, "nowhere", 3)
		must(t, w.Reindex(1, store.Document{Terms: map[string]int{"b": 1, "nowhere": 1}, Length: 2}))
		expectPostings(t, w, "a", 3)
		expectPostings(t, w, "nowhere", 3, 1)
		insert(w, "urn:ump:4", 7, "a")
		ask(w, 2, 2, 2)
		expectPostings(t, w, "a", 3)
		_, err := w.Publish(7)
		must(t, err)
		expectPostings(t, w, "a", 4, 3)
		ask(w, 2, 2, 2)
		expectPostings(t, w, "b", 2, 1)
		return errors.Join(w.Delete("urn:ump:2"), w.Delete("urn:ump:3"))
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		ask(r, 1, 1, 1)
		expectPostings(t, r, "b", 1)
		found, err := r.Postings("b", 9)
		must(t, err)
		found[0].Document = 77 // it is the caller's
		expectPostings(t, r, "b", 1)
		expectPostings(t, r, "a", 4)
		expectPostings(t, r, "nowhere", 1)
		if none, err := r.Postings("a", 0); err != nil || len(none) > 0 {
			t.Errorf("asked for none, got %v, %v", none, err)
		}
		return nil
	}))
	sound(t, s)
}

// TestPostingsBehindStaged looks for what is published behind more blocks of staged
// documents than are read at first.
func TestPostingsBehindStaged(t *testing.T) {
	s := openSealed(t, made(t), secretOf)
	const published, staged = 3, 10 * 256
	update(t, s, func(w store.Writer) error {
		for n := range published + staged {
			row := small(memory.ID(fmt.Sprint("urn:ump:", n)))
			if n >= published {
				row.Columns.Import, row.Columns.Staged = 1, true
			}
			if _, err := w.Insert(row, store.Document{Terms: map[string]int{"word": 1}, Length: 1}, store.Links{}); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		expectPostings(t, r, "word", 3, 2, 1)
		return nil
	}))
}
