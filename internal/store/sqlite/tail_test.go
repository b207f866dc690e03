package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// worded is the document of the n-th record: words that all have, some have and one has.
func worded(n int) store.Document {
	return store.Document{Terms: map[string]int{"all": 1 + n%3, fmt.Sprint("some", n%5): 1, fmt.Sprint("one", n): 2}, Length: 4 + n, Version: 1}
}

func insertWorded(w store.Writer, n int) error {
	_, err := w.Insert(small(memory.ID(fmt.Sprint("urn:ump:", n))), worded(n), store.Links{})
	return err
}

// indexSaid is what a reader says of the index of records 1 to n.
func indexSaid(t *testing.T, r store.Reader, n int) string {
	t.Helper()
	terms := []string{"all", "none"}
	for i := range n + 1 {
		terms = append(terms, fmt.Sprint("some", i%5), fmt.Sprint("one", i))
	}
	var b strings.Builder
	counts, err := r.Frequencies(terms)
	must(t, err)
	for i, term := range terms {
		for _, max := range []int{1, 3, 1000} {
			found, err := r.Postings(term, max)
			must(t, err)
			fmt.Fprintln(&b, term, counts[i], found)
		}
	}
	for _, prefix := range []string{"", "a", "one", "one1", "some", "x"} {
		for _, max := range []int{1, 4, 1000} {
			found, err := r.Terms(prefix, max)
			must(t, err)
			fmt.Fprintln(&b, prefix, max, found)
		}
	}
	return b.String()
}

// tailOf returns what the tail of an owner holds.
func tailOf(t *testing.T, s *Store, owner memory.DID) (documents []int64) {
	t.Helper()
	must(t, s.View(t.Context(), owner, func(r store.Reader) (err error) {
		documents, err = r.(*session).tailed()
		return err
	}))
	return documents
}

// TestTail writes records one by one, several at once, changed and deleted. After each step
// the index says the same as one that was written at once, and its check finds nothing.
func TestTail(t *testing.T) {
	s, at := open(t, filepath.Join(t.TempDir(), "satchel.db")), open(t, filepath.Join(t.TempDir(), "at-once.db"))
	records, longest := 0, 0
	steps := map[string]func(w store.Writer) error{
		"insert": func(w store.Writer) error { records++; return insertWorded(w, records) },
		"insert 2": func(w store.Writer) error {
			records += 2
			return firstOf(insertWorded(w, records-1), insertWorded(w, records))
		},
		"delete":    func(w store.Writer) error { return w.Delete(memory.ID(fmt.Sprint("urn:ump:", records-1))) },
		"reindex":   func(w store.Writer) error { return w.Reindex(int64(records), worded(7)) },
		"nothing":   func(store.Writer) error { return nil },
		"long":      func(w store.Writer) error { records++; return insertLong(w, records) },
		"staged":    func(w store.Writer) error { records++; return insertStaged(w, records) },
		"published": func(w store.Writer) error { _, err := w.Publish(1); return err },
		"empty": func(w store.Writer) error {
			records++
			_, err := w.Insert(small(memory.ID(fmt.Sprint("urn:ump:", records))), store.Document{}, store.Links{})
			return err
		},
		"both": func(w store.Writer) error {
			records++
			return firstOf(insertWorded(w, records), w.Reindex(int64(records), worded(3)))
		},
	}
	plan := slices.Repeat([]string{"insert"}, mostTail+3)
	plan = append(plan, "delete", "insert", "insert", "insert 2", "insert", "reindex", "insert", "nothing", "insert", "staged", "insert", "insert", "published", "insert", "long", "insert",
		"empty", "insert", "both", "insert")
	for i, name := range plan {
		before := records
		must(t, s.Update(t.Context(), ada, steps[name]))
		records = before
		must(t, at.Update(t.Context(), ada, func(w store.Writer) error { return firstOf(steps[name](w), w.(*writer).writePending()) }))
		longest = max(longest, len(tailOf(t, s, ada)))
		var got, want string
		must(t, s.View(t.Context(), ada, func(r store.Reader) error { got = indexSaid(t, r, records); return nil }))
		must(t, at.View(t.Context(), ada, func(r store.Reader) error { want = indexSaid(t, r, records); return nil }))
		if got != want {
			t.Fatalf("step %d, %s:\n%s\nwant\n%s", i, name, got, want)
		}
		must(t, s.Update(t.Context(), ada, func(w store.Writer) error {
			if got := indexSaid(t, w, records); got != want {
				t.Errorf("step %d, %s, in an Update:\n%s\nwant\n%s", i, name, got, want)
			}
			return nil
		}))
		sound(t, s)
	}
	if longest != mostTail || len(tailOf(t, at, ada)) != 0 {
		t.Errorf("the tail had %d documents at most, and %d where all is written at once", longest, len(tailOf(t, at, ada)))
	}
}

// insertLong inserts a record of too many terms for the tail.
func insertLong(w store.Writer, n int) error {
	d := worded(n)
	for i := range mostTailTerms {
		d.Terms[fmt.Sprint("long", i)] = 1
	}
	_, err := w.Insert(small(memory.ID(fmt.Sprint("urn:ump:", n))), d, store.Links{})
	return err
}

// TestTailBounds: a long document writes the tail instead of joining it.
func TestTailBounds(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return insertWorded(w, 1) }))
	must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return insertLong(w, 2) }))
	if got := tailOf(t, s, ada); len(got) != 0 {
		t.Errorf("the tail is %v", got)
	}
}

