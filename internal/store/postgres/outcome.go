package postgres

import (
	"bytes"
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// uncertain reports whether a commit that failed with this error may still have been
// made: the server did not answer, or said only that it is shutting down.
func uncertain(err error) bool {
	if _, answered := errors.AsType[*pgconn.PgError](err); answered {
		return broken(err)
	}
	return !pgconn.SafeToRetry(err)
}

// outcome finds out whether a commit was made when the connection broke during it.
// The owner's row tells: its seal covers counters and the sum of all other seals, and
// locking it waits for any transaction that still holds it. The row counts for more
// than the server's report on the transaction's number. After a crash the server may
// give that number again if nothing of the transaction reached its disk.
func (s *Store) outcome(ctx context.Context, w *writer, before stored.Owner) (err, cause error) {
	lost := w.tx.cause
	unknown := refusal("commit", store.ErrUncertain,
		"the connection to the database broke during the commit, and it is not known whether the change was made; look before you repeat it")
	switch {
	case w.owner.Changed:
	case w.tx.wrote:
		return unknown, nil // the row cannot tell
	default:
		return nil, nil // the transaction only read
	}
	now, err := s.ownerNow(ctx, w)
	same := func(o stored.Owner) bool { return now.Known == o.Known && bytes.Equal(now.Seal, o.Seal) }
	switch {
	case err != nil || same(before) == same(w.owner):
		return unknown, nil
	case same(w.owner):
		return nil, nil
	}
	return translate("commit", lost), lost
}

// ownerNow reads the owner's row once no transaction holds it.
func (s *Store) ownerNow(ctx context.Context, w *writer) (o stored.Owner, err error) {
	for attempt := 0; ; attempt++ {
		if o, err = s.look(ctx, w); err == nil || !s.retry(ctx, attempt, err) {
			return o, err
		}
	}
}

// look reads the owner's row in a transaction that it rolls back. A missing row
// cannot be locked; look inserts one, which waits for any transaction that is
// inserting it.
func (s *Store) look(ctx context.Context, w *writer) (stored.Owner, error) {
	r := &writeTx{ownerTx: &ownerTx{ctx: ctx, did: w.did, id: w.id, carries: w.carries}, seals: w.seals}
	if err := s.enter(ctx, r.ownerTx, beginUpdate, lockStatement); err != nil {
		return stored.Owner{}, err
	}
	defer r.tx.end()
	if r.owner.Known {
		return r.owner, nil
	}
	switch err := r.Enrol(); {
	case err == nil:
		return stored.Owner{}, nil
	case errors.Is(err, errRaced):
		return stored.Owner{}, errRaced // the next look finds the row
	}
	return stored.Owner{}, r.tx.cause
}
