package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

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
// first transactions and then less and less often. The server keeps a plan from the
// first use of a statement on. A plan made for almost empty tables may use any index,
// and would stay that way until the tables are analysed.
func replan(ctx context.Context, c *pgx.Conn) error {
	uses, _ := c.PgConn().CustomData()[usesKey].(int)
	uses++
	c.PgConn().CustomData()[usesKey] = uses
	if uses&(uses-1) != 0 {
		return nil
	}
	_, err := c.Exec(ctx, `DISCARD PLANS`, pgx.QueryExecModeSimpleProtocol)
	return err
}
