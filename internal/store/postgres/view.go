package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// rollbackTimeout is how long a rollback may take before the connection is closed
// instead.
const rollbackTimeout = 5 * time.Second

// View runs fn on a snapshot of owner's rows, see [store.Store].
func (s *Store) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) (err error) {
	ctx, call := s.meter.Transaction(ctx, measure.View)
	defer func() { call.End(err) }()
	r, err := s.reader(ctx, owner)
	if err != nil {
		return err
	}
	defer func() {
		r.end()
		s.short.note(1, 0) // the caller need not wait for the end of a snapshot
		go func() {
			r.tx.end()
			s.short.note(-1, 0)
		}()
	}()
	return fn(newSession(r))
}

// reader begins a View, and begins again if the connection turns out to be broken.
func (s *Store) reader(ctx context.Context, did memory.DID) (*ownerTx, error) {
	for attempt := 0; ; attempt++ {
		r := &ownerTx{ctx: ctx, did: did, id: idOf(did)}
		r.sealer = sync.OnceValue(func() *stored.Sealer { return s.seals(did) })
		err := s.enter(ctx, r, beginView, ownerStatement)
		if err == nil {
			return r, nil
		}
		if !s.retry(ctx, attempt, err) {
			return nil, r.refused(err)
		}
	}
}

// enter takes a connection and begins a transaction on it. Its error is the driver's,
// or says that the store cannot be used.
func (s *Store) enter(ctx context.Context, r *ownerTx, how, named string) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	r.tx = &tx{conn: conn, store: s}
	if err := replan(ctx, conn.Conn()); err != nil {
		r.tx.end()
		return err
	}
	v, o, err := r.tx.begin(ctx, how, named, r.id)
	if err == nil {
		r.owner, r.runs, r.leaves = o, r.tx.runs, v.compatible >= leavesSchema
		err = errors.Join(v.acceptable(s.schema), checkOwner(o, r.did))
		if err == nil && o.Moved == arriving && !r.carries {
			err = errArriving
		}
	}
	if err != nil {
		cause := r.tx.cause
		r.tx.end()
		if cause != nil {
			err = cause
		}
	}
	return err
}

// refused returns the caller's error for an error of enter.
func (x *ownerTx) refused(err error) error {
	if ended := x.ctx.Err(); ended != nil {
		return ended
	}
	return translate("begin", err)
}
