package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var updateTests = []test{
	{"of a failing Update nothing remains", updateAtomic},
	{"an error comes back unchanged", updateError},
	{"a panic harms its own Update only", updatePanic},
	{"concurrent Updates all happen, numbered without gaps", updateConcurrent},
	{"a failure among concurrent Updates is alone", updateMixed},
	{"a snapshot does not move", updateSnapshot},
	{"a done context stops an Update that has not begun", updateContext},
	{"a done context stops a View", viewContext},
	{"what a function received ends with it", updateEscape},
}

func updateAtomic(p *place) {
	furnish(p, ada)
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		value(w.Insert(row(3), words("word", "new"), store.Links{Supersedes: list(9)}))(p.t)
		must(p.t, w.Replace(with(row(1), func(c *store.Columns) { c.Project = "q" }), store.Links{}))
		must(p.t, w.Delete(id(2)))
		must(p.t, w.SetAlias("space", "x", id(3)))
		must(p.t, w.SetProjectAlias("alias", "q"))
		value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(3)}))(p.t)
		must(p.t, w.SetReceipt(store.Receipt{Key: "k2", At: birth}, time.Hour))
		value(w.SetImport(store.Import{Number: 1, Digest: "other"}))(p.t)
		value(w.Publish(1))(p.t)
		must(p.t, w.SetLesson(1, lesson(9)))
		must(p.t, w.SetGrant(store.Grant{ID: "new"}))
		return errRefused
	}), errRefused)
	p.view(ada, func(r store.Reader) {
		same(p.t, "lesson", value(r.Lessons([]int64{1}))(p.t), []store.Lesson{lesson(1)})
		same(p.t, "grants", len(value(r.Grants())(p.t)), 1)
		same(p.t, "rows", ids(page(p.t, r, store.Filter{Projects: []string{"p"}}, 9)), list(1))
		same(p.t, "staged", value(r.Count(store.Filter{Import: 1}))(p.t), 2)
		same(p.t, "alias", value(r.Alias("space", "x"))(p.t), id(1))
		same(p.t, "project alias", value(r.ProjectAliases())(p.t), map[string]string{"alias": "p"})
		same(p.t, "changes", len(value(r.Changes(0, 9))(p.t)), 1)
		_, err := r.Receipt("k2")
		fails(p.t, "Receipt", err, store.ErrNotFound)
		same(p.t, "import", value(r.Import(1))(p.t).Digest, "d")
		same(p.t, "frequencies", value(r.Frequencies([]string{"word", "new"}))(p.t), []int{2, 0})
		same(p.t, "size", size(p, r), [2]int64{2, 2})
		same(p.t, "links", value(r.Relating(string(id(9))))(p.t), list(1))
	})
	p.insert(ada, row(4))
	p.view(ada, func(r store.Reader) { same(p.t, "next number", value(r.Row(id(4)))(p.t).Number, 3) })
}

func updateError(p *place) {
	want := &memory.Error{Kind: memory.InvalidRecord, Message: "mine"}
	for name, call := range map[string]func() error{
		"Update": func() error { return p.store.Update(p.t.Context(), ada, func(store.Writer) error { return want }) },
		"View":   func() error { return p.store.View(p.t.Context(), ada, func(store.Reader) error { return want }) },
	} {
		if err := call(); err != error(want) {
			p.t.Errorf("%s: got %v", name, err)
		}
	}
}

func updatePanic(p *place) {
	func() {
		defer func() { _ = recover() }() // a store may pass the panic on or return it as an error
		err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
			value(w.Insert(row(1), store.Document{}, store.Links{}))(p.t)
			panic("oh")
		})
		same(p.t, "refused", err != nil, true)
	}()
	p.insert(ada, row(2))
	p.view(ada, func(r store.Reader) { same(p.t, "rows", ids(page(p.t, r, store.Filter{}, 9)), list(2)) })
}

