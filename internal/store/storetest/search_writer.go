package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

var searchWriterTests = []test{
	{"an Update finds what it has indexed", searchOwnWrites},
	{"an Update finds nothing that it has removed", searchOwnRemovals},
	{"a publishing Update finds what it has staged", searchOwnStaged},
	{"a failed Update leaves nothing to find", searchOwnFailure},
}

// expected is what an owner's index should answer: documents and whether they are staged,
// by term.
type expected map[string]map[int64]bool

func (e expected) add(document int64, staged bool, terms ...string) {
	for _, term := range terms {
		if e[term] == nil {
			e[term] = make(map[int64]bool)
		}
		e[term][document] = staged
	}
}

// remove removes a document, or all without one.
func (e expected) remove(documents ...int64) {
	for _, of := range e {
		for _, document := range documents {
			delete(of, document)
		}
		if len(documents) == 0 {
			clear(of)
		}
	}
}

// check compares the answers about some terms. A store may prepare for questions about
// postings when it is asked for frequencies, so check asks before and after.
func (e expected) check(p *place, r store.Reader, when string, terms ...string) {
	p.t.Helper()
	e.checkPostings(p, r, when, terms)
	counts := make([]int, len(terms))
	for i, term := range terms {
		counts[i] = len(e[term])
	}
	same(p.t, when+": frequencies", value(r.Frequencies(terms))(p.t), counts)
	e.checkPostings(p, r, when, terms)
}

func (e expected) checkPostings(p *place, r store.Reader, when string, terms []string) {
	p.t.Helper()
	for _, term := range terms {
		published := []int64{}
		for document, staged := range e[term] {
			if !staged {
				published = append(published, document)
			}
		}
		slices.Sort(published)
		slices.Reverse(published)
		for _, max := range []int{0, 1, 3, 999} {
			got := numbers(value(r.Postings(term, max))(p.t))
			same(p.t, fmt.Sprintf("%s: at most %d of %.9q", when, max, term), append([]int64{}, got...), published[:min(max, len(published))])
		}
	}
}

// searchOwnWrites fills more than one block, beside another owner with the same terms.
func searchOwnWrites(p *place) {
	long := strings.Repeat("long", 100)
	terms := []string{"all", "odd", "rare", "none", long, long + "er"}
	want := expected{}
	insert := func(w store.Writer, n int) {
		list := []string{"all"}
		if n%2 == 1 {
			list = append(list, "odd", long)
		}
		if n%100 == 0 {
			list = append(list, "rare", long+"er")
		}
		want.add(value(w.Insert(row(n), words(list...), store.Links{}))(p.t), false, list...)
	}
	p.update(bob, func(w store.Writer) { value(w.Insert(row(9999), words(terms...), store.Links{}))(p.t) })
	p.update(ada, func(w store.Writer) {
		for n := 1; n <= 250; n++ {
			insert(w, n)
		}
		want.check(p, w, "at first", terms...)
	})
	p.update(ada, func(w store.Writer) {
		for n := 251; n <= 520; n++ {
			insert(w, n)
			if n < 262 || n > 510 {
				want.check(p, w, fmt.Sprint("after ", n), terms...)
			}
		}
		value(w.Insert(row(600), store.Document{Terms: map[string]int{"rare": 300}, Length: 70000}, store.Links{}))(p.t)
		newest := store.Posting{Document: 521, Frequency: 255, Length: 65535}
		same(p.t, "capped", value(w.Postings("rare", 1))(p.t), []store.Posting{newest})
		want.add(521, false, "rare")
		termsOf(p, w, []string{"all", "odd", "rare", long}, "", "r")
		want.check(p, w, "after Terms", terms...)
	})
	p.view(ada, func(r store.Reader) { want.check(p, r, "in the end", terms...) })
	p.view(bob, func(r store.Reader) {
		same(p.t, "of the other owner", value(r.Frequencies(terms))(p.t), []int{1, 1, 1, 1, 1, 1})
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func searchOwnRemovals(p *place) {
	terms := []string{"tea", "green", "milk"}
	want := expected{}
	insert := func(w store.Writer, n int, list ...string) {
		want.add(value(w.Insert(row(n), words(list...), store.Links{}))(p.t), false, list...)
	}
	p.update(ada, func(w store.Writer) {
		insert(w, 1, "tea", "green")
		insert(w, 2, "tea", "milk")
	})
	p.update(ada, func(w store.Writer) {
		insert(w, 3, "tea", "green")
		insert(w, 4, "tea")
		want.check(p, w, "inserted", terms...)
		must(p.t, w.Delete(id(3)))
		want.remove(3)
		want.check(p, w, "deleted a new one", terms...)
		insert(w, 5, "milk", "green")
		want.check(p, w, "inserted again", terms...)
		must(p.t, w.Delete(id(1)))
		want.remove(1)
		want.check(p, w, "deleted an old one", terms...)
		insert(w, 6, "milk")
		must(p.t, w.Reindex(5, words("tea")))
		want.remove(5)
		want.add(5, false, "tea")
		want.check(p, w, "reindexed a new one", terms...)
		insert(w, 7, "green")
		must(p.t, w.Reindex(2, words("green")))
		want.remove(2)
		want.add(2, false, "green")
		want.check(p, w, "reindexed an old one", terms...)
	})
	p.view(ada, func(r store.Reader) { want.check(p, r, "in the end", terms...) })
	p.update(ada, func(w store.Writer) {
		insert(w, 8, "tea")
		must(p.t, w.EraseOwner())
		want.remove()
		want.check(p, w, "all erased", terms...)
		insert(w, 9, "tea", "milk")
		want.check(p, w, "and one new", terms...)
	})
	p.view(ada, func(r store.Reader) { want.check(p, r, "after all was erased", terms...) })
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func searchOwnStaged(p *place) {
	want := expected{}
	insert := func(w store.Writer, row store.Row, list ...string) {
		want.add(value(w.Insert(row, words(list...), store.Links{}))(p.t), row.Columns.Staged, list...)
	}
	p.update(ada, func(w store.Writer) { insert(w, staged(1, 7), "tea") })
	p.update(ada, func(w store.Writer) {
		insert(w, plain(2), "tea")
		insert(w, staged(3, 7), "tea", "milk")
		insert(w, staged(4, 8), "tea", "milk")
		want.check(p, w, "staged", "tea", "milk")
		value(w.Publish(7))(p.t)
		want.add(1, false, "tea")
		want.add(3, false, "tea", "milk")
		want.check(p, w, "published", "tea", "milk")
		insert(w, staged(5, 7), "milk")
		want.check(p, w, "staged again", "tea", "milk")
	})
	p.view(ada, func(r store.Reader) { want.check(p, r, "in the end", "tea", "milk") })
}

func searchOwnFailure(p *place) {
	want := expected{}
	want.add(1, false, "tea")
	p.update(ada, func(w store.Writer) { value(w.Insert(row(1), words("tea"), store.Links{}))(p.t) })
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		value(w.Insert(row(2), words("tea", "milk"), store.Links{}))(p.t)
		same(p.t, "in the transaction", value(w.Frequencies([]string{"tea", "milk"}))(p.t), []int{2, 1})
		return errRefused
	}), errRefused)
	p.view(ada, func(r store.Reader) { want.check(p, r, "afterwards", "tea", "milk") })
	p.update(ada, func(w store.Writer) {
		want.check(p, w, "in the next Update", "tea", "milk")
		value(w.Insert(row(3), words("milk"), store.Links{}))(p.t)
		want.add(2, false, "milk")
		want.check(p, w, "with its own document", "tea", "milk")
	})
}