// TestTailErased: an Update that erases everything leaves nothing of what it wrote or read.
func TestTailErased(t *testing.T) {
	for name, erase := range map[string]func(w store.Writer) error{
		"after an insert": func(w store.Writer) error { return firstOf(insertWorded(w, 4), w.EraseOwner()) },
		"after a look-up": func(w store.Writer) error {
			_, err := w.Postings("all", 9)
			return firstOf(err, w.EraseOwner(), insertWorded(w, 4))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
			for n := 1; n <= 3; n++ {
				must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return insertWorded(w, n) }))
			}
			must(t, s.Update(t.Context(), ada, erase))
			sound(t, s)
		})
	}
}

// firstOf returns the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func insertStaged(w store.Writer, n int) error {
	row := small(memory.ID(fmt.Sprint("urn:ump:", n)))
	row.Columns.Import, row.Columns.Staged = 1, true
	_, err := w.Insert(row, worded(n), store.Links{})
	return err
}

// TestTailOfOthers: a program that knows of no tail indexes later documents, deletes one of
// the tail, and leaves it named there.
func TestTailOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	for n := 1; n <= 4; n++ {
		must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return insertWorded(w, n) }))
	}
	must(t, s.Update(t.Context(), ada, func(w store.Writer) error {
		x := w.(*writer)
		x.indexer.tail = tail{known: true} // as if there were none
		return firstOf(insertWorded(w, 5), insertWorded(w, 6), w.Delete("urn:ump:2"))
	}))
	if got := tailOf(t, s, ada); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Fatalf("the tail is %v", got)
	}
	said := func() (said string) {
		must(t, s.View(t.Context(), ada, func(r store.Reader) error { said = indexSaid(t, r, 6); return nil }))
		return said
	}
	before := said()
	if !strings.Contains(before, "all 5 [{6 1 10} {5 3 9} {4 2 8} {3 1 7} {1 2 5}]") {
		t.Errorf("with the tail:\n%s", before)
	}
	writeTail(t, s, ada)
	if after := said(); after != before || len(tailOf(t, s, ada)) != 0 {
		t.Errorf("without:\n%s", after)
	}
	sound(t, s)
}

// TestTailChanged: a check finds every change of a tail.
func TestTailChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	for name, change := range map[string]string{
		"gone":                   `DELETE FROM postings WHERE typeof(term) = 'blob'`,
		"a document less":        `UPDATE postings SET entries = substr(entries, 9) WHERE typeof(term) = 'blob'`,
		"a document more":        `UPDATE postings SET entries = CAST(entries || x'0000000000000063' AS BLOB) WHERE typeof(term) = 'blob'`,
		"an indexed one":         `UPDATE postings SET entries = CAST(x'0000000000000001' || entries AS BLOB) WHERE typeof(term) = 'blob'`,
		"half a number":          `UPDATE postings SET entries = CAST(entries || x'00' AS BLOB) WHERE typeof(term) = 'blob'`,
		"no order":               `UPDATE postings SET entries = CAST(substr(entries, 9) || substr(entries, 1, 8) AS BLOB) WHERE typeof(term) = 'blob'`,
		"another owner":          `UPDATE postings SET owner = 9 WHERE typeof(term) = 'blob'`,
		"another owner, overrun": `UPDATE postings SET owner = owner + (1 << 52) WHERE typeof(term) = 'blob'`,
		"another block":          `UPDATE postings SET block = 1 WHERE typeof(term) = 'blob'`,
		"a count":                `UPDATE postings SET documents = 1 WHERE typeof(term) = 'blob'`,
		"another name":           `UPDATE postings SET term = x'01' WHERE typeof(term) = 'blob'`,
		"a list of terms":        `UPDATE records SET words = x'ff' WHERE doc & 1099511627775 = 5`,
		"text":                   `UPDATE postings SET entries = CAST(entries AS TEXT) WHERE typeof(term) = 'blob'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := path + name
			s := open(t, path)
			must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return firstOf(insertWorded(w, 1), insertWorded(w, 2)) }))
			for n := 3; n <= 5; n++ {
				must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return insertWorded(w, n) }))
			}
			sound(t, s)
			statement(t, path, change)
			findings, err := s.Check(t.Context())
			if err != nil || len(findings) == 0 {
				t.Errorf("found %q, %v", findings, err)
			}
			// nothing of it keeps readers and writers from their work
			must(t, s.View(t.Context(), ada, func(r store.Reader) error { indexSaid(t, r, 5); return nil }))
			writeTail(t, s, ada)
		})
	}
}

func TestTailNumbers(t *testing.T) {
	for _, numbers := range [][]int64{nil, {1}, {1, 2, 1<<40 - 1}} {
		if got := unpackNumbers(packNumbers(numbers)); !slices.Equal(got, numbers) {
			t.Errorf("%v came back as %v", numbers, got)
		}
	}
	if got := unpackNumbers(append(packNumbers([]int64{5, 0, -1, 1 << 40, 5, 3}), 1)); !slices.Equal(got, []int64{3, 5}) {
		t.Errorf("got %v", got)
	}
}

// TestTailTerms: the terms of a tail join those of the index.
func TestTailTerms(t *testing.T) {
	var tail stored.Pending
	for _, term := range []string{"b", "ab", "c", strings.Repeat("a", longestTerm+1)} {
		tail.Add(term, 1, 1, 1)
	}
	if names := slices.Collect(tail.Names()); len(names) != 4 {
		t.Errorf("named %q", names)
	}
	for prefix, want := range map[string][]string{"": {"a", "ab", "b"}, "a": {"a", "ab"}} {
		var index []string
		for _, term := range []string{"a", "b"} {
			if strings.HasPrefix(term, prefix) {
				index = append(index, term)
			}
		}
		if got := withPending(index, &tail, prefix, 3); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prefix, got, want)
		}
	}
}
