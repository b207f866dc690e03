package postgres

import (
	"context"
	"errors"
	"math/bits"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store"
)

// acquire takes a connection from the pool. It waits for one up to the PoolTimeout of
// the options.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	s.await(ctx, s.short.shouldWait)
	return s.acquireFrom(ctx, s.pool)
}

func (s *Store) acquireFrom(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	if s.isClosing() {
		return nil, closed("use store")
	}
	patience, cancel := context.WithTimeout(ctx, s.opt.PoolTimeout)
	defer cancel()
	conn, err := pool.Acquire(patience)
	switch {
	case err == nil:
		return conn, nil
	case s.isClosing():
		return nil, closed("use store")
	case ctx.Err() == nil && patience.Err() != nil:
		return nil, tooLong(pool)
	}
	return nil, err
}

// tooLong says why no connection was available in time.
func tooLong(pool *pgxpool.Pool) error {
	if pool.Stat().ConstructingConns() > 0 {
		return errBroken // the server does not answer
	}
	return refusal("use store", store.ErrBusy, "all connections to the database are in use; try again a little later, "+
		"or allow more with pool_max_conns in the URL")
}

// shortUses counts the uses of connections that no caller waits for and that are over in a moment:
// the end of a snapshot, and what tells others of a commit. A call that comes meanwhile waits
// for such a connection. The pool would make another at once, and the server plan every
// statement anew for it.
type shortUses struct {
	mu     sync.Mutex    // held for a moment; guards the fields below
	ending int           // uses under way
	claims int           // uses that have no connection yet
	waited time.Duration // how long was waited for them since another connection was made
	freed  chan struct{} // closed when a connection may be free; nil: nobody waits
}

// connectionPrice is how long calls wait in all until another connection is worth making:
// about what that takes.
const connectionPrice = 50 * time.Millisecond

// note counts uses that begin or end.
func (n *shortUses) note(ending, claims int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ending += ending
	n.claims += claims
	if n.freed != nil {
		close(n.freed)
		n.freed = nil
	}
}

// shouldWait reports whether a call should wait: every idle connection is claimed, and one will be
// free in a moment.
func (n *shortUses) shouldWait(pool *pgxpool.Pool) bool {
	if n.ending == 0 && n.claims == 0 {
		return false
	}
	idle := int(pool.Stat().IdleConns())
	return idle <= n.claims && idle+n.ending > 0
}

// claimShouldWait reports whether a claim should wait. It may take its time.
func (n *shortUses) claimShouldWait(pool *pgxpool.Pool) bool {
	state := pool.Stat()
	return state.IdleConns() == 0 && state.TotalConns() > 0
}

// await waits while a condition holds, until another connection is worth making.
func (s *Store) await(ctx context.Context, busy func(*pgxpool.Pool) bool) {
	n := &s.short
	n.mu.Lock()
	defer n.mu.Unlock()
	for ctx.Err() == nil && !s.isClosing() && busy(s.pool) {
		if n.waited >= connectionPrice {
			n.waited = 0
			return
		}
		if n.freed == nil {
			n.freed = make(chan struct{})
		}
		n.waited += n.rest(ctx, s.closing, n.freed, connectionPrice-n.waited)
	}
}

// rest waits for a connection that may be free, without the lock, and returns how long.
func (n *shortUses) rest(ctx context.Context, closing, freed <-chan struct{}, most time.Duration) time.Duration {
	n.mu.Unlock()
	defer n.mu.Lock()
	start, end := time.Now(), time.NewTimer(most)
	defer end.Stop()
	select {
	case <-freed:
	case <-end.C:
	case <-closing:
	case <-ctx.Done():
	}
	return time.Since(start)
}

// When a connection breaks, the connections made before that are probably broken too.
// The pool then replaces them all: once, however many turn out to be broken one after
// the other.

// renewals is the key under which a connection keeps how often the pool had been
// renewed when it was made.
const renewals = "satchel_renewals"

// renew replaces the connections of the pool, unless c was made after the last
// renewal.
func (s *Store) renew(c *pgx.Conn, cause error) {
	made, _ := c.PgConn().CustomData()[renewals].(int64)
	if spreads(cause) && s.renewed.CompareAndSwap(made, made+1) {
		s.pool.Reset()
	}
}

// spreads reports whether the cause that broke a connection may have broken others.
func spreads(cause error) bool {
	if cause == nil || !broken(cause) {
		return false
	}
	refused, ok := errors.AsType[*pgconn.PgError](cause)
	return !ok || refused.Code != "25P03" && refused.Code != "57P05" // this connection alone was idle
}

// usesKey is the key under which a connection counts its transactions.
const usesKey = "satchel uses"

// replan makes the server drop its plans for the statements of a connection, at the
// fourth transaction, the sixteenth, and so on. The server keeps a plan from the
// first use of a statement on. A plan made for almost empty tables may use any index,
// and would stay that way until the tables are analysed.
func replan(ctx context.Context, c *pgx.Conn) error {
	uses, _ := c.PgConn().CustomData()[usesKey].(int)
	uses++
	c.PgConn().CustomData()[usesKey] = uses
	if !outgrown(uses-1, uses) {
		return nil
	}
	_, err := c.Exec(ctx, discardPlans, pgx.QueryExecModeSimpleProtocol)
	return err
}

const discardPlans = `DISCARD PLANS`

// outgrown reports whether so much has been done since plans were made that they may no longer
// suit the tables: with the fourth of something, the sixteenth, and so on.
func outgrown(before, now int) bool { return order(before) < order(now) }

// order is the logarithm of a number to base 4, rounded down.
func order(n int) int { return (bits.Len(uint(max(n, 1))) - 1) / 2 }
