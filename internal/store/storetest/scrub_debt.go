package storetest

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
)

// wholeOwed makes one change after the other and checks after each whether a Compact
// is owed.
func wholeOwed(p *place) {
	c, ok := p.store.(store.Compacter)
	if !ok {
		p.t.Skip("skipped: this store cannot compact")
	}
	grown, shrunk, gone := row(1), row(1), row(1)
	grown.Current = []byte(`{"n":1,"more":2}`)
	shrunk.Current = []byte(`{"n":1}`)
	gone.Origin, gone.Current = nil, shrunk.Current
	imported := store.Import{At: birth, Residue: []byte("residue")}
	again := imported
	again.Number = 1
	for _, step := range []struct {
		name string
		owed bool
		do   func(w store.Writer) error
	}{
		{"nothing", false, func(store.Writer) error { return nil }},
		{"an insert", false, func(w store.Writer) error {
			_, err := w.Insert(row(1), words("a", "b"), store.Links{})
			return err
		}},
		{"an attachment without content", false, func(w store.Writer) error {
			_, err := store.Attach(w, store.Attachment{Space: "count.test", Key: "k", Data: []byte("1")})
			return errors.Join(err, w.Detach("count.test", "k"))
		}},
		{"an attachment", true, func(w store.Writer) error {
			_, err := store.Attach(w, store.Attachment{Space: "test", Key: "k", Data: []byte("1")})
			return errors.Join(err, w.Detach("test", "k"))
		}},
		{"other columns", false, func(w store.Writer) error {
			return w.Replace(with(row(1), func(c *store.Columns) { c.Project = "p" }), store.Links{})
		}},
		{"a present form", false, func(w store.Writer) error { return w.Replace(grown, store.Links{}) }},
		{"a shorter present form", true, func(w store.Writer) error { return w.Replace(shrunk, store.Links{}) }},
		{"no present form", true, func(w store.Writer) error { return w.Replace(row(1), store.Links{}) }},
		{"more terms", false, func(w store.Writer) error { return w.Reindex(1, words("a", "b", "c")) }},
		{"fewer terms", true, func(w store.Writer) error { return w.Reindex(1, words("a", "c")) }},
		{"no terms", true, func(w store.Writer) error { return w.Reindex(1, store.Document{}) }},
		{"no origin", true, func(w store.Writer) error { return w.Replace(gone, store.Links{}) }},
		{"a deletion", true, func(w store.Writer) error { return w.Delete(id(1)) }},
		{"an import", false, func(w store.Writer) error { _, err := w.SetImport(imported); return err }},
		{"the same import", false, func(w store.Writer) error { _, err := w.SetImport(again); return err }},
		{"no residue", true, func(w store.Writer) error {
			_, err := w.SetImport(store.Import{Number: 1, At: birth})
			return err
		}},
		{"a lesson and a grant", false, func(w store.Writer) error {
			n, err := w.Insert(row(2), store.Document{}, store.Links{})
			return errors.Join(err, w.SetLesson(n, lesson(1)), w.SetGrant(store.Grant{ID: "token"}))
		}},
		{"the end of everything", true, func(w store.Writer) error { return w.EraseOwner() }},
	} {
		refused := p.store.Update(p.t.Context(), ada, func(w store.Writer) error { return errors.Join(step.do(w), errRefused) })
		fails(p.t, step.name, refused, errRefused)
		same(p.t, "owed after what failed: "+step.name, value(c.Owed(p.t.Context()))(p.t), false)
		p.update(ada, func(w store.Writer) { must(p.t, step.do(w)) })
		p.insert(bob, row(1))
		p.update(ada, func(w store.Writer) { value(w.Record(store.Change{At: birth}))(p.t) })
		same(p.t, "owed after "+step.name, value(c.Owed(p.t.Context()))(p.t), step.owed)
		must(p.t, c.Compact(p.t.Context()))
		same(p.t, "owed in the end", value(c.Owed(p.t.Context()))(p.t), false)
		p.update(bob, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
		same(p.t, "owed for another owner", value(c.Owed(p.t.Context()))(p.t), true)
		must(p.t, c.Compact(p.t.Context()))
	}
}
