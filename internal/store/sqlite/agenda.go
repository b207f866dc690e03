package sqlite

import (
	"context"
	"database/sql"
	"time"

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
	selectDue  = `SELECT o.did FROM due AS d JOIN owners AS o ON o.owner = d.owner WHERE d.work = ? AND d.at <= ? ORDER BY d.at, d.owner LIMIT ?`
	leaseDue   = `UPDATE due SET at = ? WHERE owner = ? AND work = ? AND at <= ?`
	fileDue    = `INSERT INTO due (owner, work, at) VALUES (?, ?, ?) ON CONFLICT (owner, work) DO UPDATE SET at = `
	earlierDue = fileDue + `min(at, excluded.at)`
	insteadDue = fileDue + `excluded.at`
	hastenDue  = `UPDATE due SET at = 0 WHERE owner = ? AND work = ? AND at > 0`
	settleDue  = `DELETE FROM due WHERE owner = ? AND work = ?`
	clearDue   = `DELETE FROM due WHERE owner = ?`
	firstDue   = `SELECT min(expires) FROM records INDEXED BY records_expires WHERE owner = ? AND expires IS NOT NULL`

	selectLabelled = `SELECT did FROM owners WHERE label = ? AND label <> '' ORDER BY owner`
)

// Due lists the owners whose work is due, see [store.Agenda].
func (s *Store) Due(ctx context.Context, work store.Work, by time.Time, max int) ([]memory.DID, error) {
	return s.dids(ctx, selectDue, string(work), stored.Micros(by), max)
}

// Labelled lists the owners with a label, see [store.Store].
func (s *Store) Labelled(ctx context.Context, label string) ([]memory.DID, error) {
	return s.dids(ctx, selectLabelled, label)
}

// dids runs a query for owners.
func (s *Store) dids(ctx context.Context, query string, args ...any) (dids []memory.DID, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.each(query, args, func(rows *sql.Rows) error {
			var did memory.DID
			err := rows.Scan(&did)
			dids = append(dids, did)
			return err
		})
	})
	return dids, translate("read", err)
}

// Lease takes an owner's work, see [store.Agenda].
func (s *Store) Lease(ctx context.Context, owner memory.DID, work store.Work, by, until time.Time) (taken bool, err error) {
	err = s.Update(ctx, owner, func(any store.Writer) error {
		w := any.(*writer)
		n, err := w.exec(leaseDue, stored.Micros(until), w.owner.number, string(work), stored.Micros(by))
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
	_, err := w.exec(settleDue, w.owner.number, string(work))
	return err
}

func (w *writeTx) plan(query string, work store.Work, at time.Time) error {
	if err := w.Enrol(); err != nil {
		return err
	}
	_, err := w.exec(query, w.owner.number, string(work), stored.Micros(at))
	return err
}

// FirstExpiry implements [store.Records].
func (r *records) FirstExpiry() (time.Time, error) {
	var at *int64
	if err := r.first(firstDue, []any{r.owner.number}, &at); err != nil || at == nil {
		return time.Time{}, err
	}
	return stored.Instant(*at), nil
}
