package storetest

import (
	"bytes"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var recordTests = []test{
	{"a row comes back as it went in", rowRoundTrip},
	{"a row with open ends comes back with open ends", rowOpenEnds},
	{"content of any bytes and size survives", rowContent},
	{"times are kept to the microsecond, in UTC", rowTimes},
	{"times beyond the farthest are kept as the farthest", rowFarTimes},
	{"an id is taken once", rowExists},
	{"what is not there is not found", rowMissing},
	{"numbers rise from 1 and are never used twice", rowNumbers},
	{"rows by number come in the order asked for", rowsNumbered},
	{"rows are found by the beginning of their ids", rowsBeginning},
	{"replace changes everything but the number", rowReplace},
	{"delete removes a row, its links and its aliases", rowDelete},
	{"links are followed backwards", rowRelating},
	{"duplicates come oldest first", rowDuplicates},
}

func fullRow() store.Row {
	return store.Row{
		ID:      "urn:ump:Full",
		Origin:  []byte(`{"body":{"text":"ä\u0000"}}`),
		Current: []byte(`{"body":{"text":"b"}}`),
		Columns: store.Columns{
			Kind: memory.Procedural, Status: memory.Candidate, Visibility: memory.Shared,
			Project: "github.com/owner/repo", User: "user", Agent: "agent", Session: "session",
			Created: birth, From: birth.Add(-time.Hour), To: birth.Add(time.Hour), Expires: birth.Add(2 * time.Hour),
			Duplicate: "digest", Lineage: "urn:ump:first", Import: 7,
		},
	}
}

func rowRoundTrip(p *place) {
	want := fullRow()
	p.update(ada, func(w store.Writer) {
		want.Number = value(w.Insert(want, store.Document{}, store.Links{}))(p.t)
		same(p.t, "in its own transaction", value(w.Row(want.ID))(p.t), want)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "Row", value(r.Row(want.ID))(p.t), want)
		same(p.t, "Document", value(r.Document(want.ID))(p.t), want.Number)
		same(p.t, "Numbered", value(r.Numbered([]int64{want.Number}))(p.t), []store.Row{want})
		same(p.t, "Rows", value(r.Rows(store.Filter{}, store.Cursor{}, 9))(p.t), []store.Row{want})
		same(p.t, "Duplicates", value(r.Duplicates("digest", 0))(p.t), []store.Row{want})
	})
}

func rowOpenEnds(p *place) {
	want := with(row(1), func(c *store.Columns) { c.From = time.Time{}; c.Lineage = id(1) })
	want.Number = 1
	p.insert(ada, want)
	p.view(ada, func(r store.Reader) { same(p.t, "Row", value(r.Row(id(1)))(p.t), want) })
}

func rowContent(p *place) {
	for i, content := range [][]byte{{}, {0, 255, 0}, []byte(strings.Repeat("x", 3<<20))} {
		r := row(i)
		r.Origin, r.Current = content, content
		p.insert(ada, r)
		p.view(ada, func(r store.Reader) {
			got := value(r.Row(id(i)))(p.t)
			if !bytes.Equal(got.Origin, content) || !bytes.Equal(got.Current, content) {
				p.t.Errorf("content %d has changed", i)
			}
			if len(content) == 0 && got.Current != nil {
				p.t.Error("an empty current form is not nil")
			}
		})
	}
}

func rowTimes(p *place) {
	zone := time.FixedZone("east", 5*3600)
	at := time.Date(1969, 12, 31, 23, 59, 58, 999_999_999, zone)
	p.insert(ada, with(row(1), func(c *store.Columns) { c.Created, c.From, c.To, c.Expires = at, at, at, at }))
	want := at.Truncate(time.Microsecond).UTC()
	p.view(ada, func(r store.Reader) {
		c := value(r.Row(id(1)))(p.t).Columns
		same(p.t, "times", []time.Time{c.Created, c.From, c.To, c.Expires}, []time.Time{want, want, want, want})
	})
}

