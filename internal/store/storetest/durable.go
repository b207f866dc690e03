package storetest

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

// Durable tests that data is there when a store is opened again, and that two stores
// on one place see one another's writes. open opens the same place at each call, an
// empty one at first.
func Durable(t *testing.T, open func(t testing.TB) store.Store) {
	first := &place{t: t, store: open(t)}
	furnish(first, ada)
	second := &place{t: t, store: open(t)}
	second.insert(ada, row(3))
	furnish(second, bob)
	durableWatch(t, first, second)
	durableLeave(t, first, second)
	first.view(ada, func(r store.Reader) {
		same(t, "the other's writes", ids(page(t, r, store.Filter{}, 9)), list(1, 3))
	})
	first.insert(ada, row(4))
	must(t, first.store.Close())
	second.insert(ada, row(5))
	must(t, second.store.Close())

	third := &place{t: t, store: open(t)}
	third.view(ada, func(r store.Reader) {
		rows := page(t, r, store.Filter{}, 9)
		same(t, "rows", ids(rows), list(1, 3, 4, 5))
		same(t, "last number", rows[3].Number, 5)
		same(t, "staged", value(r.Count(store.Filter{Import: 1}))(t), 2)
		same(t, "alias", value(r.Alias("space", "x"))(t), id(1))
		same(t, "postings", numbers(value(r.Postings("word", 9))(t)), []int64{1})
		same(t, "changes", len(value(r.Changes(0, 9))(t)), 1)
		same(t, "receipt", value(r.Receipt("k"))(t).At, birth)
		same(t, "imports", len(value(r.Imports())(t)), 1)
		same(t, "lesson", value(r.Lessons([]int64{1}))(t), []store.Lesson{lesson(1)})
		same(t, "grants", len(value(r.Grants())(t)), 1)
		same(t, "audit log", texts(value(r.Audit().AuditEntries(0, 9))(t)), texts(entries("entry", 0, 2)))
		same(t, "head", string(value(r.Audit().AuditHead())(t)), "head")
	})
	same(t, "owners", len(value(third.store.Owners(t.Context()))(t)), 3)
	same(t, "findings", len(value(third.store.Check(t.Context()))(t)), 0)
	must(t, third.store.Close())
}
