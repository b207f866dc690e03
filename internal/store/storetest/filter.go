package storetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var filterTests = []test{
	{"rows come in the order created, number, from a cursor on", filterOrder},
	{"a cursor holds while rows are added and removed", filterCursor},
	{"each member chooses", filterMembers},
	{"valid time is half-open", filterValidAt},
	{"any combination chooses what its members choose together", filterCombined},
}

func filterOrder(p *place) {
	tie := func(c *store.Columns) { c.Created = birth }
	p.insert(ada, row(5), row(1), with(row(7), tie), row(3), with(row(6), tie))
	want := list(7, 6, 1, 3, 5)
	p.view(ada, func(r store.Reader) {
		for max := 1; max <= 6; max++ {
			same(p.t, "oldest first", ids(page(p.t, r, store.Filter{}, max)), want)
			same(p.t, "newest first", ids(page(p.t, r, store.Filter{Newest: true}, max)), backwards(want))
		}
		same(p.t, "none asked for", ids(value(r.Rows(store.Filter{}, store.Cursor{}, 0))(p.t)), list())
		same(p.t, "from a time on", ids(value(r.Rows(store.Filter{}, store.Cursor{Created: birth.Add(time.Second)}, 9))(p.t)),
			list(1, 3, 5))
	})
}

func filterCursor(p *place) {
	p.insert(ada, row(1), row(2), row(4), row(5))
	after := store.Cursor{Created: row(2).Columns.Created, Number: 2}
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(2))) })
	p.insert(ada, row(0), row(3))
	p.view(ada, func(r store.Reader) {
		same(p.t, "on", ids(value(r.Rows(store.Filter{}, after, 9))(p.t)), list(3, 4, 5))
		same(p.t, "back", ids(value(r.Rows(store.Filter{Newest: true}, after, 9))(p.t)), list(1, 0))
	})
}

func filterMembers(p *place) {
	p.insert(ada,
		row(1),
		with(row(2), func(c *store.Columns) { c.Kind = memory.Episodic; c.Project = "p" }),
		with(row(3), func(c *store.Columns) { c.Status = memory.Tombstoned; c.Project = "q" }),
		with(row(4), func(c *store.Columns) { c.Lineage = id(1); c.Import = 3 }),
		with(row(5), func(c *store.Columns) { c.Lineage = id(5); c.Expires = birth }),
		with(row(6), func(c *store.Columns) { c.Lineage = id(5); c.Expires = birth.Add(time.Microsecond) }))
	cases := []struct {
		name   string
		filter store.Filter
		want   []memory.ID
	}{
		{"all", store.Filter{}, list(1, 2, 3, 4, 5, 6)},
		{"kind", store.Filter{Kinds: []memory.Kind{memory.Episodic}}, list(2)},
		{"kinds", store.Filter{Kinds: []memory.Kind{memory.Episodic, memory.Semantic, memory.Episodic}}, list(1, 2, 3, 4, 5, 6)},
		{"no such kind", store.Filter{Kinds: []memory.Kind{memory.Working}}, list()},
		{"status", store.Filter{Statuses: []memory.Status{memory.Tombstoned}}, list(3)},
		{"statuses", store.Filter{Statuses: []memory.Status{memory.Tombstoned, memory.Active}}, list(1, 2, 3, 4, 5, 6)},
		{"project", store.Filter{Projects: []string{"p"}}, list(2)},
		{"projects", store.Filter{Projects: []string{"q", "p", "q", "r"}}, list(2, 3)},
		{"without a project", store.Filter{Projects: []string{""}}, list(1, 4, 5, 6)},
		{"lineage of a first record", store.Filter{Lineage: id(5)}, list(5, 6)},
		{"lineage", store.Filter{Lineage: id(1)}, list(4)},
		{"import", store.Filter{Import: 3}, list(4)},
		{"expired", store.Filter{Expired: birth}, list(5)},
		{"since", store.Filter{Since: row(5).Columns.Created}, list(5, 6)},
		{"valid at", store.Filter{ValidAt: row(2).Columns.From}, list(1, 2)},
	}
	p.view(ada, func(r store.Reader) {
		for _, c := range cases {
			same(p.t, c.name, ids(page(p.t, r, c.filter, 4)), c.want)
			same(p.t, "number of "+c.name, value(r.Count(c.filter))(p.t), len(c.want))
		}
	})
}

