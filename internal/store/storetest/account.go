package storetest

import (
	"bytes"
	"math"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var accountTests = []test{
	{"an account is filed, replaced and taken back", accountFiled},
	{"an account outlives everything else of its owner", accountStays},
	{"an account is none of another's business", accountOthers},
	{"records and bytes are counted whatever happens to them", usageSteps},
	{"what comes to nothing is not counted", usageRefused},
	{"what others have is not counted", usageOthers},
}

func fullAccount() store.Account {
	return store.Account{
		Key: []byte{0, 255, 7}, Label: "a friend\x00\xff", Quota: store.Quota{Records: 3, Bytes: math.MaxInt64},
		Added: birth.Add(time.Hour),
	}
}

// account expects a reader's account of its owner.
func account(p *place, r store.Reader, what string, want store.Account) {
	p.t.Helper()
	same(p.t, what, value(r.Account())(p.t), want)
}

func accountFiled(p *place) {
	p.view(ada, func(r store.Reader) { account(p, r, "of nobody", store.Account{}) })
	p.insert(ada, row(1))
	p.view(ada, func(r store.Reader) { account(p, r, "at first", store.Account{}) })
	steps := []store.Account{
		fullAccount(),
		{Label: "by public key only", Added: birth},
		{Quota: store.Quota{Records: 1}},
		{Key: bytes.Repeat([]byte("k"), 5000)},
		{},
	}
	for _, want := range steps {
		p.update(ada, func(w store.Writer) {
			must(p.t, w.SetAccount(want))
			account(p, w, "in the transaction", want)
		})
		p.update(ada, func(w store.Writer) { must(p.t, w.SetProjectAlias("a", "b")) })
		p.view(ada, func(r store.Reader) { account(p, r, "filed", want) })
	}
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, w.SetAccount(fullAccount()))
		return errRefused
	}), errRefused)
	p.view(ada, func(r store.Reader) { account(p, r, "after what failed", store.Account{}) })
	rounded := store.Account{Added: birth.Add(time.Nanosecond).In(time.FixedZone("somewhere", 3600)), Key: []byte{}}
	p.update(ada, func(w store.Writer) { must(p.t, w.SetAccount(rounded)) })
	p.view(ada, func(r store.Reader) { account(p, r, "to the microsecond, in UTC", store.Account{Added: birth}) })
}

func accountStays(p *place) {
	p.update(ada, func(w store.Writer) { must(p.t, w.SetAccount(fullAccount())) })
	same(p.t, "owners", value(p.store.Owners(p.t.Context()))(p.t), []memory.DID{ada})
	furnish(p, ada)
	p.update(ada, func(w store.Writer) {
		must(p.t, w.EraseOwner())
		account(p, w, "in the transaction", fullAccount())
	})
	p.view(ada, func(r store.Reader) {
		bare(p, r)
		account(p, r, "when all is erased", fullAccount())
	})
	p.insert(ada, row(5))
	p.view(ada, func(r store.Reader) { account(p, r, "when there are rows again", fullAccount()) })
}

func accountOthers(p *place) {
	other := store.Account{Key: []byte("other"), Label: "other", Quota: store.Quota{Records: 9, Bytes: 8}, Added: birth}
	p.update(ada, func(w store.Writer) { must(p.t, w.SetAccount(fullAccount())) })
	p.view(bob, func(r store.Reader) { account(p, r, "of another", store.Account{}) })
	p.update(bob, func(w store.Writer) { must(p.t, w.SetAccount(other)) })
	p.view(ada, func(r store.Reader) { account(p, r, "beside another", fullAccount()) })
	p.update(ada, func(w store.Writer) { must(p.t, w.SetAccount(store.Account{})) })
	p.view(bob, func(r store.Reader) { account(p, r, "of the other", other) })
}

func usage(p *place, r store.Reader) [2]int64 {
	p.t.Helper()
	records, bytes, err := r.Usage()
	must(p.t, err)
	return [2]int64{records, bytes}
}

// saying makes a row of a number of bytes.
func saying(n, origin, current int) store.Row {
	r := row(n)
	r.Origin, r.Current = bytes.Repeat([]byte("o"), origin), bytes.Repeat([]byte("c"), current)
	return r
}

