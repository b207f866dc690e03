package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// mostTied is how many rows of one instant are put in the order of their ids. More stay in
// the order of their numbers, which another machine may have given otherwise.
const mostTied = 4096

// OrderTies returns a reader whose Rows come in an order that all machines of an owner have,
// whatever numbers they gave: rows of one instant in the order of their ids, those of one
// conversation together and in the order in which it was imported. several says whether the
// owner has several machines; without them the rows stay as they are. It is asked only where
// that matters, and may be asked often.
func OrderTies(r Reader, several func() (bool, error)) Reader {
	return &tieOrder{Reader: r, several: several, crowded: map[int64]bool{}}
}

type tieOrder struct {
	Reader
	several func() (bool, error)
	crowded map[int64]bool // instants with too many rows, in microseconds
}

// Rows implements [Records].
func (o *tieOrder) Rows(f Filter, after Cursor, max int) (rows []Row, err error) {
	first := after == Cursor{}
	if first {
		if rows, err = o.Reader.Rows(f, after, max); err != nil || len(rows) < max && !anyTied(rows) {
			return rows, err
		}
	}
	switch several, err := o.several(); {
	case err != nil:
		return nil, err
	case several && max > 0:
		return o.ordered(f, after, max)
	case first:
		return rows, nil
	}
	return o.Reader.Rows(f, after, max)
}

func anyTied(rows []Row) bool {
	for i := 1; i < len(rows); i++ {
		if areTied(rows[i-1], rows[i]) {
			return true
		}
	}
	return false
}

func areTied(a, b Row) bool { return a.Columns.Created.Equal(b.Columns.Created) }

func (o *tieOrder) ordered(f Filter, after Cursor, max int) ([]Row, error) {
	from, within := after, after != Cursor{} && !o.isCrowded(after.Created)
	if within { // read the cursor's instant from its beginning
		if from.Number = 0; f.Newest {
			from.Number = math.MaxInt64
		}
	}
	rows, err := o.instants(f, from, max+1)
	if err != nil {
		return nil, err
	}
	if within {
		if o.isCrowded(after.Created) {
			return o.ordered(f, after, max)
		}
		passed := slices.IndexFunc(rows, func(r Row) bool { return r.Number == after.Number })
		if passed < 0 { // it is gone
			return o.Reader.Rows(f, after, max)
		}
		rows = rows[passed+1:]
	}
	return rows[:min(max, len(rows))], nil
}

func (o *tieOrder) isCrowded(instant time.Time) bool { return o.crowded[instant.UnixMicro()] }

// instants returns at least some number of rows from a place on, if there are so many, and
// with each row all others of its instant, in order. It leaves out the rest of crowded ones.
func (o *tieOrder) instants(f Filter, from Cursor, atLeast int) (rows []Row, err error) {
	for want := max(atLeast, 64); ; {
		page, err := o.Reader.Rows(f, from, want)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page...)
		if len(page) < want {
			break
		}
		last := rows[len(rows)-1]
		from = Cursor{Created: last.Columns.Created, Number: last.Number}
		first := slices.IndexFunc(rows, func(r Row) bool { return areTied(r, last) })
		if len(rows)-first > mostTied {
			break
		}
		if first >= atLeast {
			rows = rows[:first]
			break
		}
	}
	for first := 0; first < len(rows); {
		last := first + 1
		for last < len(rows) && areTied(rows[first], rows[last]) {
			last++
		}
		if tied := rows[first:last]; len(tied) > mostTied {
			o.crowded[tied[0].Columns.Created.UnixMicro()] = true
		} else if !o.isCrowded(tied[0].Columns.Created) {
			sortTied(tied)
			if f.Newest {
				slices.Reverse(tied)
			}
		}
		first = last
	}
	return rows, nil
}

// conversation is one that was imported.
type conversation struct {
	imp     int64
	session string
}

func conversationOf(r Row) (c conversation, ok bool) {
	c = conversation{r.Columns.Import, r.Columns.Session}
	return c, c.imp != 0 && c.session != ""
}

// sortTied sorts rows of one instant by their ids. A conversation stands together, at its
// least id.
func sortTied(rows []Row) {
	least := map[conversation]memory.ID{}
	for _, r := range rows {
		if c, ok := conversationOf(r); ok && (least[c] == "" || r.ID < least[c]) {
			least[c] = r.ID
		}
	}
	place := func(r Row) memory.ID {
		if c, ok := conversationOf(r); ok {
			return least[c]
		}
		return r.ID
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Number, b.Number)) })
}
