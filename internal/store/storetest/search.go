package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var searchTests = []test{
	{"postings name the documents of a term, newest first", searchPostings},
	{"frequencies and lengths are capped in postings", searchCaps},
	{"postings of many documents come whole", searchMany},
	{"an index that is written in many ways says what its documents do", searchScene},
	{"reindexing replaces what is indexed", searchReindex},
	{"nothing is indexed for a row that does not exist", searchReindexMissing},
	{"rows that an older tokeniser indexed are known by number", searchOutdated},
	{"what the index keeps of rows is read by number", searchIndexed},
	{"terms of any bytes leave the index with their row", searchDelete},
	{"an old document indexed anew takes its old place", searchOrder},
	{"an empty document is not counted", searchEmpty},
	{"terms are listed by their beginning, in the order of bytes", searchTerms},
	{"a term is listed while a document holds it", searchTermsGone},
	{"terms of staged documents are listed", searchTermsStaged},
	{"a document of very many terms is indexed whole", searchWide},
	{"the sum over an owner's rows tells states apart", searchSum},
}

func size(p *place, r store.Reader) [2]int64 {
	documents, length, err := r.Size()
	must(p.t, err)
	return [2]int64{documents, length}
}

func searchPostings(p *place) {
	p.view(ada, func(r store.Reader) {
		same(p.t, "size at first", size(p, r), [2]int64{0, 0})
		same(p.t, "postings at first", len(value(r.Postings("tea", 9))(p.t)), 0)
	})
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), words("tea", "green", "tea"), store.Links{}))(p.t)
		value(w.Insert(row(2), words("coffee"), store.Links{}))(p.t)
		value(w.Insert(row(3), words("tea", "日本"), store.Links{}))(p.t)
		same(p.t, "size in the transaction", size(p, w), [2]int64{3, 6})
	})
	p.view(ada, func(r store.Reader) {
		want := []store.Posting{{Document: 3, Frequency: 1, Length: 2}, {Document: 1, Frequency: 2, Length: 3}}
		same(p.t, "tea", value(r.Postings("tea", 9))(p.t), want)
		same(p.t, "at most one", value(r.Postings("tea", 1))(p.t), want[:1])
		same(p.t, "at most none", len(value(r.Postings("tea", 0))(p.t)), 0)
		same(p.t, "日本", numbers(value(r.Postings("日本", 9))(p.t)), []int64{3})
		same(p.t, "a beginning of a term", len(value(r.Postings("te", 9))(p.t)), 0)
		same(p.t, "frequencies", value(r.Frequencies([]string{"tea", "milk", "coffee", "tea"}))(p.t), []int{2, 0, 1, 2})
		same(p.t, "size", size(p, r), [2]int64{3, 6})
	})
}

func searchCaps(p *place) {
	p.update(ada, func(w store.Writer) {
		d := store.Document{Terms: map[string]int{"a": 255, "b": 256, "c": 100000}, Length: 100511}
		value(w.Insert(row(1), d, store.Links{}))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		for _, term := range []string{"a", "b", "c"} {
			same(p.t, term, value(r.Postings(term, 9))(p.t), []store.Posting{{Document: 1, Frequency: 255, Length: 65535}})
		}
		same(p.t, "size", size(p, r), [2]int64{1, 100511})
	})
}

func searchMany(p *place) {
	const documents = 1000
	var all, third []int64
	p.update(ada, func(w store.Writer) {
		for n := 1; n <= documents; n++ {
			d := words("all")
			if n%3 == 0 {
				d = words("all", "third")
			}
			value(w.Insert(row(n), d, store.Links{}))(p.t)
			all = append(all, int64(n))
			if n%3 == 0 {
				third = append(third, int64(n))
			}
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "all", numbers(value(r.Postings("all", documents))(p.t)), backwards(all))
		same(p.t, "third", numbers(value(r.Postings("third", documents))(p.t)), backwards(third))
		same(p.t, "the first 300", numbers(value(r.Postings("all", 300))(p.t)), backwards(all)[:300])
		same(p.t, "frequencies", value(r.Frequencies([]string{"all", "third"}))(p.t), []int{documents, len(third)})
	})
}

func searchReindex(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), words("old", "both"), store.Links{}))(p.t)
		value(w.Insert(row(2), words("both"), store.Links{}))(p.t)
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Reindex(1, words("new", "both", "both")))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "frequencies", value(r.Frequencies([]string{"old", "new", "both"}))(p.t), []int{0, 1, 2})
		same(p.t, "both", value(r.Postings("both", 9))(p.t),
			[]store.Posting{{Document: 2, Frequency: 1, Length: 1}, {Document: 1, Frequency: 2, Length: 3}})
		same(p.t, "old", len(value(r.Postings("old", 9))(p.t)), 0)
		same(p.t, "size", size(p, r), [2]int64{2, 4})
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.Reindex(1, store.Document{})) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "emptied", size(p, r), [2]int64{1, 1})
		same(p.t, "both", numbers(value(r.Postings("both", 9))(p.t)), []int64{2})
	})
}

