package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// attempts is how often a transaction is tried.
const attempts = 5

// commitTimeout is how long a commit may take. The caller cannot cancel it, since the
// caller would not learn the result.
const commitTimeout = time.Minute

// Update runs fn in a transaction, see [store.Store]. It runs fn again only if other
// transactions were in the way, or the connection broke before the commit.
func (s *Store) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return s.update(ctx, owner, false, fn)
}

// update is Update, also for an arriving owner; see [store.Carrier].
func (s *Store) update(ctx context.Context, owner memory.DID, carries bool, fn func(store.Writer) error) (err error) {
	ctx, call := s.meter.Transaction(ctx, measure.Update)
	defer func() { call.End(err) }()
	if owner == "" {
		return refusal("write", nil, "every row needs an owner")
	}
	leave, err := s.turns.enter(ctx, s.closing, idOf(owner))
	if err != nil {
		return err
	}
	defer leave()
	for attempt := 0; ; attempt++ {
		err, cause := s.try(ctx, owner, carries, fn)
		if err == nil || cause == nil || !s.retry(ctx, attempt, cause) {
			return err
		}
	}
}

// try runs fn once. cause is nil when fn must not run again, whatever err says.
func (s *Store) try(ctx context.Context, did memory.DID, carries bool, fn func(store.Writer) error) (err, cause error) {
	seals := s.seals(did)
	w := newWriter(&ownerTx{ctx: ctx, did: did, id: idOf(did), carries: carries, writes: true, sealer: func() *stored.Sealer { return seals }}, seals)
	if err := s.enter(ctx, w.ownerTx, beginUpdate, lockStatement); err != nil {
		return w.refused(err), err
	}
	defer func() {
		w.end()
		w.tx.end()
		if err == nil && w.owner.Changed {
			s.watch.committed(w.id)
		}
	}()
	w.owner.Inherit(w.seals)
	before := w.owner
	err = call(w, fn)
	if w.tx.failed != nil { // even if the function ignored it
		if err == nil || again(w.tx.cause) {
			err = w.tx.failed
		}
		return err, w.tx.cause
	}
	if err != nil {
		return err, nil
	}
	if err := errors.Join(w.Ready(), w.finish()); err != nil {
		return err, w.tx.cause
	}
	return s.commit(w, before)
}

// commit makes the writes of w durable.
func (s *Store) commit(w *writer, before stored.Owner) (err, cause error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), commitTimeout)
	defer cancel()
	err = w.tx.commit(ctx)
	switch {
	case err == nil:
		return nil, nil
	case !uncertain(w.tx.cause):
		return err, w.tx.cause
	}
	return s.outcome(ctx, w, before)
}

// call runs fn, and turns a panic into an error.
func call(w *writer, fn func(store.Writer) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &memory.Error{Kind: memory.Internal, Op: "write", Message: "a fault in satchel; please report it",
				Err: fmt.Errorf("%w: %v\n%s", errPanic, cause, debug.Stack())}
		}
	}()
	return fn(w)
}

// errPanic stands for a function that did not return.
var errPanic = errors.New("the function ended without returning")

// retry reports whether to run a transaction that failed with this cause again. It
// waits before that, longer each time and with a random part.
func (s *Store) retry(ctx context.Context, attempt int, cause error) bool {
	if attempt+1 >= attempts || !again(cause) || ctx.Err() != nil || s.isClosing() {
		return false
	}
	pause := time.Millisecond << (3 * attempt)
	pause += rand.N(pause)
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
	case <-s.closing:
	}
	return false
}
