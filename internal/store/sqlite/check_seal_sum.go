package sqlite

import (
	"context"
	"database/sql"

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
		if view.owner.number == 0 {
			return nil
		}
		var sum stored.Sum
		for _, t := range allTables() {
			if t.Name == ownersTable.Name {
				continue
			}
			where, args := "owner = ?", []any{view.owner.number}
			if t.ranged {
				where, args = "doc BETWEEN ? AND ?", []any{view.owner.key(0), view.owner.key(1<<40 - 1)}
			}
			err := view.each("SELECT seal FROM "+t.Name+" WHERE "+where, args, func(rows *sql.Rows) error {
				var seal sql.RawBytes
				err := rows.Scan(&seal)
				sum = sum.Plus(seal)
				return err
			})
			if err != nil {
				return err
			}
		}
		same = sum == view.owner.Total
		return nil
	})
	return same, err
}
