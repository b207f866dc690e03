package vault

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// mostTied is how many rows of one instant are put in the order of their ids. More stay in
// the order of their numbers, which another machine may have given otherwise.
const mostTied = 4096

// orderly reads the rows of an owner with several machines in an order that all of them
// have: rows of one instant in the order of their ids, those of one conversation in the
// order in which it was imported. Other owners' rows stay in the order of the store.
type orderly struct {
	store.Reader
	asked, several bool
	crowded        map[int64]bool // instants with too many rows, in microseconds
}

func (o *orderly) hasMachines() (bool, error) {
	if o.asked {
		return o.several, nil
	}
	_, err := o.Attached(MachineStateSpace, SelfKey, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	o.asked, o.several = true, err == nil
	return o.several, nil
}

// Rows implements [store.Records].
func (o *orderly) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	several, err := o.hasMachines()
	if err != nil {
		return nil, err
	}
	if !several || max <= 0 {
		return o.Reader.Rows(f, after, max)
	}
	begins := after != (store.Cursor{}) && !o.crowded[after.Created.UnixMicro()]
	from := after
	if begins { // where the instant does
		if from.Number = 0; f.Newest {
			from.Number = math.MaxInt64
		}
	}
	rows, err := o.instants(f, from, max+1)
	if err != nil {
		return nil, err
	}
	if begins {
		if o.crowded[after.Created.UnixMicro()] {
			return o.Rows(f, after, max)
		}
		passed := slices.IndexFunc(rows, func(r store.Row) bool { return r.Number == after.Number })
		if passed < 0 { // it is gone
			return o.Reader.Rows(f, after, max)
		}
		rows = rows[passed+1:]
	}
	return rows[:min(max, len(rows))], nil
}

// instants returns at least some number of rows from a place on, if there are so many, and
// with each row all others of its instant, in order. It leaves out the rest of crowded ones.
func (o *orderly) instants(f store.Filter, from store.Cursor, atLeast int) (rows []store.Row, err error) {
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
		from = store.Cursor{Created: last.Columns.Created, Number: last.Number}
		first := slices.IndexFunc(rows, func(r store.Row) bool { return r.Columns.Created.Equal(last.Columns.Created) })
		if len(rows)-first > mostTied {
			o.crowded[last.Columns.Created.UnixMicro()] = true
			break
		}
		if first >= atLeast {
			rows = rows[:first]
			break
		}
	}
	for first := 0; first < len(rows); {
		last := first + 1
		for last < len(rows) && rows[last].Columns.Created.Equal(rows[first].Columns.Created) {
			last++
		}
		if tied := rows[first:last]; !o.crowded[tied[0].Columns.Created.UnixMicro()] {
			slices.SortFunc(tied, compareTied)
			if f.Newest {
				slices.Reverse(tied)
			}
		}
		first = last
	}
	return rows, nil
}

func compareTied(a, b store.Row) int {
	if a.Columns.Import != 0 && a.Columns.Import == b.Columns.Import && a.Columns.Session != "" && a.Columns.Session == b.Columns.Session {
		return cmp.Compare(a.Number, b.Number)
	}
	return cmp.Compare(a.ID, b.ID)
}
