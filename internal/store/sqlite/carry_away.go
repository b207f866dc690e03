package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Arriving lists the owners who are arriving, see [store.Carrier].
func (s *Store) Arriving(ctx context.Context) ([]memory.DID, error) {
	var dids []memory.DID
	err := s.read(ctx, func(c *conn) error {
		return c.each(`SELECT did FROM arrivals WHERE state <> 'settled' ORDER BY owner`, nil, func(rows *sql.Rows) error {
			var did memory.DID
			err := rows.Scan(&did)
			dids = append(dids, did)
			return err
		})
	})
	return dids, translate("read", err)
}

// TurnAway removes the rows that have arrived, see [store.Carrier].
func (s *Store) TurnAway(ctx context.Context, owner memory.DID) error {
	a := &arrival{store: s, did: owner}
	err := s.transact(ctx, func(w *writeTx) error {
		known, err := a.load(w.c)
		switch {
		case err != nil:
			return err
		case !known || a.Settled():
			return store.ErrNotFound
		}
		return a.save(w, stored.ArrivalRecord{State: stored.Clearing, Said: a.Said, Owed: true})
	})
	if err != nil {
		return err
	}
	if err := a.clear(ctx); err != nil {
		return err
	}
	return s.transact(ctx, func(w *writeTx) error {
		_, err := w.exec(`DELETE FROM arrivals WHERE owner = ?`, a.number)
		return err
	})
}

// refuseArriving refuses to read or write for an arriving owner, who has no row in
// table owners.
func refuseArriving(c *conn, did memory.DID) error {
	arriving := false
	err := c.first(`SELECT EXISTS (SELECT 1 FROM arrivals WHERE did = ?)`, []any{string(did)}, &arriving)
	if err == nil && arriving {
		return refusal("find owner", store.ErrArriving,
			"the owner is on the way from another store: run satchel store move again, or abandon that move")
	}
	return translate("read", err)
}

// transact runs fn in a transaction of its own, outside of Updates.
func (s *Store) transact(ctx context.Context, fn func(*writeTx) error) error {
	return s.errand(ctx, func(c *conn) error {
		if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
			return translate("write", err)
		}
		w := &writeTx{ownerTx: &ownerTx{c: c, ctx: ctx}}
		err := fn(w)
		if err == nil {
			_, err = c.exec("COMMIT")
		}
		if err != nil {
			_, rollback := c.exec("ROLLBACK")
			return errors.Join(translate("write", err), rollback)
		}
		return nil
	})
}
