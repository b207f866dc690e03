package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Status describes a database and the connection to it.
type Status struct {
	Schema      int           // number of the last migration
	Beside      int           // the earliest schema whose programs may work here
	Bytes       int64         // size of tables and indexes, on all machines of the database
	Distributed bool          // Citus spreads the tables
	User        string        // the connected user
	Role        string        // the role as which the program works
	Ahead       time.Duration // how far the database's clock is ahead of ours
	Superuser   bool          // User is a superuser
	OwnsTables  bool          // User owns the tables
	Holes       []string      // faults of row-level security, one finding a line
}

// Citus answers no statement that reads the catalogue beside a table it distributes, so
// the version is asked for by itself.
const (
	stateQuery = `SELECT clock_timestamp(), session_user::text, current_user::text,
	EXISTS (` + selectCitus + `),
	(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
	(SELECT rolsuper FROM pg_roles WHERE rolname = session_user),
	EXISTS (SELECT FROM pg_class AS t JOIN pg_roles AS r ON r.oid = t.relowner
		WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND r.rolname = session_user)`

	// The sizes of all tables: of a database by itself, and of all nodes of a cluster.
	selectSize = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`
	selectClusterSize = `SELECT coalesce(sum(citus_total_relation_size(p.logicalrelid)), 0)::bigint FROM pg_dist_partition AS p
	JOIN pg_class AS c ON c.oid = p.logicalrelid WHERE c.relnamespace = current_schema()::regnamespace`
)

// Status inspects the database. It reads the catalogue and no owner's rows.
func (s *Store) Status(ctx context.Context) (Status, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return Status{}, translate("status", err)
	}
	defer c.Release()
	var (
		st       Status
		now      time.Time
		powerful bool
	)
	if err := c.QueryRow(ctx, statements[schemaStatement]).Scan(&st.Schema, &st.Beside); err != nil {
		return Status{}, translate("status", err)
	}
	asked := time.Now()
	err = c.QueryRow(ctx, stateQuery).Scan(&now, &st.User, &st.Role, &st.Distributed, &powerful, &st.Superuser, &st.OwnsTables)
	if err != nil {
		return Status{}, translate("status", err)
	}
	st.Ahead = now.Sub(asked.Add(time.Since(asked) / 2))
	size := selectSize
	if st.Distributed {
		size = selectClusterSize
	}
	if err := c.QueryRow(ctx, size).Scan(&st.Bytes); err != nil {
		return Status{}, translate("status", err)
	}
	if powerful {
		st.Holes = append(st.Holes, "the role "+st.Role+" gets around row-level security")
	}
	holes, err := (&ownerTx{tx: &tx{conn: c}, ctx: ctx}).checkWall()
	st.Holes = append(st.Holes, holes...)
	return st, translate("status", err)
}

// Schema returns the number of the schema in the database at url, 0 if there is none,
// and the number that this program knows.
func Schema(ctx context.Context, url string, opt Options) (at, known int, err error) {
	if known, err = latest(); err != nil {
		return 0, 0, err
	}
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return 0, known, err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		v, _, err := readVersion(ctx, c)
		at = int(v.number)
		return err
	})
	return at, known, translate("schema", err)
}
