// Package storetest is the suite that every store passes. A store's own test calls
// [Run] and [Durable] and adds only tests of its own features.
package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Run tests every promise of package store. open returns a new empty store each time;
// the suite closes it.
func Run(t *testing.T, open func(t testing.TB) store.Store) {
	groups := []struct {
		name  string
		tests []test
		alone bool // one goroutine does much work: see racing.Skip
	}{
		{"records", recordTests, false},
		{"filter", filterTests, true},
		{"attachments", attachmentTests, false},
		{"attachments staged", attachmentStagingTests, true},
		{"search", searchTests, true},
		{"search in an Update", searchWriterTests, true},
		{"staging", stagingTests, false},
		{"journal", journalTests, false},
		{"names", nameTests, false},
		{"owners", ownerTests, false},
		{"trust", trustTests, false},
		{"account", accountTests, true},
		{"agenda", agendaTests, true},
		{"strange", strangeTests, false},
		{"watch", watchTests, false},
		{"limit", limitTests, false},
		{"agents", agentTests, false},
		{"AAIF-11-7 states", stateTests, false},
		{"spent", spentTests, false},
		{"AAIF-11-7 runs", runTests, false},
		{"sessions", sessionTests, false},
		{"readings", readingTests, false},
		{"update", updateTests, false},
		{"together", togetherTests, true},
		{"leave", leaveTests, false},
		{"whole", wholeTests, false},
		{"measured", measuredTests, false},
	}
	for _, g := range groups {
		for _, tt := range g.tests {
			t.Run(g.name+"/"+tt.name, func(t *testing.T) {
				if g.alone {
					racing.Skip(t)
				} else {
					racing.Ran(t)
				}
				s := open(t)
				t.Cleanup(func() { must(t, s.Close()) })
				tt.run(&place{t: t, store: s})
			})
		}
	}
}

type test struct {
	name string
	run  func(*place)
}

// The owners of the suite.
const (
	ada memory.DID = "did:key:ada"
	bob memory.DID = "did:key:bob"
)

// birth is when the first row of the suite was created.
var birth = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// place is a store under test.
type place struct {
	t     *testing.T
	store store.Store
}

func (p *place) view(owner memory.DID, fn func(store.Reader)) {
	p.t.Helper()
	must(p.t, p.store.View(p.t.Context(), owner, func(r store.Reader) error { fn(r); return nil }))
}

func (p *place) update(owner memory.DID, fn func(store.Writer)) {
	p.t.Helper()
	must(p.t, p.store.Update(p.t.Context(), owner, func(w store.Writer) error { fn(w); return nil }))
}

// insert adds rows without a document or links.
func (p *place) insert(owner memory.DID, rows ...store.Row) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) {
		for _, row := range rows {
			value(w.Insert(row, store.Document{}, store.Links{}))(p.t)
		}
	})
}

// row makes a published row, created n seconds after birth.
func row(n int) store.Row {
	at := birth.Add(time.Duration(n) * time.Second)
	return store.Row{
		ID:     id(n),
		Origin: fmt.Appendf(nil, `{"n":%d}`, n),
		Columns: store.Columns{
			Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private,
			Created: at, From: at,
		},
	}
}

func id(n int) memory.ID { return memory.ID(fmt.Sprintf("urn:ump:%03d", n)) }

// with changes the columns of a row.
func with(r store.Row, change func(*store.Columns)) store.Row {
	change(&r.Columns)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// value unwraps a result, as in value(r.Row(id))(t).
func value[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		must(t, err)
		return v
	}
}

func same[V any](t testing.TB, what string, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func fails(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func ids(rows []store.Row) []memory.ID {
	list := []memory.ID{}
	for _, r := range rows {
		list = append(list, r.ID)
	}
	return list
}

func list(n ...int) []memory.ID {
	list := []memory.ID{}
	for _, n := range n {
		list = append(list, id(n))
	}
	return list
}

// page reads all rows of a filter, max rows at a time.
func page(t testing.TB, r store.Reader, f store.Filter, max int) []store.Row {
	t.Helper()
	var all []store.Row
	for after := (store.Cursor{}); ; {
		rows := value(r.Rows(f, after, max))(t)
		if len(rows) > max {
			t.Fatalf("asked for %d rows, got %d", max, len(rows))
		}
		all = append(all, rows...)
		if len(rows) < max {
			return all
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
}

func words(list ...string) store.Document {
	d := store.Document{Terms: map[string]int{}, Length: len(list)}
	for _, w := range list {
		d.Terms[w]++
	}
	return d
}

func numbers(postings []store.Posting) []int64 {
	list := []int64{}
	for _, p := range postings {
		list = append(list, p.Document)
	}
	return list
}

func backwards[V any](s []V) []V {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}
