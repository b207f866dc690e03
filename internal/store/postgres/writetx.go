package postgres

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// writeTx is a transaction that writes. Its writes are queued. They go to the server
// before the next read, or with the end of the transaction.
type writeTx struct {
	*ownerTx
	seals *stored.Sealer
	gone  []int64 // removed attachments that may have been staged, as table staged numbers them

	deleted []int64 // numbers of the records that this Update deleted
}

var _ stored.WriteTx = (*writeTx)(nil)

// failed returns the first failure of the transaction. After it nothing can be
// committed, whatever the function does with the error.
func (w *writeTx) failed() error { return w.tx.failed }

// later queues a statement; the owner is $1. Its failure shows at the next flush.
func (w *writeTx) later(query string, args ...any) {
	w.queue(statement{query: query, args: args})
}

func (w *writeTx) queue(st statement) {
	if w.Ready() != nil {
		return // the next call returns the error
	}
	w.tx.later(w.ctx, w.named([]statement{st})[0])
}

// exec sends the queue, runs a statement, and returns how many rows it changed.
func (w *writeTx) exec(query string, args ...any) (int64, error) {
	var n int64
	w.tx.wrote = true
	err := w.all(statement{query: query, args: args, count: &n})
	return n, err
}

// Enrol makes sure that the owner has a row, before any other write.
func (w *writeTx) Enrol() error {
	if err := w.Ready(); err != nil || w.owner.Known {
		return err
	}
	w.owner.Begin(string(w.did), w.seals)
	values := append([]any{time.Now().UnixMicro()}, w.owner.Values()...)
	n, err := w.exec(insertOwner, append(values, []byte{})...)
	if err == nil && n == 0 {
		w.tx.failed, w.tx.cause = errRaced, errRaced
		err = errRaced
	}
	if err == nil {
		err = w.alone()
	}
	w.owner.Known = err == nil
	return err
}

// alone fails if a new owner already has rows: they belong to an owner whose own row
// was removed.
func (w *writeTx) alone() error {
	left := false
	err := w.first(selectLeft, nil, &left)
	if err == nil && left {
		err = refusal("write", store.ErrAltered,
			"the owner's row was removed outside of satchel, and other rows of the owner are left; run satchel doctor, and restore a backup")
		w.tx.failed, w.tx.cause = err, err
	}
	return err
}

// finish queues the owner's row.
func (w *writeTx) finish() error {
	if err := w.tx.settle(w.ctx); err != nil || !w.owner.Changed {
		return err
	}
	if w.owner.Recorded {
		w.later(hastenDue, string(store.Tell))
	}
	values, seal := w.owner.Finish(w.seals)
	w.later(updateOwner, append(values[1:], seal)...)
	return w.failed()
}

// Put adds new rows.
func (w *writeTx) Put(name string, n int, row func(i int, values []any) []any) error {
	return w.put(tableOf(name), n, func(i int) []any { return row(i, nil) })
}

// put is Put for a table.
func (w *writeTx) put(t *table, n int, row func(i int) []any) error {
	for start := 0; start < n && w.failed() == nil; start += bulkSize {
		size := min(bulkSize, n-start)
		sealed := make([][]any, size)
		for i := range sealed {
			values := row(start + i)
			seal := w.seals.Seal(t.Name, values)
			w.owner.Gain(seal)
			sealed[i] = append(values[:len(values):len(values)], seal)
		}
		if size == 1 {
			w.later(t.insert, sealed[0]...)
			continue
		}
		w.later(t.bulk, t.lists(sealed)...)
	}
	return w.failed()
}

// bulkSize is how many rows one statement takes. COPY would take any number, but the
// server refuses it under row-level security.
const bulkSize = 512

// putOne adds a new row.
func (w *writeTx) putOne(t *table, values ...any) error {
	return w.put(t, 1, func(int) []any { return values })
}

// Set adds a row or replaces the row with its key.
func (w *writeTx) Set(name string, values ...any) error { return w.set(tableOf(name), values...) }

// set is Set for a table.
func (w *writeTx) set(t *table, values ...any) error {
	old, err := w.whole(t, values[:t.Key]...)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return w.putOne(t, values...)
	case err != nil:
		return err
	}
	return w.change(t, old, values)
}

// Change replaces the columns of a row that was read.
func (w *writeTx) Change(name string, old stored.TableRow, values []any) error {
	return w.change(tableOf(name), old, values)
}

func (w *writeTx) change(t *table, old stored.TableRow, values []any) error {
	seal := w.reseal(t, old, values)
	w.later(t.upsert, append(values[:len(values):len(values)], seal)...)
	return w.failed()
}

// reseal returns the seal of a row that is about to change, and updates the sum.
func (w *writeTx) reseal(t *table, old stored.TableRow, values []any) []byte {
	return w.owner.Reseal(w.seals, t.Name, old, values)
}

// Drop queues a statement that deletes rows and returns their seals, and subtracts
// the seals from the sum.
func (w *writeTx) Drop(query string, args ...any) error {
	w.queue(statement{query: query, args: args, drops: true, scan: func(rows pgx.Rows) error {
		var seal []byte
		err := rows.Scan(&seal)
		w.owner.Lose(seal)
		return err
	}})
	return w.failed()
}

// Remove runs a statement that deletes rows and returns more than their seals.
func (w *writeTx) Remove(query string, args []any, scan func(stored.Scanner) error) error {
	if err := w.Ready(); err != nil {
		return err
	}
	w.tx.wrote = true
	return w.each(query, args, func(rows pgx.Rows) error { return scan(rows) })
}

// marks returns n parameters, numbered from first.
func marks(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(list, ", ")
}

// sets returns assignments of columns and the seal to parameters, from $2 on.
func sets(columns []stored.Column) string {
	var b strings.Builder
	for i, c := range columns {
		b.WriteString(quoted(c.Name) + " = $" + strconv.Itoa(i+2) + ", ")
	}
	return b.String() + "seal = $" + strconv.Itoa(len(columns)+2)
}
