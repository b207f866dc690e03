package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

var _ store.Summer = (*Store)(nil)

// Summed adds up the seals of an owner's rows, see [store.Summer].
func (s *Store) Summed(ctx context.Context, owner memory.DID) (bool, error) {
	same := true
	err := s.View(ctx, owner, func(r store.Reader) error {
		view := r.(*session)
		if !view.owner.Known {
			return nil
		}
		var sum stored.Sum
		if err := view.tx.send(ctx, "check", statement{query: `SET LOCAL statement_timeout = 0`}); err != nil { // a check has no time limit
			return err
		}
		var list []statement
		for _, t := range tables() {
			if t.Name == ownersTable.Name {
				continue
			}
			list = append(list, statement{query: `SELECT seal FROM ` + t.Name + ` WHERE owner = $1`, scan: func(rows pgx.Rows) error {
				var seal []byte
				err := rows.Scan(&seal)
				sum = sum.Plus(seal)
				return err
			}})
		}
		err := view.all(list...)
		same = sum == view.owner.Total
		return err
	})
	return same, err
}
