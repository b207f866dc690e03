package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// distributor is the part of a connection that distribute needs.
type distributor interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// selectCitus finds the extension Citus, if the database has it.
const selectCitus = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`

// hasCitus reports whether the database has the extension Citus.
func hasCitus(ctx context.Context, c distributor) (bool, error) {
	rows, err := c.Query(ctx, selectCitus)
	if err != nil {
		return false, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int])
	return len(found) > 0, err
}

// distribute spreads the tables over the machines of a cluster by owner if the
// database has Citus; otherwise it does nothing. Tables that are distributed already
// stay as they are.
func distribute(ctx context.Context, c distributor) error {
	if there, err := hasCitus(ctx, c); err != nil || !there {
		return err
	}
	rows, err := c.Query(ctx, `SELECT logicalrelid::text FROM pg_dist_partition`)
	if err != nil {
		return err
	}
	done, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, statement := range distributing(done) {
		rows, err := c.Query(ctx, statement)
		if err != nil {
			return err
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// distributing returns the statements that distribute the remaining tables. The rows
// of an owner lie on the same machine in all tables. Every machine has the number of
// the schema.
func distributing(done []string) []string {
	var list []string
	if !slices.Contains(done, "schema_version") {
		list = append(list, `SELECT create_reference_table('schema_version')`)
	}
	for i, t := range owned {
		switch {
		case slices.Contains(done, t.name):
		case i == 0:
			list = append(list, `SELECT create_distributed_table('`+t.name+`', 'owner')`)
		default:
			list = append(list, `SELECT create_distributed_table('`+t.name+`', 'owner', colocate_with => '`+owned[0].name+`')`)
		}
	}
	return list
}
