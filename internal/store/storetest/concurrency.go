package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var togetherTests = []test{
	{"no update of many owners is lost", togetherOwners},
	{"an Update that fails or panics leaves nothing among others", togetherFailing},
	{"very many rows of one Update come back as they went in", togetherMany},
	{"an Update of many rows sees what it has done", togetherSees},
}

// togetherOwners has sixteen goroutines count, for three owners in turn, in data that
// each Update reads and writes.
func togetherOwners(p *place) {
	const writers, each = 16, 12
	owners := []memory.DID{ada, bob, "did:key:eve"}
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for i := range each {
				if err := p.store.Update(context.Background(), owners[(n+i)%3], countUp); err != nil {
					p.t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, owner := range owners {
		p.view(owner, func(r store.Reader) { counted(p, r, writers*each/3) })
	}
}

// countUp adds one to a number that is stored in a name, and returns it.
func countUp(w store.Writer) error {
	names, err := w.ProjectAliases()
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(names["count"]) // 0 at first
	sequence, err := w.Record(store.Change{At: birth, Type: store.Revised, Mark: strconv.Itoa(n + 1)})
	if err == nil && sequence != int64(n+1) {
		err = fmt.Errorf("change %d has the sequence number %d", n+1, sequence)
	}
	return errors.Join(err, w.SetProjectAlias("count", strconv.Itoa(n+1)))
}

func counted(p *place, r store.Reader, n int) {
	p.t.Helper()
	same(p.t, "count", value(r.ProjectAliases())(p.t), map[string]string{"count": strconv.Itoa(n)})
	changes := value(r.Changes(0, n+1))(p.t)
	same(p.t, "changes", len(changes), n)
	for i, c := range changes {
		same(p.t, "sequence", [2]string{strconv.FormatInt(c.Sequence, 10), c.Mark}, [2]string{strconv.Itoa(i + 1), strconv.Itoa(i + 1)})
	}
}

func togetherFailing(p *place) {
	const writers, each = 9, 8
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for range each {
				func() {
					defer func() { _ = recover() }() // a store may pass the panic on or return it as an error
					_ = p.store.Update(context.Background(), ada, func(w store.Writer) error {
						if err := countUp(w); err != nil || n%3 == 0 {
							return errors.Join(err, errRefused)
						}
						if n%3 == 1 {
							panic("oh")
						}
						return nil
					})
				}()
			}
		})
	}
	wg.Wait()
	p.view(ada, func(r store.Reader) { counted(p, r, writers/3*each) })
}

// many makes a row that differs from others in every column.
func many(n int) (store.Row, store.Document, store.Links) {
	s := strconv.Itoa(n)
	r := with(row(n), func(c *store.Columns) {
		c.Kind, c.Project, c.User, c.Duplicate, c.Lineage = memory.Kinds()[n%5], "project"+strconv.Itoa(n%7), s, s, id(n)
		if n%2 == 0 {
			c.To, c.Expires, c.Lineage, c.User = birth.Add(time.Duration(n)*time.Hour), birth, id(n/2), ""
		}
	})
	r.ID = memory.ID(fmt.Sprintf("urn:ump:%06d", n))
	if n%3 == 0 {
		r.Current = []byte(`{"now":` + s + `}`)
	}
	return r, words("word", "w"+s, "w"+strconv.Itoa(n%10)), store.Links{Supersedes: []memory.ID{"urn:target:" + memory.ID(strconv.Itoa(n%50))}}
}

func togetherMany(p *place) {
	const count = 2000
	rows := make([]store.Row, count)
	p.update(ada, func(w store.Writer) {
		for n := range count {
			var d store.Document
			var links store.Links
			rows[n], d, links = many(n)
			rows[n].Number = value(w.Insert(rows[n], d, links))(p.t)
			value(w.Record(store.Change{At: birth, Type: store.Created, ID: rows[n].ID}))(p.t)
			must(p.t, w.SetAlias("space", rows[n].Columns.Duplicate, rows[n].ID))
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "rows", page(p.t, r, store.Filter{}, 300), rows)
		same(p.t, "size", size(p, r), [2]int64{count, 3 * count})
		same(p.t, "frequencies", value(r.Frequencies([]string{"word", "w3", "w1003"}))(p.t), []int{count, count / 10, 1})
		same(p.t, "terms", value(r.Terms("w19", 4))(p.t), []string{"w19", "w190", "w1900", "w1901"})
		same(p.t, "every term", len(value(r.Terms("", 2*count))(p.t)), count+1)
		postings := numbers(value(r.Postings("word", count+1))(p.t))
		same(p.t, "postings", len(postings) == count && slices.IsSorted(backwards(postings)), true)
		same(p.t, "relating", len(value(r.Relating("urn:target:49"))(p.t)), count/50)
		same(p.t, "alias", value(r.Alias("space", "1234"))(p.t), rows[1234].ID)
		same(p.t, "last change", value(r.Changes(count-1, 9))(p.t)[0].ID, rows[count-1].ID)
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func togetherSees(p *place) {
	held := make(map[string]int)
	p.update(ada, func(w store.Writer) {
		for n := range 200 {
			r, d, links := many(n)
			term := "w" + strconv.Itoa(n%10)
			held[term]++
			r.Number = value(w.Insert(r, d, links))(p.t)
			_, err := w.Insert(r, d, links)
			fails(p.t, "again", err, store.ErrExists)
			same(p.t, "row", value(w.Row(r.ID))(p.t), r)
			r.Columns.Project = "moved"
			must(p.t, w.Replace(r, store.Links{}))
			must(p.t, w.Reindex(r.Number, words("other")))
			same(p.t, "frequency without it", value(w.Frequencies([]string{term}))(p.t), []int{held[term] - 1})
			same(p.t, "term without it", slices.Contains(value(w.Terms(term, 1))(p.t), term), held[term] > 1)
			must(p.t, w.Reindex(r.Number, d))
			same(p.t, "duplicates", value(w.Duplicates(r.Columns.Duplicate, 0))(p.t), []store.Row{r})
			if n%4 == 0 {
				held[term]--
				must(p.t, w.Delete(r.ID))
				_, err := w.Row(r.ID)
				fails(p.t, "Row", err, store.ErrNotFound)
			}
			same(p.t, "frequency", value(w.Frequencies([]string{term}))(p.t), []int{held[term]})
			same(p.t, "term", slices.Contains(value(w.Terms(term, 1))(p.t), term), held[term] > 0)
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "count", value(r.Count(store.Filter{Projects: []string{"moved"}}))(p.t), 150)
		same(p.t, "terms of no document", len(value(r.Terms("other", 9))(p.t)), 0)
		for term, n := range held {
			same(p.t, "postings of "+term, len(value(r.Postings(term, 999))(p.t)), n)
		}
	})
}
