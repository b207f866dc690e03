package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// Each Update that lets content leave adds one to its owner's counter erased. What
// has left is gone from every answer, and stands in dead rows and in the log until
// the server reuses their place. A scrub removes it and notes in cleaned how far the
// counter had come when it began; what left meanwhile stays owed.

// Owed looks whether some owner has a debt; those that have stand in an index.
func (s *Store) Owed(ctx context.Context) (bool, error) {
	owed, err := listed(ctx, s, "compact", selectOwed, nil, func(rows pgx.Rows) (owed bool, err error) {
		err = rows.Scan(&owed)
		return owed, err
	})
	return len(owed) == 1 && owed[0], err
}

// Compact fails with [store.ErrOperator] when something is owed: to clean the files
// takes powers that programs do not have, and keeps all owners waiting. See [Scrub].
func (s *Store) Compact(ctx context.Context) error {
	owed, err := s.Owed(ctx)
	if err == nil && owed {
		err = refusal("compact", store.ErrOperator, "what was erased is gone from every answer; "+
			"the operator removes it from the files of the database with satchel store scrub")
	}
	return err
}
