package storetest

import (
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var journalTests = []test{
	{"changes come in order, from a number on", journalChanges},
	{"an import takes a number for each of its records", journalRange},
	{"a failed Update leaves no gap in the feed", journalGap},
	{"a receipt is kept until it is too old", journalReceipts},
	{"receipts go with the record they answer with", journalDropReceipts},
	{"an import is filed, changed and found", journalImports},
}

func journalChanges(p *place) {
	var want []store.Change
	for i, kind := range []store.ChangeType{store.Created, store.Merged, store.Revised, store.Tombstoned, store.Erased} {
		want = append(want, store.Change{Sequence: int64(i + 1), At: birth.Add(time.Duration(i)), Type: kind, ID: id(i)})
		want[i].At = want[i].At.Truncate(time.Microsecond)
	}
	want[4].Mark = "a mark"
	want = append(want, store.Change{Sequence: 6, At: birth, Type: store.Imported, Import: 3})
	p.update(ada, func(w store.Writer) {
		for i, c := range want {
			c.Sequence = 77
			same(p.t, "number", value(w.Record(c))(p.t), int64(i+1))
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "all", value(r.Changes(0, 9))(p.t), want)
		same(p.t, "some", value(r.Changes(2, 3))(p.t), want[2:5])
		same(p.t, "none", len(value(r.Changes(6, 9))(p.t)), 0)
		same(p.t, "none asked for", len(value(r.Changes(0, 0))(p.t)), 0)
	})
}

func journalRange(p *place) {
	imported := store.Change{At: birth, Type: store.Imported, Import: 1, First: 7, Last: 16}
	p.update(ada, func(w store.Writer) {
		same(p.t, "before", value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)}))(p.t), int64(1))
		same(p.t, "an import of ten", value(w.Record(imported))(p.t), int64(11))
		imported.First, imported.Last = 17, 17
		same(p.t, "an import of one", value(w.Record(imported))(p.t), int64(12))
	})
	p.update(ada, func(w store.Writer) {
		same(p.t, "after", value(w.Record(store.Change{At: birth, Type: store.Created, ID: id(2)}))(p.t), int64(13))
	})
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		_, err := w.Record(store.Change{At: birth, Type: store.Imported, Import: 1, First: 2, Last: 1})
		same(p.t, "a range backwards is refused", err != nil, true)
		return errRefused
	}), errRefused)
	p.view(ada, func(r store.Reader) {
		all := value(r.Changes(0, 9))(p.t)
		var got [][3]int64
		for _, c := range all {
			got = append(got, [3]int64{c.Sequence, c.First, c.Last})
		}
		same(p.t, "all", got, [][3]int64{{1, 0, 0}, {11, 7, 16}, {12, 17, 17}, {13, 0, 0}})
		same(p.t, "from the middle of an import", value(r.Changes(5, 9))(p.t), all[1:])
		same(p.t, "from its end", value(r.Changes(11, 9))(p.t), all[2:])
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func journalDropReceipts(p *place) {
	answer := func(n int) []byte { return []byte(`{"ID":"` + string(id(n)) + `"}`) }
	p.update(ada, func(w store.Writer) {
		for n, key := range []string{"a", "b"} {
			must(p.t, w.SetReceipt(store.Receipt{Key: key, Request: "r", Answer: answer(n), At: birth}, time.Hour))
		}
		must(p.t, w.DropReceipts(id(0)))
	})
	p.view(ada, func(r store.Reader) {
		_, err := r.Receipt("a")
		fails(p.t, "Receipt", err, store.ErrNotFound)
		same(p.t, "the other", string(value(r.Receipt("b"))(p.t).Answer), string(answer(1)))
	})
}

func journalGap(p *place) {
	record := func(w store.Writer) error {
		_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: id(1)})
		return err
	}
	must(p.t, p.store.Update(p.t.Context(), ada, record))
	fails(p.t, "Update", p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, record(w))
		return errRefused
	}), errRefused)
	must(p.t, p.store.Update(p.t.Context(), ada, record))
	p.view(ada, func(r store.Reader) {
		for i, c := range value(r.Changes(0, 9))(p.t) {
			same(p.t, "number", c.Sequence, int64(i+1))
		}
		same(p.t, "changes", len(value(r.Changes(0, 9))(p.t)), 2)
	})
}

func journalReceipts(p *place) {
	keep := time.Hour
	first := store.Receipt{Key: "k", Request: "digest", Answer: []byte(`{"id":"x"}`), At: birth}
	p.update(ada, func(w store.Writer) {
		_, err := w.Receipt("k")
		fails(p.t, "Receipt", err, store.ErrNotFound)
		must(p.t, w.SetReceipt(first, keep))
		same(p.t, "in the transaction", value(w.Receipt("k"))(p.t), first)
	})
	again := first
	again.Request, again.At = "other", birth.Add(time.Minute)
	p.update(ada, func(w store.Writer) { must(p.t, w.SetReceipt(again, keep)) })
	p.view(ada, func(r store.Reader) { same(p.t, "replaced", value(r.Receipt("k"))(p.t), again) })
	young := store.Receipt{Key: "young", At: again.At.Add(keep)}
	p.update(ada, func(w store.Writer) { must(p.t, w.SetReceipt(young, keep)) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "just young enough", value(r.Receipt("k"))(p.t), again)
		same(p.t, "young", value(r.Receipt("young"))(p.t), young)
	})
}

