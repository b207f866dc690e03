package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table due: the work that waits, see [store.Agenda].
//
//	owner, work  key
//	at           when it is due; index due_at finds those that are
//
// It has no seals: all of it follows from other tables.

const (
	selectDue  = `SELECT owner FROM due WHERE work = $1 AND at <= $2 ORDER BY at, owner LIMIT $3`
	selectDIDs = `SELECT owner, did FROM owners WHERE owner = ANY ($1) AND moved <> '` + arriving + `'`
	leaseDue   = `UPDATE due SET at = $2 WHERE owner = $1 AND work = $3 AND at <= $4`
	fileDue    = `INSERT INTO due AS d (owner, work, at) VALUES ($1, $2, $3) ON CONFLICT (owner, work) DO UPDATE SET at = `
	earlierDue = fileDue + `least(d.at, excluded.at)`
	insteadDue = fileDue + `excluded.at`
	hastenDue  = `UPDATE due SET at = 0 WHERE owner = $1 AND work = $2 AND at > 0`
	settleDue  = `DELETE FROM due WHERE owner = $1 AND work = $2`
	firstDue   = `SELECT min(expires) FROM records WHERE owner = $1 AND expires IS NOT NULL`

	selectLabelled = `SELECT did FROM owners WHERE label = $1 AND label <> '' AND moved <> '` + arriving + `' ORDER BY enrolled, owner`
)

// Due lists the owners whose work is due, see [store.Agenda]. It asks for their names in a
// second statement: in a join the server would read all owners to find a few.
func (s *Store) Due(ctx context.Context, work store.Work, by time.Time, max int) ([]memory.DID, error) {
	ids, err := queryOwners(ctx, s, "list work", selectDue, []any{string(work), stored.Micros(by), max}, func(rows pgx.Rows) (id [16]byte, err error) {
		err = rows.Scan(&id)
		return id, err
	})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	names := make(map[[16]byte]memory.DID, len(ids))
	_, err = queryOwners(ctx, s, "list work", selectDIDs, []any{ids}, func(rows pgx.Rows) (id [16]byte, err error) {
		var did memory.DID
		err = rows.Scan(&id, &did)
		names[id] = did
		return id, err
	})
	var owners []memory.DID
	for _, id := range ids {
		if did, there := names[id]; there {
			owners = append(owners, did)
		}
	}
	return owners, err
}

// Labelled lists the owners with a label, see [store.Store].
func (s *Store) Labelled(ctx context.Context, label string) ([]memory.DID, error) {
	return queryOwners(ctx, s, "find label", selectLabelled, []any{[]byte(label)}, scanDID)
}

func scanDID(rows pgx.Rows) (did memory.DID, err error) {
	err = rows.Scan(&did)
	return did, err
}

// Lease takes an owner's work, see [store.Agenda].
func (s *Store) Lease(ctx context.Context, owner memory.DID, work store.Work, by, until time.Time) (taken bool, err error) {
	err = s.Update(ctx, owner, func(any store.Writer) error {
		n, err := any.(*writer).exec(leaseDue, stored.Micros(until), string(work), stored.Micros(by))
		taken = n > 0
		return err
	})
	return taken && err == nil, err
}

// Schedule implements [store.Scheduler].
func (w *writeTx) Schedule(work store.Work, at time.Time) error { return w.plan(earlierDue, work, at) }

// Reschedule implements [store.Scheduler].
func (w *writeTx) Reschedule(work store.Work, at time.Time) error {
	if !at.IsZero() {
		return w.plan(insteadDue, work, at)
	}
	w.later(settleDue, string(work))
	return w.failed()
}

func (w *writeTx) plan(query string, work store.Work, at time.Time) error {
	if err := w.Enrol(); err != nil {
		return err
	}
	w.later(query, string(work), stored.Micros(at))
	return w.failed()
}

// FirstExpiry implements [store.Records].
func (r *records) FirstExpiry() (time.Time, error) {
	var at *int64
	if err := r.first(firstDue, nil, &at); err != nil || at == nil {
		return time.Time{}, err
	}
	return stored.Instant(*at), nil
}
