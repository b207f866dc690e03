package bundle

import (
	"runtime"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A page has this many rows, or about this many bytes of rows if that is less.
const (
	leavingPage  = 64
	leavingBytes = 2 << 20
)

// eachPage calls do for all rows of the snapshot, page by page, with the number of rows
// before the page.
func (x *bundleExport) eachPage(do func(before int, rows []store.Row) error) error {
	f := store.Filter{}
	if !x.query.Since.IsZero() {
		f.Since = x.query.Since.Truncate(time.Microsecond) // the precision of columns
	}
	after, before, limit := store.Cursor{}, 0, leavingPage
	for {
		rows, err := x.rows.Rows(f, after, limit)
		if err == nil {
			err = x.ctx.Err()
		}
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := do(before, rows); err != nil {
			return err
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
		before += len(rows)
		limit = nextPage(rows)
	}
}

// nextPage returns the size of the next page if its rows are as large as the largest
// row now.
func nextPage(rows []store.Row) int {
	largest := 1
	for _, row := range rows {
		largest = max(largest, len(row.Origin)+len(row.Current))
	}
	return min(max(leavingBytes/largest, 1), leavingPage)
}

// atOnce calls do for each index below n, several at a time.
func atOnce(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	for first := range workers {
		wait.Go(func() {
			for i := first; i < n; i += workers {
				do(i)
			}
		})
	}
	wait.Wait()
}

// eachMade calls of for each chosen record, several at a time, and calls do with the
// results in the records' order.
func eachMade[T any](x *bundleExport, chosen *bits, of func(memory.Record) (T, error), do func(memory.Record, T) error) error {
	if chosen.n == 0 {
		return nil
	}
	type made struct {
		rec memory.Record
		out T
		err error
	}
	return x.eachPage(func(before int, rows []store.Row) error {
		rows = chosen.of(before, rows)
		all := make([]made, len(rows))
		atOnce(len(rows), func(i int) {
			m := &all[i]
			if m.rec, m.err = x.redacted(rows[i]); m.err == nil {
				m.out, m.err = of(m.rec)
			}
		})
		for i := range all {
			if all[i].err != nil {
				return all[i].err
			}
			if err := do(all[i].rec, all[i].out); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachIn calls do for each chosen record.
func (x *bundleExport) eachIn(chosen *bits, do func(memory.Record) error) error {
	nothing := func(memory.Record) (struct{}, error) { return struct{}{}, nil }
	return eachMade(x, chosen, nothing, func(rec memory.Record, _ struct{}) error { return do(rec) })
}

// eachChosen calls do with the id of each chosen record.
func (x *bundleExport) eachChosen(chosen *bits, do func(memory.ID) error) error {
	return x.eachPage(func(before int, rows []store.Row) error {
		for _, row := range chosen.of(before, rows) {
			if err := do(row.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// bits is a set of rows by their place in the snapshot, one bit each.
type bits struct {
	words []uint64
	n     int // how many rows are in it
}

// add adds a row. Callers add rows in the order of their places, each once.
func (b *bits) add(at int) {
	for len(b.words) <= at/64 {
		b.words = append(b.words, 0)
	}
	b.words[at/64] |= 1 << (at % 64)
	b.n++
}

func (b *bits) has(at int) bool {
	return at/64 < len(b.words) && b.words[at/64]>>(at%64)&1 == 1
}

// of returns the rows of a page that are in the set.
func (b *bits) of(before int, rows []store.Row) []store.Row {
	var some []store.Row
	for i, row := range rows {
		if b.has(before + i) {
			some = append(some, row)
		}
	}
	return some
}