// usageSteps makes one change after the other and checks the usage after each.
func usageSteps(p *place) {
	insert := func(r store.Row) func(store.Writer) error {
		return func(w store.Writer) error {
			_, err := w.Insert(r, words("a"), store.Links{})
			return err
		}
	}
	replace := func(r store.Row) func(store.Writer) error {
		return func(w store.Writer) error { return w.Replace(r, store.Links{}) }
	}
	staged := with(saying(3, 50, 0), func(c *store.Columns) { c.Import, c.Staged = 1, true })
	again := with(saying(4, 60, 0), func(c *store.Columns) { c.Import, c.Staged = 1, true })
	for _, step := range []struct {
		name string
		want [2]int64
		do   func(store.Writer) error
	}{
		{"nothing", [2]int64{0, 0}, func(store.Writer) error { return nil }},
		{"an insert", [2]int64{1, 100}, insert(saying(1, 100, 0))},
		{"another", [2]int64{2, 430}, insert(saying(2, 300, 30))},
		{"a present form", [2]int64{2, 450}, replace(saying(1, 100, 20))},
		{"a longer one", [2]int64{2, 530}, replace(saying(1, 100, 100))},
		{"a shorter one", [2]int64{2, 440}, replace(saying(1, 100, 10))},
		{"no origin", [2]int64{2, 340}, replace(saying(1, 0, 10))},
		{"an index", [2]int64{2, 340}, func(w store.Writer) error { return w.Reindex(1, words("b", "c")) }},
		{"a deletion", [2]int64{1, 10}, func(w store.Writer) error { return w.Delete(id(2)) }},
		{"a staged row", [2]int64{2, 60}, insert(staged)},
		{"its replacement", [2]int64{2, 65}, replace(with(saying(3, 50, 5), func(c *store.Columns) { *c = staged.Columns }))},
		{"publishing", [2]int64{2, 65}, func(w store.Writer) error { _, err := w.Publish(1); return err }},
		{"another staged row", [2]int64{3, 125}, insert(again)},
		{"its undoing", [2]int64{2, 65}, func(w store.Writer) error { return w.Delete(id(4)) }},
		{"the undoing of what was published", [2]int64{1, 10}, func(w store.Writer) error { return w.Delete(id(3)) }},
		{"all at once", [2]int64{2, 211}, func(w store.Writer) error {
			for _, do := range []func(store.Writer) error{insert(saying(5, 1, 0)), insert(saying(6, 200, 0)), replace(saying(5, 1, 200))} {
				must(p.t, do(w))
			}
			same(p.t, "in the transaction", usage(p, w), [2]int64{3, 411})
			must(p.t, w.Delete(id(6)))
			return w.Replace(saying(5, 200, 1), store.Links{})
		}},
		{"the end of everything", [2]int64{0, 0}, func(w store.Writer) error { return w.EraseOwner() }},
		{"an insert afterwards", [2]int64{1, 7}, insert(saying(1, 7, 0))},
	} {
		refused := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
			must(p.t, step.do(w))
			return errRefused
		})
		fails(p.t, step.name, refused, errRefused)
		p.update(ada, func(w store.Writer) {
			must(p.t, step.do(w))
			same(p.t, "in the transaction: "+step.name, usage(p, w), step.want)
		})
		p.view(ada, func(r store.Reader) { same(p.t, step.name, usage(p, r), step.want) })
		same(p.t, "findings after "+step.name, len(value(p.store.Check(p.t.Context()))(p.t)), 0)
	}
}

func usageRefused(p *place) {
	p.insert(ada, saying(1, 10, 0))
	p.update(ada, func(w store.Writer) {
		_, err := w.Insert(saying(1, 99, 99), store.Document{}, store.Links{})
		fails(p.t, "Insert", err, store.ErrExists)
		fails(p.t, "Replace", w.Replace(saying(2, 99, 99), store.Links{}), store.ErrNotFound)
		fails(p.t, "Delete", w.Delete(id(2)), store.ErrNotFound)
		_, err = w.Insert(with(saying(3, 99, 99), func(c *store.Columns) { c.Staged = true }), store.Document{}, store.Links{})
		same(p.t, "staged for no import", err != nil, true)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "usage", usage(p, r), [2]int64{1, 10}) })
}

func usageOthers(p *place) {
	p.insert(ada, saying(1, 10, 0), saying(2, 20, 0))
	p.view(bob, func(r store.Reader) { same(p.t, "of nobody", usage(p, r), [2]int64{0, 0}) })
	p.insert(bob, saying(1, 5, 1))
	p.update(bob, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { same(p.t, "usage", usage(p, r), [2]int64{2, 30}) })
}
