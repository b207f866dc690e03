package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

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