func filterValidAt(p *place) {
	end := birth.Add(time.Second)
	p.insert(ada, with(row(1), func(c *store.Columns) { c.From, c.To = birth, end }),
		with(row(2), func(c *store.Columns) { c.From, c.To = time.Time{}, birth }),
		with(row(3), func(c *store.Columns) { c.From = end }))
	p.view(ada, func(r store.Reader) {
		for at, want := range map[time.Duration][]memory.ID{
			-time.Microsecond:              list(2),
			0:                              list(1),
			time.Second - time.Microsecond: list(1),
			time.Second:                    list(3),
		} {
			same(p.t, at.String(), ids(page(p.t, r, store.Filter{ValidAt: birth.Add(at)}, 9)), want)
		}
	})
}

// filterCombined compares random filters over random rows with their meaning.
func filterCombined(p *place) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var rows []store.Row
	for n := range 300 {
		rows = append(rows, with(row(n), func(c *store.Columns) { randomColumns(rnd, c) }))
	}
	p.insert(ada, rows...)
	for i := range rows {
		rows[i].Number = int64(i + 1)
	}
	slices.SortFunc(rows, func(a, b store.Row) int {
		return cmp.Or(a.Columns.Created.Compare(b.Columns.Created), cmp.Compare(a.Number, b.Number))
	})
	found := 0
	p.view(ada, func(r store.Reader) {
		for range 400 {
			f := randomFilter(rnd)
			want := slices.DeleteFunc(slices.Clone(rows), func(r store.Row) bool { return !chosen(f, r) })
			found += len(want)
			same(p.t, "Count", value(r.Count(f))(p.t), len(want))
			if f.Newest {
				slices.Reverse(want)
			}
			same(p.t, "Rows", ids(page(p.t, r, f, 1+rnd.IntN(40))), ids(want))
			if p.t.Failed() {
				p.t.Fatalf("filter %+v", f)
			}
		}
	})
	if found < 1000 {
		p.t.Errorf("the filters chose %d rows in all; that tests little", found)
	}
}

func pick[V any](rnd *rand.Rand, from ...V) V { return from[rnd.IntN(len(from))] }

func randomColumns(rnd *rand.Rand, c *store.Columns) {
	second := func() time.Time { return birth.Add(time.Duration(rnd.IntN(20)) * time.Second) }
	c.Kind = pick(rnd, memory.Kinds()...)
	c.Status = pick(rnd, memory.Active, memory.Active, memory.Candidate, memory.Tombstoned)
	c.Project = pick(rnd, "", "p", "q", "r")
	c.Lineage = pick(rnd, "", id(1), id(2), id(rnd.IntN(300)))
	c.Import = pick[int64](rnd, 0, 0, 1, 2)
	c.Created, c.From = second(), second()
	c.To = pick(rnd, time.Time{}, c.From.Add(5*time.Second))
	c.Expires = pick(rnd, time.Time{}, second())
}

func randomFilter(rnd *rand.Rand) store.Filter {
	second := birth.Add(time.Duration(rnd.IntN(20)) * time.Second)
	return store.Filter{
		Kinds:    pick(rnd, nil, nil, []memory.Kind{memory.Semantic}, []memory.Kind{memory.Episodic, memory.Working}),
		Statuses: pick(rnd, nil, []memory.Status{memory.Active}, []memory.Status{memory.Candidate, memory.Active}),
		Projects: pick(rnd, nil, nil, []string{"p"}, []string{"", "q"}),
		Lineage:  pick[memory.ID](rnd, "", "", "", id(1), id(2)),
		Import:   pick[int64](rnd, 0, 0, 0, 1),
		Expired:  pick(rnd, time.Time{}, time.Time{}, time.Time{}, second),
		Since:    pick(rnd, time.Time{}, time.Time{}, second),
		ValidAt:  pick(rnd, time.Time{}, time.Time{}, second),
		Newest:   pick(rnd, true, false),
	}
}

// chosen reports whether a filter means a row.
func chosen(f store.Filter, r store.Row) bool {
	c := r.Columns
	switch {
	case len(f.Kinds) > 0 && !slices.Contains(f.Kinds, c.Kind),
		len(f.Statuses) > 0 && !slices.Contains(f.Statuses, c.Status),
		len(f.Projects) > 0 && !slices.Contains(f.Projects, c.Project),
		f.Lineage != "" && c.Lineage != f.Lineage,
		f.Import != 0 && c.Import != f.Import,
		!f.Expired.IsZero() && (c.Expires.IsZero() || c.Expires.After(f.Expired)),
		c.Created.Before(f.Since):
		return false
	}
	valid := !f.ValidAt.Before(c.From) && (c.To.IsZero() || f.ValidAt.Before(c.To))
	return f.ValidAt.IsZero() || valid
}
