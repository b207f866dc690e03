package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestOneConnection has one caller read and write in turn. Nobody waits for the end of a
// snapshot or for what tells other processes of a commit; still one connection does.
func TestOneConnection(t *testing.T) {
	s := openSealed(t, made(t), secretOf)
	s.short.reset(-time.Hour) // however slow this machine is
	for range 20 {
		must(t, s.View(t.Context(), ada, func(store.Reader) error { return nil }))
		update(t, s, func(w store.Writer) error {
			_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: "urn:ump:1"})
			return err
		})
	}
	if opened := s.pool.Stat().NewConnsCount(); opened != 1 {
		t.Errorf("one caller made the pool open %d connections", opened)
	}
	s.short.reset(0)
	must(t, s.View(t.Context(), ada, func(store.Reader) error { // needs one more
		return s.View(t.Context(), bob, func(store.Reader) error { return nil })
	}))
}

// reset sets how long was waited.
func (n *shortUses) reset(waited time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waited = waited
}

// TestPreparedOnce reads nonsense when a connection first uses a statement. What the server
// has prepared by then is not prepared again.
func TestPreparedOnce(t *testing.T) {
	s := openSealed(t, made(t), nil)
	must(t, withOwner(t.Context(), s.config.ConnConfig, func(c *pgx.Conn) error {
		id := idOf(ada)
		ask := func(read func([][]byte) error) error {
			return pipe(context.Background(), c, step{name: schemaStatement, read: read}, step{name: ownerStatement, args: [][]byte{id[:]}})
		}
		if err := ask(func([][]byte) error { return errColumns }); !errors.Is(err, errColumns) {
			t.Errorf("what is read is nonsense: %v", err)
		}
		return errors.Join(ask(nil), ask(nil))
	}))
}

// TestStrange finds what may act in satchel's name, of each kind, by the quick look at the
// schema as by the thorough one, and nothing in the schema as it is made.
func TestStrange(t *testing.T) {
	c, err := pgx.Connect(t.Context(), made(t))
	must(t, err)
	defer c.Close(context.Background()) // nothing is under way
	for _, ddl := range []string{
		``,
		`CREATE FUNCTION satchel.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
		`CREATE AGGREGATE satchel.f(int) (SFUNC = int4pl, STYPE = int)`,
		`CREATE OPERATOR satchel.<<< (FUNCTION = int4pl, LEFTARG = int, RIGHTARG = int)`,
		`CREATE COLLATION satchel.c (provider = libc, locale = 'POSIX')`,
		`CREATE TYPE satchel.y AS ENUM ('a')`,
		`CREATE TYPE satchel.y AS RANGE (subtype = bigint)`,
		`CREATE TYPE satchel.y AS (a int)`,
		`CREATE DOMAIN satchel.y AS int`,
		`CREATE TYPE satchel.y`,
		`CREATE VIEW satchel.v AS SELECT 1`,
		`CREATE MATERIALIZED VIEW satchel.v AS SELECT 1`,
		`CREATE VIEW public.v AS SELECT 1; ALTER VIEW public.v SET SCHEMA satchel`,
		`CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION public.f() SET SCHEMA satchel`,
		`CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE satchel.t (a int) SERVER s`,
		`ALTER SCHEMA satchel RENAME TO old; ALTER SCHEMA public RENAME TO satchel; CREATE FUNCTION satchel.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
	} {
		tx, err := c.Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), ddl, pgx.QueryExecModeSimpleProtocol)
		must(t, err)
		quick, err := firstOf(t.Context(), c.PgConn(), selectStrange)
		must(t, err)
		thorough, err := firstOf(t.Context(), c.PgConn(), selectCallable)
		must(t, err)
		if (quick != "") != (ddl != "") || (thorough != "") != (ddl != "") {
			t.Errorf("%s: the quick look found %q, the thorough one %q", ddl, quick, thorough)
		}
		must(t, tx.Rollback(t.Context()))
	}
}
