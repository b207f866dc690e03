package storetest

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var stagingTests = []test{
	{"whoever holds an id can be told, staged or not", stagedHolder},
	{"staged rows are invisible", stagedInvisible},
	{"publishing shows the rows of one import", stagedPublish},
	{"staged rows can be changed and removed", stagedChange},
	{"an import can stage again after publishing", stagedAgain},
	{"imports and others may take turns", stagedInterleaved},
	{"a staged row needs an import", stagedNeedsImport},
}

func staged(n int, imp int64) store.Row {
	return with(row(n), func(c *store.Columns) { c.Import, c.Staged, c.Duplicate, c.Lineage = imp, true, "d", id(1) })
}

func stage(p *place, rows ...store.Row) {
	p.t.Helper()
	p.update(ada, func(w store.Writer) {
		for _, row := range rows {
			value(w.Insert(row, words("word"), store.Links{Supersedes: list(99)}))(p.t)
		}
	})
}

// visible returns the numbers of the rows that every reading call shows.
func visible(p *place, r store.Reader) []memory.ID {
	rows := page(p.t, r, store.Filter{}, 2)
	shown := ids(rows)
	same(p.t, "Count", value(r.Count(store.Filter{}))(p.t), len(shown))
	same(p.t, "Rows of a kind", ids(page(p.t, r, store.Filter{Kinds: memory.Kinds()}, 2)), shown)
	same(p.t, "Rows of a project", ids(page(p.t, r, store.Filter{Projects: []string{""}}, 2)), shown)
	same(p.t, "Rows of a lineage", ids(page(p.t, r, store.Filter{Lineage: id(1)}, 2)), shown)
	same(p.t, "Beginning", len(value(r.Beginning("urn:ump:", 99))(p.t)), len(shown))
	same(p.t, "Numbered", ids(value(r.Numbered([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9}))(p.t)), shown)
	same(p.t, "Relating", append(list(), value(r.Relating(string(id(99))))(p.t)...), shown)
	var want []int64
	for n := range rows {
		want = append(want, rows[len(rows)-1-n].Number)
	}
	same(p.t, "Postings", numbers(value(r.Postings("word", 9))(p.t)), append([]int64{}, want...))
	same(p.t, "Postings at most 1", len(value(r.Postings("word", 1))(p.t)), min(1, len(rows)))
	live := 0
	for _, project := range value(r.Projects(time.Time{}))(p.t) {
		live += project.Records
	}
	same(p.t, "Projects", live, len(shown))
	for n := 1; n <= 9; n++ {
		if _, err := r.Row(id(n)); err == nil != contains(shown, id(n)) {
			p.t.Errorf("Row(%d): %v", n, err)
		}
	}
	return shown
}

func contains(list []memory.ID, id memory.ID) bool {
	for _, i := range list {
		if i == id {
			return true
		}
	}
	return false
}

func plain(n int) store.Row {
	return with(row(n), func(c *store.Columns) { c.Duplicate, c.Lineage = "d", id(1) })
}

func stagedHolder(p *place) {
	stage(p, plain(1), staged(2, 7))
	p.update(ada, func(w store.Writer) {
		for n, want := range map[int]struct {
			staged bool
			imp    int64
		}{1: {false, 0}, 2: {true, 7}} {
			held := value(w.Holder(id(n)))(p.t)
			same(p.t, "id", held.ID, id(n))
			same(p.t, "number", held.Number, int64(n))
			same(p.t, "staged", held.Columns.Staged, want.staged)
			same(p.t, "import", held.Columns.Import, want.imp)
			same(p.t, "content", string(held.Origin), string(row(n).Origin))
		}
		_, err := w.Holder(id(3))
		fails(p.t, "Holder", err, store.ErrNotFound)
		value(w.Publish(7))(p.t)
		same(p.t, "staged once published", value(w.Holder(id(2)))(p.t).Columns.Staged, false)
	})
	p.update(bob, func(w store.Writer) {
		_, err := w.Holder(id(1))
		fails(p.t, "Holder of another owner", err, store.ErrNotFound)
	})
}