func updateConcurrent(p *place) {
	const writers, each = 16, 25
	var wg sync.WaitGroup
	for n := range writers {
		owner := []memory.DID{ada, bob}[n%2]
		wg.Go(func() {
			for i := range each {
				if err := p.store.Update(context.Background(), owner, insertAndRecord(n*each+i)); err != nil {
					p.t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, owner := range []memory.DID{ada, bob} {
		p.view(owner, func(r store.Reader) { checkFeed(p.t, r, writers/2*each) })
	}
}

func insertAndRecord(n int) func(store.Writer) error {
	return func(w store.Writer) error {
		row := row(n)
		if _, err := w.Insert(row, words("word", fmt.Sprint(n)), store.Links{}); err != nil {
			return err
		}
		_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: row.ID})
		return err
	}
}

// checkFeed expects n rows, made one after the other, each with its change.
func checkFeed(t testing.TB, r store.Reader, n int) {
	t.Helper()
	same(t, "count", value(r.Count(store.Filter{}))(t), n)
	changes := value(r.Changes(0, n+1))(t)
	same(t, "changes", len(changes), n)
	for i, c := range changes {
		same(t, "sequence", c.Sequence, int64(i+1))
		same(t, "number", value(r.Row(c.ID))(t).Number, c.Sequence)
	}
	same(t, "postings", len(value(r.Postings("word", n+1))(t)), n)
	same(t, "frequency", value(r.Frequencies([]string{"word"}))(t), []int{n})
}

func updateMixed(p *place) {
	const writers, each = 12, 20
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for i := range each {
				err := p.store.Update(context.Background(), ada, func(w store.Writer) error {
					if err := insertAndRecord(n*each + i)(w); err != nil {
						return err
					}
					if n%3 == 0 {
						return errRefused
					}
					return nil
				})
				if refused := errors.Is(err, errRefused); refused != (n%3 == 0) || (err != nil && !refused) {
					p.t.Errorf("writer %d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	p.view(ada, func(r store.Reader) { checkFeed(p.t, r, writers/3*2*each) })
}

func updateSnapshot(p *place) {
	p.insert(ada, row(1))
	p.view(ada, func(r store.Reader) {
		same(p.t, "before", value(r.Count(store.Filter{}))(p.t), 1)
		p.insert(ada, row(2))
		same(p.t, "after", value(r.Count(store.Filter{}))(p.t), 1)
		_, err := r.Row(id(2))
		fails(p.t, "Row", err, store.ErrNotFound)
		p.view(ada, func(r store.Reader) { same(p.t, "another View", value(r.Count(store.Filter{}))(p.t), 2) })
	})
}

func updateContext(p *place) {
	ctx, cancel := context.WithCancel(p.t.Context())
	begun, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
			close(begun)
			<-release
			_, err := w.Insert(row(1), store.Document{}, store.Links{})
			return err
		}); err != nil {
			p.t.Error(err)
		}
	})
	<-begun
	waiting := make(chan error)
	go func() {
		waiting <- p.store.Update(ctx, ada, func(store.Writer) error {
			p.t.Error("a function ran although its context was done")
			return nil
		})
	}()
	time.Sleep(10 * time.Millisecond) // mostly long enough for it to wait
	cancel()
	fails(p.t, "waiting", <-waiting, context.Canceled)
	close(release)
	wg.Wait()
	fails(p.t, "Update", p.store.Update(ctx, ada, func(store.Writer) error { return nil }), context.Canceled)
	p.view(ada, func(r store.Reader) { same(p.t, "rows", ids(page(p.t, r, store.Filter{}, 9)), list(1)) })
}

func viewContext(p *place) {
	ctx, cancel := context.WithCancel(p.t.Context())
	err := p.store.View(ctx, ada, func(r store.Reader) error {
		cancel()
		_, err := r.Row(id(1))
		return err
	})
	fails(p.t, "View", err, context.Canceled)
}

func updateEscape(p *place) {
	var w store.Writer
	var r store.Reader
	p.update(ada, func(got store.Writer) { w = got })
	p.view(ada, func(got store.Reader) { r = got })
	_, err := w.Insert(row(1), store.Document{}, store.Links{})
	same(p.t, "a late write is refused", err != nil, true)
	_, err = r.Count(store.Filter{})
	same(p.t, "a late read is refused", err != nil, true)
	p.view(ada, func(r store.Reader) { same(p.t, "count", value(r.Count(store.Filter{}))(p.t), 0) })
}

var wholeTests = []test{
	{"a sound store checks out", wholeCheck},
	{"a closed store refuses", wholeClosed},
	{"compacting changes nothing that can be read", wholeCompact},
	{"compaction is owed once content has left", wholeOwed},
}

func wholeCheck(p *place) {
	same(p.t, "empty", append([]string{}, value(p.store.Check(p.t.Context()))(p.t)...), []string{})
	furnish(p, ada)
	furnish(p, bob)
	p.update(ada, func(w store.Writer) { must(p.t, w.Reindex(1, words("a", "b"))) })
	p.update(bob, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	same(p.t, "in use", append([]string{}, value(p.store.Check(p.t.Context()))(p.t)...), []string{})
}

func wholeClosed(p *place) {
	must(p.t, p.store.Close())
	must(p.t, p.store.Close())
	fails(p.t, "View", p.store.View(p.t.Context(), ada, func(store.Reader) error { return nil }), store.ErrClosed)
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(store.Writer) error { return nil }), store.ErrClosed)
	_, err := p.store.Owners(p.t.Context())
	fails(p.t, "Owners", err, store.ErrClosed)
	_, err = p.store.Check(p.t.Context())
	fails(p.t, "Check", err, store.ErrClosed)
}

func wholeCompact(p *place) {
	c, ok := p.store.(store.Compacter)
	if !ok {
		p.t.Skip("skipped: this store cannot compact")
	}
	p.update(ada, func(w store.Writer) {
		for n := range 200 {
			r := row(n)
			r.Origin = bytes.Repeat([]byte("x"), 100*n)
			value(w.Insert(r, words("word", fmt.Sprint(n)), store.Links{}))(p.t)
		}
		for n := 0; n < 200; n += 2 {
			must(p.t, w.Delete(id(n)))
		}
	})
	must(p.t, c.Compact(p.t.Context()))
	p.view(ada, func(r store.Reader) {
		rows := page(p.t, r, store.Filter{}, 500)
		same(p.t, "rows", len(rows), 100)
		for _, r := range rows {
			same(p.t, "length", len(r.Origin), 100*(int(r.Number)-1))
		}
		same(p.t, "postings", len(value(r.Postings("word", 500))(p.t)), 100)
	})
	same(p.t, "findings", append([]string{}, value(p.store.Check(p.t.Context()))(p.t)...), []string{})
}
