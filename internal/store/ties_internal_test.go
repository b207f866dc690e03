package store

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// numbered reads rows in the order of their instants and numbers. They are in it.
type numbered struct {
	Reader
	rows  []Row
	asked int
}

func (n *numbered) Rows(f Filter, after Cursor, max int) (rows []Row, _ error) {
	n.asked++
	at, found := slices.BinarySearchFunc(n.rows, after, func(r Row, c Cursor) int { return byNumber(r, rowAt("", c.Number, c.Created)) })
	switch {
	case f.Newest && after == (Cursor{}):
		at = len(n.rows)
	case found && !f.Newest:
		at++
	}
	if !f.Newest {
		return slices.Clone(n.rows[at:min(at+max, len(n.rows))]), nil
	}
	rows = slices.Clone(n.rows[at-min(max, at) : at])
	slices.Reverse(rows)
	return rows, nil
}

func byNumber(a, b Row) int {
	return cmp.Or(a.Columns.Created.Compare(b.Columns.Created), cmp.Compare(a.Number, b.Number))
}

// paged reads all rows in pages, each of them in a view of its own.
func paged(t *testing.T, rows []Row, newest bool, max int) (ids []memory.ID) {
	t.Helper()
	rows = slices.SortedFunc(slices.Values(rows), byNumber)
	for after := (Cursor{}); ; {
		o := OrderTies(&numbered{rows: rows}, func() (bool, error) { return true, nil })
		page, err := o.Rows(Filter{Newest: newest}, after, max)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			ids = append(ids, r.ID)
			after = Cursor{Created: r.Columns.Created, Number: r.Number}
		}
		if len(page) < max {
			return ids
		}
	}
}

func rowAt(id string, number int64, created time.Time) Row {
	return Row{ID: memory.ID(id), Number: number, Columns: Columns{Created: created}}
}

func second(n int64) time.Time { return time.Unix(n, 0) }

// Machines that gave rows other numbers read them in the same order.
func TestOrderTies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var one []Row
		for i := range int64(random.IntN(30)) {
			r := rowAt(fmt.Sprintf("urn:ump:%03d", random.IntN(10)*100+int(i)), i+1, second(random.Int64N(3)))
			if random.IntN(2) == 0 {
				r.Columns.Import, r.Columns.Session = 7, fmt.Sprint("s", random.IntN(2))
			}
			one = append(one, r)
		}
		other := slices.Clone(one)
		for n, i := range random.Perm(len(other)) {
			other[i].Number = int64(100 + n)
		}
		for _, session := range []string{"s0", "s1"} { // its rows keep their order
			var at []int
			var numbers []int64
			for i, r := range other {
				if r.Columns.Session == session {
					at, numbers = append(at, i), append(numbers, r.Number)
				}
			}
			slices.Sort(numbers)
			for n, i := range at {
				other[i].Number = numbers[n]
			}
		}
		for _, newest := range []bool{false, true} {
			want := paged(t, one, newest, 100)
			for _, max := range []int{1, 2, 3, 100} {
				if got := paged(t, other, newest, max); !slices.Equal(got, want) {
					t.Fatalf("pages of %d, newest %v: %v, on the first machine %v", max, newest, got, want)
				}
			}
		}
	}
}

// Pages leave out no row of an instant with too many, and repeat none.
func TestOrderTiesOfACrowd(t *testing.T) {
	for _, many := range []int64{mostTied, mostTied + 880, 2 * mostTied} {
		var rows []Row
		for i := range int64(50) {
			rows = append(rows, rowAt(fmt.Sprintf("urn:ump:a%d", i), i+1, second(i)))
		}
		for i := range many {
			rows = append(rows, rowAt(fmt.Sprintf("urn:ump:b%d", many-i), 100+i, second(1000)))
		}
		rows = append(rows, rowAt("urn:ump:c", 10_000, second(2000)))
		ids := paged(t, rows, false, 1000)
		if slices.Sort(ids); len(ids) != len(rows) || len(slices.Compact(ids)) != len(rows) {
			t.Errorf("%d of one instant: %d rows come for %d", many, len(ids), len(rows))
		}
	}
}

// Whether there are several machines is asked only where that matters.
func TestOrderTiesAsksWhereItMatters(t *testing.T) {
	apart := []Row{rowAt("urn:ump:b", 1, second(1)), rowAt("urn:ump:a", 2, second(2))}
	for name, test := range map[string]struct {
		rows  []Row
		after Cursor
		max   int
		asks  bool
	}{
		"a short page":            {apart, Cursor{}, 3, false},
		"a full page":             {apart, Cursor{}, 2, true},
		"the next page":           {apart, Cursor{Created: second(1), Number: 1}, 3, true},
		"rows of one instant":     {[]Row{rowAt("urn:ump:b", 1, second(1)), rowAt("urn:ump:a", 2, second(1))}, Cursor{}, 3, true},
		"no row":                  {nil, Cursor{}, 3, false},
		"a page of no row at all": {apart, Cursor{}, 0, true},
	} {
		asks, n := 0, &numbered{rows: test.rows}
		o := OrderTies(n, func() (bool, error) { asks++; return false, nil })
		got, err := o.Rows(Filter{}, test.after, test.max)
		want, _ := (&numbered{rows: test.rows}).Rows(Filter{}, test.after, test.max)
		same := slices.EqualFunc(got, want, func(a, b Row) bool { return a.ID == b.ID })
		if err != nil || !same || n.asked != 1 || asks > 0 != test.asks {
			t.Errorf("%s: %v %v, read %d times, asks %d times", name, got, err, n.asked, asks)
		}
	}
}
