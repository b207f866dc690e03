package sqlite

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// writeTx is a transaction that writes.
type writeTx struct {
	*ownerTx
	seals  *stored.Sealer
	failed error // a statement failed and left a write half done

	deleted []int64 // numbers of the records that this Update deleted
}

var _ stored.WriteTx = (*writeTx)(nil)

// exec runs a statement that writes. After a failure nothing of this Update can be
// committed, whatever the function does with the error.
func (w *writeTx) exec(query string, args ...any) (int64, error) {
	if err := w.Ready(); err != nil {
		return 0, err
	}
	if w.failed != nil {
		return 0, w.failed
	}
	n, err := w.c.exec(query, args...)
	if err != nil {
		w.failed = translate("write", err)
	}
	return n, w.failed
}

// begin finds the owner's row for an Update.
func (w *writeTx) begin() error {
	err := w.ownerTx.identify()
	if err == nil {
		w.owner.Inherit(w.seals)
	}
	return err
}

// Enrol makes sure that the owner has a row, before any other write.
func (w *writeTx) Enrol() error {
	if err := w.Ready(); err != nil || w.owner.Known {
		return err
	}
	o := &w.owner
	o.Begin(string(w.did), w.seals)
	err := w.first(insertOwner, append(o.Values(), []byte{}), &o.number)
	if err != nil {
		w.failed = err
	}
	o.Known = err == nil
	return err
}

var insertOwner = `INSERT INTO owners (` + ownersTable.list + `) SELECT ` + nextOwner +
	strings.Repeat(", ?", len(ownersTable.names)+1) + ` RETURNING owner`

// nextOwner is a number that no records or attachments have. So a new owner does not
// get the rows of an owner whose own row was removed from outside.
const nextOwner = `1 + max((SELECT coalesce(max(owner), 0) FROM owners), (SELECT coalesce(max(owner), 0) FROM arrivals),
	(SELECT coalesce(max(doc), 0) FROM records) >> 40, (SELECT coalesce(max(doc), 0) FROM attachments) >> 40)`

// finish writes the owner's row.
func (w *writeTx) finish() error {
	if w.failed != nil || !w.owner.Changed {
		return translate("write", w.failed)
	}
	if w.owner.Recorded {
		if _, w.failed = w.c.exec(hastenDue, w.owner.number, string(store.Tell)); w.failed != nil {
			return translate("write", w.failed)
		}
	}
	values, seal := w.owner.Finish(w.seals)
	_, w.failed = w.c.exec(updateOwner, append(values[1:], seal, w.owner.number)...)
	return translate("write", w.failed)
}

var updateOwner = `UPDATE owners SET ` + strings.Join(ownersTable.names[1:], " = ?, ") + ` = ?, seal = ? WHERE owner = ?`

// Put adds new rows.
func (w *writeTx) Put(name string, n int, row func(i int, values []any) []any) error {
	return w.put(tableOf(name), n, row)
}

// put is Put for a table.
func (w *writeTx) put(t *table, n int, row func(i int, values []any) []any) error {
	w.owner.Changed = true
	var values []any
	return w.insertMany(t.insert, n, func(i int, args []any) []any {
		values = row(i, values[:0])
		seal := w.seals.Seal(t.Name, values)
		w.owner.Gain(seal)
		return append(t.lay(args, w.owner.number, values), seal)
	})
}

// putOne adds a new row.
func (w *writeTx) putOne(t *table, values ...any) error {
	return w.put(t, 1, func(_ int, to []any) []any { return append(to, values...) })
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
	return w.change(t, old.TableRow, values)
}

// Change replaces the columns of a row that was read.
func (w *writeTx) Change(name string, old stored.TableRow, values []any) error {
	return w.change(tableOf(name), old, values)
}

func (w *writeTx) change(t *table, old stored.TableRow, values []any) error {
	seal := w.reseal(t, old, values)
	_, err := w.exec(t.upsert, append(t.lay(nil, w.owner.number, values), seal)...)
	return err
}

// reseal returns the seal of a row that is about to change, and updates the sum.
func (w *writeTx) reseal(t *table, old stored.TableRow, values []any) []byte {
	return w.owner.Reseal(w.seals, t.Name, old, values)
}

// Drop runs a statement that deletes rows and returns their seals.
func (w *writeTx) Drop(query string, args ...any) error { return w.drop(query, w.owned(args)...) }

// drop is Drop for a statement whose arguments are all given.
func (w *writeTx) drop(query string, args ...any) error {
	return w.remove(query, args, func(rows *sql.Rows) error {
		var seal sql.RawBytes
		err := rows.Scan(&seal)
		w.owner.Lose(seal)
		return err
	})
}

// Remove runs a statement that deletes rows and returns more than their seals.
func (w *writeTx) Remove(query string, args []any, scan func(stored.Scanner) error) error {
	return w.remove(query, w.owned(args), func(rows *sql.Rows) error { return scan(rows) })
}

func (w *writeTx) remove(query string, args []any, scan func(*sql.Rows) error) error {
	if err := w.Ready(); err != nil {
		return err
	}
	if w.failed != nil {
		return w.failed
	}
	w.failed = translate("write", w.c.each(query, args, scan))
	return w.failed
}