// rowFarTimes writes times whose microseconds exceed 64 bits.
func rowFarTimes(p *place) {
	past, future := time.Date(-302_026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(302_026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := func(at time.Time) func(*store.Columns) {
		return func(c *store.Columns) { c.Created, c.From, c.To, c.Expires = at, at, at, at }
	}
	p.insert(ada, with(row(1), all(future)), with(row(2), all(past)), with(row(3), func(c *store.Columns) {
		c.From, c.To, c.Expires = past, future, future
	}))
	want := map[int][2]bool{1: {false, true}, 2: {true, false}} // whether before 2026, after it
	p.view(ada, func(r store.Reader) {
		for n, w := range want {
			c := value(r.Row(id(n)))(p.t).Columns
			for _, at := range []time.Time{c.Created, c.From, c.To, c.Expires} {
				same(p.t, at.String(), [2]bool{at.Before(birth), at.After(birth)}, w)
			}
		}
		for name, c := range map[string]struct {
			filter store.Filter
			want   []memory.ID
		}{
			"all":                       {store.Filter{}, list(2, 3, 1)},
			"expired now":               {store.Filter{Expired: birth}, list(2)},
			"expired in the far past":   {store.Filter{Expired: past.AddDate(-1, 0, 0)}, list(2)},
			"expired in the far future": {store.Filter{Expired: future}, list(2, 3, 1)},
			"since now":                 {store.Filter{Since: birth}, list(3, 1)},
			"since the far past":        {store.Filter{Since: past}, list(2, 3, 1)},
			"since the far future":      {store.Filter{Since: future}, list(1)},
			"valid now":                 {store.Filter{ValidAt: birth}, list(3)},
		} {
			same(p.t, name, ids(page(p.t, r, c.filter, 2)), c.want)
		}
	})
}

func rowExists(p *place) {
	p.insert(ada, row(1))
	p.update(ada, func(w store.Writer) {
		_, err := w.Insert(with(row(1), func(c *store.Columns) { c.Project = "other" }), words("word"), store.Links{})
		fails(p.t, "Insert", err, store.ErrExists)
		same(p.t, "the next number", value(w.Insert(row(2), store.Document{}, store.Links{}))(p.t), 2)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "the project", value(r.Row(id(1)))(p.t).Columns.Project, "")
		same(p.t, "frequencies", value(r.Frequencies([]string{"word"}))(p.t), []int{0})
	})
}

func rowMissing(p *place) {
	missing := func(r store.Reader) {
		_, err := r.Row(id(1))
		fails(p.t, "Row", err, store.ErrNotFound)
		_, err = r.Document(id(1))
		fails(p.t, "Document", err, store.ErrNotFound)
		same(p.t, "Numbered", ids(value(r.Numbered([]int64{1, 0, -1}))(p.t)), list())
		same(p.t, "Rows", ids(value(r.Rows(store.Filter{}, store.Cursor{}, 9))(p.t)), list())
		same(p.t, "Count", value(r.Count(store.Filter{}))(p.t), 0)
		same(p.t, "Relating", len(value(r.Relating("urn:ump:001"))(p.t)), 0)
		same(p.t, "Duplicates", len(value(r.Duplicates("", 0))(p.t)), 0)
	}
	p.view(ada, missing)
	p.insert(ada, row(2))
	p.update(ada, func(w store.Writer) {
		fails(p.t, "Replace", w.Replace(row(1), store.Links{}), store.ErrNotFound)
		fails(p.t, "Delete", w.Delete(id(1)), store.ErrNotFound)
		must(p.t, w.Delete(id(2)))
	})
	p.view(ada, missing)
}

func rowNumbers(p *place) {
	p.insert(ada, row(1), row(2), row(3))
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(3))) })
	p.insert(ada, row(3))
	p.view(ada, func(r store.Reader) { same(p.t, "number", value(r.Row(id(3)))(p.t).Number, 4) })
}

func rowsNumbered(p *place) {
	var ask []int64
	var want []memory.ID
	for n := 1; n <= 100; n++ {
		p.insert(ada, row(n))
		ask, want = append(ask, int64(n)), append(want, id(n))
	}
	p.view(ada, func(r store.Reader) {
		same(p.t, "all", ids(value(r.Numbered(ask))(p.t)), want)
		same(p.t, "backwards", ids(value(r.Numbered(backwards(ask)))(p.t)), backwards(want))
		same(p.t, "some", ids(value(r.Numbered([]int64{50, 101, 3, 1 << 39, 4}))(p.t)), list(50, 3, 4))
		same(p.t, "none", ids(value(r.Numbered(nil))(p.t)), list())
	})
}