func searchOutdated(p *place) {
	by := func(version int) store.Document {
		d := words("tea")
		d.Version = version
		return d
	}
	p.update(bob, func(w store.Writer) { value(w.Insert(row(9), by(1), store.Links{}))(p.t) })
	p.update(ada, func(w store.Writer) {
		for i, d := range []store.Document{by(2), by(3), {}, by(1)} {
			value(w.Insert(row(i+1), d, store.Links{}))(p.t)
		}
		value(w.Insert(staged(5, value(w.SetImport(store.Import{State: store.Staging}))(p.t)), by(2), store.Links{}))(p.t)
	})
	look := func(r store.Reader, after int64, max int) string {
		numbers, last, err := r.Outdated(3, after, max)
		must(p.t, err)
		return fmt.Sprint(numbers, last)
	}
	p.view(ada, func(r store.Reader) {
		for _, c := range []struct {
			after int64
			max   int
			want  string
		}{{0, 9, "[1 4 5] 5"}, {0, 1, "[1] 1"}, {1, 2, "[] 3"}, {4, 9, "[5] 5"}, {5, 9, "[] 0"}} {
			same(p.t, fmt.Sprintf("%d after %d", c.max, c.after), look(r, c.after, c.max), c.want)
		}
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Reindex(1, by(3)))
		must(p.t, w.Delete(id(4)))
		same(p.t, "in the transaction", look(w, 0, 9), "[5] 5")
	})
}

func searchIndexed(p *place) {
	d := words("tea", "green", "tea")
	d.Version, d.Digest = 3, []byte{0, 1, 255}
	p.update(bob, func(w store.Writer) { value(w.Insert(row(9), d, store.Links{}))(p.t) })
	told := with(row(1), func(c *store.Columns) {
		c.Kind, c.Project, c.User, c.Agent, c.Session, c.To, c.Expires = memory.Episodic, "p", "u", "a", "s", birth.Add(time.Hour), birth.Add(2*time.Hour)
		c.Duplicate = "d"
	})
	p.update(ada, func(w store.Writer) {
		value(w.Insert(told, d, store.Links{}))(p.t)
		value(w.Insert(row(2), words("milk"), store.Links{}))(p.t)
		value(w.Insert(row(3), store.Document{}, store.Links{}))(p.t)
		value(w.Insert(row(4), words("tea"), store.Links{}))(p.t)
		value(w.Insert(staged(5, value(w.SetImport(store.Import{State: store.Staging}))(p.t)), d, store.Links{}))(p.t)
		must(p.t, w.Delete(id(4)))
	})
	look := func(r store.Reader, numbers ...int64) string {
		found := value(r.IndexEntries(numbers))(p.t)
		slices.SortFunc(found, func(a, b store.IndexEntry) int { return int(a.Number - b.Number) })
		var all strings.Builder
		for _, x := range found {
			fmt.Fprintf(&all, "%d %s, %d words, version %d, digest %x:", x.Number, x.ID, x.Length, x.Version, x.Digest)
			for term, frequency := range x.Terms {
				fmt.Fprintf(&all, " %s %d", term, frequency)
			}
			all.WriteString("\n")
		}
		return all.String()
	}
	const second = "2 urn:ump:002, 1 words, version 0, digest : milk 1\n"
	p.view(ada, func(r store.Reader) {
		same(p.t, "all", look(r, 9, 5, 4, 3, 2, 1, 0, -1, 1<<40+1), "1 urn:ump:001, 3 words, version 3, digest 0001ff: green 1 tea 2\n"+second+"3 urn:ump:003, 0 words, version 0, digest :\n")
		same(p.t, "none", look(r), "")
		want := told.Columns
		want.Duplicate = ""
		same(p.t, "columns", value(r.IndexEntries([]int64{1}))(p.t)[0].Columns, want)
	})
	p.update(ada, func(w store.Writer) {
		d.Digest = nil
		must(p.t, w.Reindex(1, d))
		same(p.t, "without a digest", look(w, 1, 2), "1 urn:ump:001, 3 words, version 3, digest : green 1 tea 2\n"+second)
		must(p.t, w.Reindex(1, store.Document{}))
		same(p.t, "emptied", look(w, 1), "1 urn:ump:001, 0 words, version 0, digest :\n")
		same(p.t, "many", strings.Count(look(w, append(make([]int64, 100), 1, 2, 3)...), "\n"), 3)
	})
}

