package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// Each Update that removes content adds one to its owner's counter erased, in its own
// transaction. A Compact reads the counters before it looks at the files. When it has
// succeeded, it notes in cleaned the values it read; content that left meanwhile
// stays owed, by any process.

// Owed asks whether some owner has a debt; an index holds the owners that have.
func (s *Store) Owed(ctx context.Context) (bool, error) {
	owed := false
	err := s.readNow(ctx, func(c *conn) error { return c.first(selectOwed, nil, &owed) })
	return owed, translate("compact", err)
}

const (
	selectOwed  = `SELECT EXISTS (SELECT 1 FROM owners INDEXED BY owners_owed WHERE erased > cleaned)`
	selectDebts = `SELECT owner, erased FROM owners INDEXED BY owners_owed WHERE erased > cleaned`
)

// debts reads the erasure counter of each owner with a debt.
func debts(c *conn) (map[int64]int64, error) {
	owed := make(map[int64]int64)
	err := c.each(selectDebts, nil, func(rows *sql.Rows) error {
		var owner, erased int64
		err := rows.Scan(&owner, &erased)
		owed[owner] = erased
		return err
	})
	return owed, err
}

// settle notes that the files are clean of all content that had left by then.
func (s *Store) settle(ctx context.Context, c *conn, owed map[int64]int64) (err error) {
	if len(owed) == 0 {
		return nil
	}
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for owner, erased := range owed {
		if err = s.settleOwner(ctx, c, owner, erased); err != nil {
			_, rollback := c.exec("ROLLBACK")
			return errors.Join(err, rollback)
		}
	}
	_, err = c.exec("COMMIT")
	return err
}

func (s *Store) settleOwner(ctx context.Context, c *conn, owner, erased int64) error {
	w := &writeTx{ownerTx: &ownerTx{c: c, ctx: ctx}}
	if err := c.first(`SELECT did FROM owners WHERE owner = ?`, []any{owner}, &w.did); err != nil {
		return err
	}
	w.seals = s.sealer(w.did)
	if err := w.begin(); err != nil {
		return err
	}
	w.owner.Cleaned, w.owner.Changed = max(w.owner.Cleaned, erased), true
	return w.finish()
}
