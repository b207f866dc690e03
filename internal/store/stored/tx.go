package stored

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Tx is a transaction on the rows of one owner. Each store has its own; the code that all
// stores share uses this interface. A statement takes the owner as its first parameter,
// which the transaction adds before args. Tables go by their names.
type Tx interface {
	// Ready fails if the transaction is over, or if its context is done.
	Ready() error
	// OwnerRow returns the row of the owner, which an Update may change.
	OwnerRow() *Owner
	// Secret returns the sealer with the owner's secret. nil: the secret is not at hand,
	// and nobody can tell what was changed outside of the store.
	Secret() *Sealer
	// Key returns the stored form of a text in a key.
	Key(text string) string
	// Document returns the number of a record, staged or not, or
	// [store.ErrNotFound].
	Document(id memory.ID) (int64, error)
	// Query runs a statement and passes each row to scan, which must not run another.
	Query(query string, args []any, scan func(Scanner) error) error
	// Whole runs a statement that selects the columns of a table and the seal, and then the
	// columns that more scans into.
	Whole(table, query string, args []any, row func(TableRow) error, more ...any) error
	// Find returns a row by its key, or [store.ErrNotFound].
	Find(table string, key ...any) (TableRow, error)
}

// WriteTx is a transaction that writes. A store may hold statements back until it
// needs what they return; a failure of one then shows at the next, or at the end.
type WriteTx interface {
	Tx
	// Enrol makes sure that the owner has a row before the first write.
	Enrol() error
	// Put adds n new rows; row appends the columns of one to values.
	Put(table string, n int, row func(i int, values []any) []any) error
	// Set adds a row, or replaces the row with its key.
	Set(table string, values ...any) error
	// Change gives a row new columns.
	Change(table string, old TableRow, values []any) error
	// Drop runs a statement that deletes rows and returns their seals.
	Drop(query string, args ...any) error
	// Schedule files work that waits, see [store.Scheduler].
	Schedule(work store.Work, at time.Time) error
	// Remove is Drop for a statement that returns more columns, which scan reads before
	// Remove returns. scan has to subtract the seal from the sum.
	Remove(query string, args []any, scan func(Scanner) error) error
}

// Scanner is a row of an answer.
type Scanner interface {
	// Scan reads the columns into pointers.
	Scan(into ...any) error
}

// TableRow is a row as read: its columns, in the order of [Table], and its seal.
type TableRow struct {
	Values []any
	Seal   []byte
}

// Genuine reports whether a row is as the store wrote it, as far as it can tell.
func Genuine(tx Tx, table string, r TableRow) bool {
	seals := tx.Secret()
	return seals == nil || seals.Fits(table, r.Values, r.Seal)
}

// First scans the first row of a query, or returns [store.ErrNotFound].
func First(tx Tx, query string, args []any, into ...any) error {
	found := false
	err := tx.Query(query, args, func(row Scanner) error {
		if found {
			return nil
		}
		found = true
		return row.Scan(into...)
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return err
}

// intact reads the only row of a query. It fails with [store.ErrAltered] if the row was
// changed outside.
func intact(tx Tx, table, query string, args ...any) (values []any, err error) {
	var found TableRow
	err = tx.Whole(table, query, args, func(r TableRow) error { found = r; return nil })
	switch {
	case err != nil:
		return nil, err
	case found.Values == nil:
		return nil, store.ErrNotFound
	case !Genuine(tx, table, found):
		return nil, store.ErrAltered
	}
	return found.Values, nil
}

// putNew adds a row whose document has this many bytes, unless its key exists.
func putNew(tx WriteTx, table Table, values []any, bytes int) error {
	if err := tx.Enrol(); err != nil {
		return err
	}
	_, err := tx.Find(table.Name, values[:table.Key]...)
	switch {
	case err == nil:
		return store.ErrExists
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	tx.OwnerRow().Use(0, bytes)
	return putOne(tx, table.Name, values...)
}

func putOne(tx WriteTx, table string, values ...any) error {
	return tx.Put(table, 1, func(_ int, to []any) []any { return append(to, values...) })
}

// dropDocument runs a statement that deletes rows and returns their seals and the lengths of
// their documents.
func dropDocument(tx WriteTx, query string, args ...any) error {
	found := false
	err := tx.Remove(query, args, func(row Scanner) error {
		var seal []byte
		var bytes int
		err := row.Scan(&seal, &bytes)
		found = true
		tx.OwnerRow().Lose(seal)
		tx.OwnerRow().Use(0, -bytes)
		return err
	})
	if err != nil {
		return err
	}
	if !found {
		return store.ErrNotFound
	}
	tx.OwnerRow().Leave()
	return nil
}

// FileExpiry files the end of a row's retention, if it has one, see [store.Scheduler].
func FileExpiry(tx WriteTx, row store.Row) error {
	if row.Columns.Expires.IsZero() {
		return nil
	}
	return tx.Schedule(store.Sweep, row.Columns.Expires)
}
