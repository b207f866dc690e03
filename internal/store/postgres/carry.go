package postgres

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

var _ store.Carrier = (*Store)(nil)

// Leave runs fn within an Update, see [store.Carrier]. Meanwhile other callers may
// write for other owners.
func (s *Store) Leave(ctx context.Context, owner memory.DID, moved string, fn func(store.OwnerRows) error) error {
	return s.Update(ctx, owner, func(any store.Writer) error {
		w := any.(*writer)
		if !w.owner.Known {
			return store.ErrNotFound
		}
		if err := w.takeTime(); err != nil {
			return err
		}
		if err := fn(ownerData{w.ownerTx}); err != nil || moved == "" {
			return err
		}
		return w.SetMoved(moved)
	})
}

// takeTime lifts the time limit of a transaction's statements.
func (w *ownerTx) takeTime() error {
	return w.tx.send(w.ctx, "write", statement{query: `SET LOCAL statement_timeout = 0`},
		statement{query: `SET LOCAL idle_in_transaction_session_timeout = 0`})
}

// ownerData reads the rows of an owner who moves to another store.
type ownerData struct{ w *ownerTx }

// Owner returns the owner's row as it was when the transaction began.
func (l ownerData) Owner() ([]any, error) {
	if l.w.owner.Heir == nil {
		return nil, store.ErrAltered
	}
	return ownersRow(&l.w.owner), l.w.Ready()
}

// ownersRow returns the columns of an owner's row, and the seal last.
func ownersRow(o *stored.Owner) []any {
	row := append(o.Values(), o.Seal)
	for i, v := range row {
		if b, ok := v.([]byte); ok && b == nil {
			row[i] = nil
		}
	}
	return row
}

var errEnough = errors.New("enough")

// Rows reads a page.
func (l ownerData) Rows(name string, after []any, max int) ([][]any, error) {
	t := tableOf(name)
	if t.Key == 0 && after != nil {
		return nil, l.w.Ready()
	}
	query, args := t.page(after)
	var page [][]any
	size := 0
	err := l.w.each(query, append(args, max), func(rows pgx.Rows) error {
		row, err := t.scan(rows)
		page = append(page, append(row.Values, row.Seal))
		for _, raw := range rows.RawValues() {
			size += len(raw)
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

// page selects the rows after a key, in the order of the index keys. The last
// parameter is the number of rows.
func (t *table) page(after []any) (query string, args []any) {
	query = `SELECT ` + t.list + ` FROM ` + t.Name + ` WHERE owner = $1`
	order, marks, keys := "owner", "", ""
	for i, c := range t.Columns[:t.Key] {
		name := found(c)
		order += ", " + name
		keys += ", " + name
		marks += ", $" + strconv.Itoa(i+2)
	}
	for _, v := range after {
		if text, ok := v.(string); ok {
			v = short(text)
		}
		args = append(args, v)
	}
	if len(args) > 0 {
		query += ` AND (` + keys[2:] + `) > (` + marks[2:] + `)`
	}
	return query + ` ORDER BY ` + order + ` LIMIT $` + strconv.Itoa(len(args)+2), args
}

// Tally reads all rows of a table and adds them up.
func (l ownerData) Tally(name string) (store.Tally, error) { return l.w.tally(name) }

func (w *ownerTx) tally(name string) (store.Tally, error) {
	t, tally := tableOf(name), stored.NewRowCounter(name)
	err := w.each(`SELECT `+t.list+` FROM `+name+` WHERE owner = $1`, nil, func(rows pgx.Rows) error {
		row, err := t.scan(rows)
		if err == nil {
			tally.Add(append(row.Values, row.Seal))
		}
		return err
	})
	return tally.Tally(), err
}
