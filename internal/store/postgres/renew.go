package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// When a connection breaks, the others that were made before that are likely to be
// broken too, and the pool makes them anew: once, however many of them are found
// broken one after the other.

// renewals is where a connection keeps how often the pool had been renewed when it
// was made.
const renewals = "satchel_renewals"

// renew makes the connections of the pool anew if c is none of those made since it
// did so last.
func (s *Store) renew(c *pgx.Conn, cause error) {
	made, _ := c.PgConn().CustomData()[renewals].(int64)
	if spreads(cause) && s.renewed.CompareAndSwap(made, made+1) {
		s.pool.Reset()
	}
}

// spreads reports whether what broke a connection may have broken others.
func spreads(cause error) bool {
	if cause == nil || !broken(cause) {
		return false
	}
	refused, ok := errors.AsType[*pgconn.PgError](cause)
	return !ok || refused.Code != "25P03" && refused.Code != "57P05" // this one idled
}

// usesKey is where a connection keeps how many transactions it has seen.
const usesKey = "satchel uses"

// replan has the server forget how it went about the statements of a connection, at
// its first transactions and ever more seldom. A plan is kept from the first use of a
// statement on, and one that was made while tables were all but empty goes by any
// index: it would stay so until the tables are analysed.
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
