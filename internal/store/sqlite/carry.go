package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

var _ store.Carrier = (*Store)(nil)

// Leave runs fn within an Update, see [store.Carrier]. Meanwhile no other caller
// writes to the store, for any owner.
func (s *Store) Leave(ctx context.Context, owner memory.DID, moved string, fn func(store.OwnerRows) error) error {
	return s.Update(ctx, owner, func(any store.Writer) error {
		w := any.(*writer)
		if w.owner.number == 0 {
			return store.ErrNotFound
		}
		if err := fn(ownerData{w.ownerTx}); err != nil || moved == "" {
			return err
		}
		return w.SetMoved(moved)
	})
}

// ownerData reads the rows of an owner who moves to another store.
type ownerData struct{ w *ownerTx }

// Owner reads the owner's row.
func (l ownerData) Owner() ([]any, error) {
	if l.w.owner.Heir == nil {
		return nil, store.ErrAltered
	}
	return ownersRow(l.w.c, l.w.did)
}

// ownersRow reads an owner's row, or returns [store.ErrNotFound].
func ownersRow(c *conn, did memory.DID) (row []any, err error) {
	t := newCarryTable(stored.Named(stored.OwnersTable))
	err = c.each(`SELECT `+t.list+` FROM owners WHERE did = ?`, []any{string(did)}, func(rows *sql.Rows) (err error) {
		row, err = t.scan(rows, 0)
		return err
	})
	if err == nil && row == nil {
		err = store.ErrNotFound
	}
	return row, translate("read", err)
}

// Rows reads a page.
func (l ownerData) Rows(table string, after []any, max int) ([][]any, error) {
	t := newCarryTable(stored.Named(table))
	query, args := t.page(l.w.owner.number, after)
	var page [][]any
	size := 0
	err := l.w.each(query+` LIMIT ?`, append(args, max), func(rows *sql.Rows) error {
		row, err := t.scan(rows, l.w.owner.number)
		page = append(page, row)
		for _, v := range row {
			if b, ok := v.([]byte); ok {
				size += len(b)
			}
		}
		if err == nil && size >= stored.PageSize {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return page, err
}

// Tally reads all rows of a table and adds them up.
func (l ownerData) Tally(table string) (store.Tally, error) {
	tally, err := tallyOf(l.w.ctx, l.w.c, table, l.w.owner.number)
	return tally, translate("read", err)
}

func tallyOf(ctx context.Context, c *conn, table string, owner int64) (store.Tally, error) {
	t, tally := newCarryTable(stored.Named(table)), stored.NewRowCounter(table)
	query, args := t.page(owner, nil)
	err := c.each(query, args, func(rows *sql.Rows) error {
		row, err := t.scan(rows, owner)
		if err != nil {
			return err
		}
		tally.Add(row)
		return ctx.Err()
	})
	return tally.Tally(), err
}