func rowsBeginning(p *place) {
	for _, n := range []int{1, 10, 11, 12, 100, 112} {
		p.insert(ada, row(n))
	}
	p.view(ada, func(r store.Reader) {
		same(p.t, "some", ids(value(r.Beginning("urn:ump:01", 9))(p.t)), list(10, 11, 12))
		same(p.t, "at most", ids(value(r.Beginning("urn:ump:", 2))(p.t)), list(1, 10))
		same(p.t, "one", ids(value(r.Beginning("urn:ump:112", 9))(p.t)), list(112))
		same(p.t, "none", ids(value(r.Beginning("urn:ump:2", 9))(p.t)), list())
		ask := []memory.ID{"urn:ump:112", "urn:ump:01", "urn:ump:2", "urn:ump:", "urn:ump:001", "urn:ump:1", "urn:ump:10", "urn:ump:011", "urn:ump:012", "urn:ump:0", "urn:ump:01"}
		same(p.t, "crowded", value(r.Crowded(ask))(p.t), []memory.ID{"urn:ump:01", "urn:ump:", "urn:ump:1", "urn:ump:0", "urn:ump:01"})
		same(p.t, "none asked", len(value(r.Crowded(nil))(p.t)), 0)
	})
	p.view(bob, func(r store.Reader) {
		same(p.t, "another owner", ids(value(r.Beginning("urn:ump:", 9))(p.t)), list())
		same(p.t, "crowded for another owner", len(value(r.Crowded([]memory.ID{"urn:ump:"}))(p.t)), 0)
	})
}

func rowReplace(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), words("old"), store.Links{Supersedes: list(9)}))(p.t)
	})
	want := fullRow()
	want.ID, want.Number = id(1), 1
	want.Columns.Lineage = id(1)
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Replace(want, store.Links{Supersedes: list(8)}))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "row", value(r.Row(id(1)))(p.t), want)
		same(p.t, "old links", len(value(r.Relating(string(id(9))))(p.t)), 0)
		same(p.t, "new links", value(r.Relating(string(id(8))))(p.t), list(1))
		same(p.t, "the index", value(r.Frequencies([]string{"old"}))(p.t), []int{1})
	})
}

func rowDelete(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), words("one", "both"), store.Links{Supersedes: list(2)}))(p.t)
		value(w.Insert(row(2), words("two", "both"), store.Links{Supersedes: list(1)}))(p.t)
		must(p.t, w.SetAlias("space", "a", id(1)))
		must(p.t, w.SetAlias("space", "b", id(2)))
		must(p.t, w.Delete(id(1)))
	})
	p.view(ada, func(r store.Reader) {
		_, err := r.Row(id(1))
		fails(p.t, "Row", err, store.ErrNotFound)
		same(p.t, "what it linked to", len(value(r.Relating(string(id(2))))(p.t)), 0)
		same(p.t, "what links to it", value(r.Relating(string(id(1))))(p.t), list(2))
		_, err = r.Alias("space", "a")
		fails(p.t, "Alias", err, store.ErrNotFound)
		same(p.t, "the other alias", value(r.Alias("space", "b"))(p.t), id(2))
		same(p.t, "frequencies", value(r.Frequencies([]string{"one", "two", "both"}))(p.t), []int{0, 1, 1})
		same(p.t, "postings", numbers(value(r.Postings("both", 9))(p.t)), []int64{2})
		documents, length, err := r.Size()
		must(p.t, err)
		same(p.t, "size", []int64{documents, length}, []int64{1, 2})
	})
}

func rowRelating(p *place) {
	links := store.Links{
		Relations: []memory.Relation{
			{Type: memory.About, Target: "entity:Ada"}, {Type: "likes", Target: "entity:Ada"},
			{Type: memory.DependsOn, Target: string(id(9))},
		},
		Supersedes: list(9, 8),
	}
	p.update(ada, func(w store.Writer) {
		for _, n := range []int{3, 1, 2} {
			value(w.Insert(row(n), store.Document{}, links))(p.t)
		}
		value(w.Insert(row(4), store.Document{}, store.Links{}))(p.t)
	})
	p.view(ada, func(r store.Reader) {
		for _, target := range []string{"entity:Ada", string(id(9)), string(id(8))} {
			same(p.t, target, value(r.Relating(target))(p.t), list(3, 1, 2))
		}
		same(p.t, "in another case", len(value(r.Relating("entity:ada"))(p.t)), 0)
	})
}

func rowDuplicates(p *place) {
	digest := func(c *store.Columns) { c.Duplicate = "digest" }
	p.insert(ada, with(row(3), digest), with(row(1), digest), row(2),
		with(row(4), func(c *store.Columns) { c.Duplicate = "Digest" }))
	p.view(ada, func(r store.Reader) {
		same(p.t, "ids", ids(value(r.Duplicates("digest", 0))(p.t)), list(1, 3))
	})
}
