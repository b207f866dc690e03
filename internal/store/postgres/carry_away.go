package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Arriving lists the owners who are arriving, see [store.Carrier].
func (s *Store) Arriving(ctx context.Context) ([]memory.DID, error) {
	return queryOwners(ctx, s, "list owners", selectArriving, nil, func(rows pgx.Rows) (did memory.DID, err error) {
		err = rows.Scan(&did)
		return did, err
	})
}

// nobody carries the scrub debt of owners who were turned away and no longer have a
// row. It is no DID, and never listed.
const nobody = memory.DID("nobody")

const (
	selectArriving = `SELECT did FROM owners WHERE moved = '` + arriving + `' ORDER BY enrolled, owner`
	lockArriving   = `SELECT true FROM owners WHERE owner = $1 AND moved = '` + arriving + `' FOR UPDATE`
)

// TurnAway removes the rows that have arrived, see [store.Carrier]. It needs the
// rights of the schema's owner, since programs may not delete from the audit log. The
// removed rows stay in the files of the database until a scrub. The store owes that
// scrub from before the first row goes.
func (s *Store) TurnAway(ctx context.Context, did memory.DID) error {
	a := &arrival{store: s, did: did}
	err := a.transact(ctx, func(w *writer) error {
		known, err := a.load(w)
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
	if err := s.owe(ctx); err != nil {
		return err
	}
	if err := a.clear(ctx); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ { // what was deleted is not there to be deleted again
		err = withOwner(ctx, s.config.ConnConfig.Copy(), func(c *pgx.Conn) error { return dropOwner(ctx, c, idOf(did), lockArriving) })
		if err == nil || !s.retry(ctx, attempt, err) {
			break
		}
	}
	err = translate("abandon move", err)
	if errors.Is(err, store.ErrOperator) {
		return refusal("abandon move", store.ErrOperator, "the program's role may not remove what has arrived of the audit log: "+
			"abandon the move with the URL of the user who ran satchel init")
	}
	return err
}

// owe notes that content leaves which no owner's row will mention.
func (s *Store) owe(ctx context.Context) error {
	return s.Update(ctx, nobody, func(any store.Writer) error {
		w := any.(*writer)
		if err := w.Enrol(); err != nil {
			return err
		}
		w.owner.Leave()
		return nil
	})
}

// clear removes the rows of the owner, except the audit log.
func (a *arrival) clear(ctx context.Context) error {
	for _, t := range owned[1:] {
		switch t.name {
		case "audit", "audit_hashes", "audit_heads", "arrivals":
			continue
		}
		err := a.transact(ctx, func(w *writer) error {
			w.later(`DELETE FROM ` + t.name + ` WHERE owner = $1`)
			w.touch()
			return w.failed()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
