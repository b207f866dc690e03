package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The removal of an owner leaves the owner's row, which owes a scrub, the audit log, the
// ids of tokens and a mark of the feed. Programs may delete neither owners nor entries of
// the audit log, so the scrub does it, with the rights of the owner of the tables.

// removed is [store.Removed], for statements.
const removed = "removed"

const (
	selectRemoved = `SELECT did FROM owners WHERE moved = '` + removed + `' AND records = 0`
	lockRemoved   = `SELECT true FROM owners WHERE owner = $1 AND moved = '` + removed + `' AND records = 0 FOR UPDATE`
)

// dropRemoved deletes every row of the owners who were removed. The store owes a scrub
// from before the first row goes.
func (s *Store) dropRemoved(ctx context.Context, c *pgx.Conn) error {
	list, err := queryOwners(ctx, s, "scrub", selectRemoved, nil, scanDID)
	if err == nil && len(list) > 0 {
		err = s.owe(ctx)
	}
	for _, did := range list {
		if err == nil {
			err = dropOwner(ctx, c, idOf(did), lockRemoved)
		}
	}
	return err
}

// dropOwner deletes every row of an owner whose row lock finds. Programs may not do that,
// so c is a connection of the user of the URL; one who may not either gets an error, as
// the owner's rows are in sight. No other connection of the same transaction may hold the
// rows: in a cluster each role has its own, and they would wait for each other.
func dropOwner(ctx context.Context, c *pgx.Conn, id ownerID, lock string) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setOwner+id.String()+"'"); err != nil {
			return err
		}
		there := false
		err := tx.QueryRow(ctx, lock, [16]byte(id)).Scan(&there)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		for _, t := range slices.Backward(owned) { // table owners last
			if err == nil {
				_, err = tx.Exec(ctx, `DELETE FROM `+t.name+` WHERE owner = $1`, [16]byte(id))
			}
		}
		return err
	})
}