func journalImports(p *place) {
	want := store.Import{
		Digest: "digest", Format: "aimem", Name: "bundle.json", At: birth, State: store.Staging,
		Lease: birth.Add(time.Minute), Created: 3, Merged: 4, Units: 7, Residue: []byte{0, 1},
	}
	p.update(ada, func(w store.Writer) {
		want.Number = value(w.SetImport(want))(p.t)
		same(p.t, "first number", want.Number, 1)
		same(p.t, "second number", value(w.SetImport(store.Import{Digest: "d2", At: birth}))(p.t), 2)
		_, err := w.SetImport(store.Import{Number: 9})
		fails(p.t, "SetImport", err, store.ErrNotFound)
		_, err = w.Import(9)
		fails(p.t, "Import", err, store.ErrNotFound)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "import", value(r.Import(1))(p.t), want) })
	want.State, want.Lease, want.Residue, want.Created = store.Published, time.Time{}, nil, 5
	p.update(ada, func(w store.Writer) { same(p.t, "number", value(w.SetImport(want))(p.t), 1) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "changed", value(r.Import(1))(p.t), want)
		all := value(r.Imports())(p.t)
		same(p.t, "all", len(all), 2)
		same(p.t, "newest first", []string{all[0].Digest, all[1].Digest}, []string{"d2", "digest"})
	})
	p.update(ada, func(w store.Writer) {
		value(w.SetImport(store.Import{Number: 2, Digest: "d2", At: birth, Residue: []byte("residue")}))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "residue in the list", len(value(r.Imports())(p.t)[0].Residue), 0)
		same(p.t, "residue", string(value(r.Import(2))(p.t).Residue), "residue")
	})
}

var nameTests = []test{
	{"a foreign id stands for a record", nameAlias},
	{"projects are counted, most records first", nameProjects},
	{"projects are counted as of an instant", countValid},
	{"project aliases are set and ended", nameProjectAliases},
}

func nameAlias(p *place) {
	p.insert(ada, row(1), row(2))
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SetAlias("a", "x", id(1)))
		must(p.t, w.SetAlias("a", "y", id(1)))
		must(p.t, w.SetAlias("b", "x", id(2)))
		fails(p.t, "SetAlias", w.SetAlias("a", "z", id(9)), store.ErrNotFound)
	})
	p.view(ada, func(r store.Reader) {
		for name, want := range map[[2]string]memory.ID{{"a", "x"}: id(1), {"a", "y"}: id(1), {"b", "x"}: id(2)} {
			same(p.t, name[0]+name[1], value(r.Alias(name[0], name[1]))(p.t), want)
		}
		_, err := r.Alias("b", "y")
		fails(p.t, "Alias", err, store.ErrNotFound)
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.SetAlias("a", "x", id(2))) })
	p.view(ada, func(r store.Reader) { same(p.t, "moved", value(r.Alias("a", "x"))(p.t), id(2)) })
}

func nameProjects(p *place) {
	in := func(n int, project string, status memory.Status) store.Row {
		return with(row(n), func(c *store.Columns) { c.Project, c.Status = project, status })
	}
	p.insert(ada, in(1, "small", memory.Active), in(2, "big", memory.Active), in(3, "big", memory.Active),
		in(4, "gone", memory.Tombstoned), in(5, "new", memory.Candidate), row(6), row(7), row(8))
	p.view(ada, func(r store.Reader) {
		at := func(n int) time.Time { return row(n).Columns.Created }
		same(p.t, "projects", value(r.Projects(time.Time{}))(p.t),
			[]store.Project{{Records: 3, Last: at(8)}, {Name: "big", Records: 2, Last: at(3)}, {Name: "small", Records: 1, Last: at(1)}})
	})
}

// countValid leaves out of the counts what is no longer true, or not yet, and keeps the
// project.
func countValid(p *place) {
	in := func(n int, project string, from, to time.Time) store.Row {
		return with(row(n), func(c *store.Columns) { c.Project, c.Status, c.From, c.To = project, memory.Active, from, to })
	}
	at := func(n int) time.Time { return row(n).Columns.Created }
	p.insert(ada, in(1, "p", at(1), at(5)), in(2, "p", at(2), time.Time{}), in(3, "p", at(9), time.Time{}), in(4, "q", at(1), at(5)))
	p.view(ada, func(r store.Reader) {
		for n, want := range map[int][]store.Project{
			4: {{Name: "p", Records: 2, Last: at(2)}, {Name: "q", Records: 1, Last: at(4)}},
			5: {{Name: "p", Records: 1, Last: at(2)}, {Name: "q"}},
			9: {{Name: "p", Records: 2, Last: at(3)}, {Name: "q"}},
		} {
			same(p.t, fmt.Sprint("projects at ", n), value(r.Projects(at(n)))(p.t), want)
		}
	})
}

func nameProjectAliases(p *place) {
	p.view(ada, func(r store.Reader) { same(p.t, "at first", len(value(r.ProjectAliases())(p.t)), 0) })
	p.update(ada, func(w store.Writer) {
		must(p.t, w.SetProjectAlias("a", "p"))
		must(p.t, w.SetProjectAlias("b", "p"))
		must(p.t, w.SetProjectAlias("a", "q"))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "set", value(r.ProjectAliases())(p.t), map[string]string{"a": "q", "b": "p"})
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.SetProjectAlias("a", "")) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "ended", value(r.ProjectAliases())(p.t), map[string]string{"b": "p"})
	})
}
