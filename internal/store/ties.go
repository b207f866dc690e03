package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// mostTied is the most rows of one instant that are ordered by their ids. More rows stay in the
// order of their numbers, which may differ between machines.
const mostTied = 4096

// OrderTies returns a reader whose Rows have the same order on all machines of an owner: rows of
// one instant come by their ids. Rows of one imported conversation stay together, in the order
// of the conversation. several reports whether the owner has several machines; if not, the
// order is that of r. OrderTies calls it only where rows share an instant, perhaps often.
func OrderTies(r Reader, several func() (bool, error)) Reader {
	return &tieOrder{Reader: r, several: several, crowded: map[int64]bool{}}
}

// tieOrder is a reader that orders rows of one instant.
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

// anyTied reports whether two rows have one instant. The rows are ordered by time.
func anyTied(rows []Row) bool {
	for i := 1; i < len(rows); i++ {
		if areTied(rows[i-1], rows[i]) {
			return true
		}
	}
	return false
}

func areTied(a, b Row) bool { return a.Columns.Created.Equal(b.Columns.Created) }

// ordered returns Rows in the common order.
func (o *tieOrder) ordered(f Filter, after Cursor, max int) ([]Row, error) {
	// The cursor may stand between rows of one instant. That instant is then read from its beginning.
	from, within := after, after != Cursor{} && !o.isCrowded(after.Created)
	if within {
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
		if passed < 0 { // the cursor's row was removed
			return o.Reader.Rows(f, after, max)
		}
		rows = rows[passed+1:]
	}
	return rows[:min(max, len(rows))], nil
}

func (o *tieOrder) isCrowded(instant time.Time) bool { return o.crowded[instant.UnixMicro()] }

// instants returns the rows after a cursor by whole instants, each in the common order. It
// returns at least atLeast rows, if there are so many. Of an instant with more than mostTied
// rows it may return only some.
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

// conversation identifies an imported conversation.
type conversation struct {
	imp     int64
	session string
}

func conversationOf(r Row) (c conversation, ok bool) {
	c = conversation{r.Columns.Import, r.Columns.Session}
	return c, c.imp != 0 && c.session != ""
}

// sortTied sorts rows of one instant by their ids. The rows of a conversation stand together, at
// the least of their ids.
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