func searchSum(p *place) {
	sum := func() (all store.Sum) {
		p.view(ada, func(r store.Reader) { all = value(r.Sum())(p.t) })
		return all
	}
	same(p.t, "without rows", sum(), store.Sum{})
	seen := map[store.Sum]string{}
	var number int64
	for _, step := range []struct {
		name  string
		write func(store.Writer)
	}{
		{"a row", func(w store.Writer) { number = value(w.Insert(row(1), words("tea"), store.Links{}))(p.t) }},
		{"another", func(w store.Writer) { value(w.Insert(row(2), words("tea"), store.Links{}))(p.t) }},
		{"a row of another status", func(w store.Writer) {
			r := value(w.Row(id(1)))(p.t)
			r.Columns.Status = memory.Tombstoned
			must(p.t, w.Replace(r, store.Links{}))
		}},
		{"other terms", func(w store.Writer) { must(p.t, w.Reindex(number, words("milk"))) }},
		{"a reading", func(w store.Writer) { p.keep(w, given(1, "one", 1)) }},
		{"a row less", func(w store.Writer) { must(p.t, w.Delete(id(2))) }},
	} {
		before := sum()
		var within store.Sum
		p.update(ada, func(w store.Writer) {
			same(p.t, "at the beginning of an Update: "+step.name, value(w.Sum())(p.t), before)
			step.write(w)
			within = value(w.Sum())(p.t)
		})
		after := sum()
		if was, known := seen[after]; known || after == before {
			p.t.Errorf("%s leads to the sum of %q", step.name, was)
		}
		seen[after] = step.name
		if step.name == "a reading" {
			same(p.t, "at the end of an Update", within, after)
		}
	}
	p.update(bob, func(w store.Writer) { value(w.Insert(row(9), words("tea"), store.Links{}))(p.t) })
	if seen[sum()] != "a row less" {
		p.t.Error("another owner's row changes the sum")
	}
}

func searchReindexMissing(p *place) {
	reindex := func(w store.Writer) { fails(p.t, "Reindex", w.Reindex(1, words("x")), store.ErrNotFound) }
	p.update(ada, reindex)
	p.insert(bob, row(1))
	p.insert(ada, row(1))
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Delete(id(1)))
		reindex(w)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "size", size(p, r), [2]int64{0, 0})
		same(p.t, "frequencies", value(r.Frequencies([]string{"x"}))(p.t), []int{0})
	})
}

func searchDelete(p *place) {
	terms := []string{"", "\x00", "a\x00b", "a b", "a\nb", "ä", strings.Repeat("long", 500)}
	d := words(terms...)
	d.Version = 7
	for n := range 2 {
		p.update(ada, func(w store.Writer) { value(w.Insert(row(n), d, store.Links{}))(p.t) })
	}
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Replace(row(0), store.Links{}))
		must(p.t, w.Reindex(1, words("other", "a b")))
		must(p.t, w.Delete(id(1)))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "of the new terms", value(r.Frequencies([]string{"other", "a b"}))(p.t), []int{1, 1})
		same(p.t, "of the old", value(r.Frequencies(terms))(p.t), []int{0, 0, 0, 1, 0, 0, 0})
		same(p.t, "size", size(p, r), [2]int64{1, 2})
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(0))) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "in the end", value(r.Frequencies(append(terms, "other")))(p.t), make([]int, len(terms)+1))
		same(p.t, "size in the end", size(p, r), [2]int64{0, 0})
		for _, term := range append(terms, "other") {
			same(p.t, "postings", len(value(r.Postings(term, 9))(p.t)), 0)
		}
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func searchOrder(p *place) {
	p.update(ada, func(w store.Writer) {
		for n := 1; n <= 5; n++ {
			value(w.Insert(row(n), words("x"), store.Links{}))(p.t)
		}
		must(p.t, w.Reindex(2, words("x", "y")))
		must(p.t, w.Reindex(1, words("x", "y")))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "x", numbers(value(r.Postings("x", 9))(p.t)), []int64{5, 4, 3, 2, 1})
		same(p.t, "y", numbers(value(r.Postings("y", 9))(p.t)), []int64{2, 1})
		same(p.t, "the newest two", numbers(value(r.Postings("x", 2))(p.t)), []int64{5, 4})
	})
}

func searchEmpty(p *place) {
	p.insert(ada, row(1), row(2))
	p.view(ada, func(r store.Reader) { same(p.t, "size", size(p, r), [2]int64{0, 0}) })
	p.update(ada, func(w store.Writer) { must(p.t, w.Reindex(1, words("x"))) })
	p.view(ada, func(r store.Reader) { same(p.t, "size", size(p, r), [2]int64{1, 1}) })
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(2))) })
	p.view(ada, func(r store.Reader) { same(p.t, "size", size(p, r), [2]int64{1, 1}) })
}

func searchWide(p *place) {
	var terms []string
	for n := range 5000 {
		terms = append(terms, fmt.Sprintf("%s%d", strings.Repeat("t", n%60), n))
	}
	p.update(ada, func(w store.Writer) { value(w.Insert(row(1), words(terms...), store.Links{}))(p.t) })
	p.view(ada, func(r store.Reader) {
		for i, n := range value(r.Frequencies(terms))(p.t) {
			if n != 1 {
				p.t.Fatalf("term %d occurs in %d documents", i, n)
			}
		}
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	p.view(ada, func(r store.Reader) {
		for i, n := range value(r.Frequencies(terms))(p.t) {
			if n != 0 || len(value(r.Postings(terms[i], 9))(p.t)) != 0 {
				p.t.Fatalf("term %d is left", i)
			}
		}
	})
}