func stagedInvisible(p *place) {
	stage(p, plain(1), staged(2, 7), staged(3, 8), plain(4), staged(5, 7))
	p.view(ada, func(r store.Reader) {
		same(p.t, "visible", visible(p, r), list(1, 4))
		got := page(p.t, r, store.Filter{Import: 7}, 1)
		same(p.t, "of the import", ids(got), list(2, 5))
		same(p.t, "marked", got[0].Columns.Staged, true)
		same(p.t, "count of the import", value(r.Count(store.Filter{Import: 8}))(p.t), 1)
		same(p.t, "duplicates", ids(value(r.Duplicates("d", 0))(p.t)), list(1, 4))
		same(p.t, "duplicates of the import", ids(value(r.Duplicates("d", 7))(p.t)), list(1, 2, 4, 5))
	})
	p.update(ada, func(w store.Writer) {
		_, err := w.Insert(row(2), store.Document{}, store.Links{})
		fails(p.t, "Insert", err, store.ErrExists)
		must(p.t, w.SetAlias("space", "two", id(2)))
		same(p.t, "alias", value(w.Alias("space", "two"))(p.t), id(2))
	})
}

func stagedPublish(p *place) {
	stage(p, staged(1, 7), staged(2, 7), staged(3, 8))
	p.update(ada, func(w store.Writer) {
		same(p.t, "published", value(w.Publish(7))(p.t), 2)
		same(p.t, "in the transaction", visible(p, w), list(1, 2))
		same(p.t, "published again", value(w.Publish(7))(p.t), 0)
		same(p.t, "no such import", value(w.Publish(9))(p.t), 0)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "visible", visible(p, r), list(1, 2))
		same(p.t, "marked", value(r.Row(id(1)))(p.t).Columns.Staged, false)
		same(p.t, "import", value(r.Row(id(1)))(p.t).Columns.Import, 7)
		same(p.t, "frequency", value(r.Frequencies([]string{"word"}))(p.t)[0] >= 2, true)
	})
	p.update(ada, func(w store.Writer) { same(p.t, "published", value(w.Publish(8))(p.t), 1) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "visible", visible(p, r), list(1, 2, 3))
		same(p.t, "frequency", value(r.Frequencies([]string{"word"}))(p.t), []int{3})
		same(p.t, "size", size(p, r), [2]int64{3, 3})
	})
}

func stagedChange(p *place) {
	stage(p, staged(1, 7), staged(2, 7), staged(3, 7))
	p.update(ada, func(w store.Writer) {
		changed := staged(2, 7)
		changed.Columns.Staged = false
		changed.Columns.User = "u"
		must(p.t, w.Replace(changed, store.Links{Supersedes: list(99)}))
		same(p.t, "visible", visible(p, w), list())
		must(p.t, w.Delete(id(1)))
	})
	p.update(ada, func(w store.Writer) { same(p.t, "published", value(w.Publish(7))(p.t), 2) })
	p.view(ada, func(r store.Reader) {
		same(p.t, "visible", visible(p, r), list(2, 3))
		same(p.t, "user", value(r.Row(id(2)))(p.t).Columns.User, "u")
		same(p.t, "size", size(p, r), [2]int64{2, 2})
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Replace(staged(2, 7), store.Links{Supersedes: list(99)}))
		same(p.t, "still visible", visible(p, w), list(2, 3))
	})
}

func stagedAgain(p *place) {
	stage(p, staged(1, 7))
	p.update(ada, func(w store.Writer) { same(p.t, "published", value(w.Publish(7))(p.t), 1) })
	stage(p, staged(2, 7))
	p.view(ada, func(r store.Reader) { same(p.t, "visible", visible(p, r), list(1)) })
	p.update(ada, func(w store.Writer) { same(p.t, "published", value(w.Publish(7))(p.t), 1) })
	p.view(ada, func(r store.Reader) { same(p.t, "visible", visible(p, r), list(1, 2)) })
}

func stagedInterleaved(p *place) {
	stage(p, staged(1, 7))
	stage(p, staged(2, 8))
	stage(p, plain(3))
	stage(p, staged(4, 7))
	stage(p, staged(5, 7), staged(6, 8), staged(7, 8))
	p.view(ada, func(r store.Reader) { same(p.t, "visible", visible(p, r), list(3)) })
	p.update(ada, func(w store.Writer) { same(p.t, "published", value(w.Publish(7))(p.t), 3) })
	p.view(ada, func(r store.Reader) { same(p.t, "visible", visible(p, r), list(1, 3, 4, 5)) })
	p.update(ada, func(w store.Writer) {
		for _, n := range []int{2, 6, 7} {
			must(p.t, w.Delete(id(n)))
		}
		same(p.t, "nothing left to publish", value(w.Publish(8))(p.t), 0)
	})
	p.view(ada, func(r store.Reader) { same(p.t, "visible", visible(p, r), list(1, 3, 4, 5)) })
}

func stagedNeedsImport(p *place) {
	err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		_, err := w.Insert(staged(1, 0), store.Document{}, store.Links{})
		return err
	})
	same(p.t, "kind of the failure", memory.KindOf(err), memory.Internal)
}
