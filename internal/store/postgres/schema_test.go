package postgres

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// poison are functions that fit what satchel calls better than PostgreSQL's own, for
// whoever looks for names where they are.
var poison = []string{
	`CREATE FUNCTION public.concat_ws(text, name, name, text, text, text, text, text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''poisoned''; END'`,
	`CREATE FUNCTION public.pg_advisory_lock(bigint) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE ''poisoned''; END'`,
	`CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''poisoned''; END'`,
}

// TestPoisoned has the database, the user and the URL say to look for names in a
// schema where anybody may make functions.
func TestPoisoned(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	db := server.Database(t)
	execute(t, db, poison...)
	execute(t, db, `ALTER ROLE postgres SET search_path = public, pg_catalog`,
		`ALTER DATABASE `+strings.TrimPrefix(parsed(t, db).Path, "/")+` SET search_path = public, pg_catalog`)
	for _, more := range []string{"", "&search_path=public,pg_catalog", "&options=-csearch_path%3Dpublic,pg_catalog"} {
		must(t, Init(t.Context(), db+more, Options{}))
		s := openSealed(t, db+more, secretOf)
		update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
		sound(t, s)
		_, err := s.Status(t.Context())
		must(t, err)
		_, _, err = Schema(t.Context(), db+more, Options{})
		must(t, err)
		_, err = Copies(t.Context(), db+more, Options{})
		must(t, err)
		update(t, s, func(w store.Writer) error { return w.Delete("urn:ump:1") })
		must(t, Scrub(t.Context(), db+more, Options{Seal: secretOf}))
		c, err := s.watch.dial(t.Context())
		must(t, err)
		looksAt(t, c, "the one that listens")
		must(t, c.Close(t.Context()))
		must(t, withOwner(t.Context(), s.config.ConnConfig, func(c *pgx.Conn) error {
			looksAt(t, c, "the owner's")
			return nil
		}))
		must(t, s.Close())
	}
	found := pgtest.Query(t, db, `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
	if len(found) > 0 {
		t.Errorf("satchel made %q in public", found)
	}
}

func looksAt(t *testing.T, c *pgx.Conn, what string) {
	t.Helper()
	var path string
	must(t, c.QueryRow(t.Context(), `SHOW search_path`).Scan(&path))
	if path != "satchel, pg_catalog, pg_temp" {
		t.Errorf("the connection, %s, looks for names in %s", what, path)
	}
}

func parsed(t *testing.T, db string) *url.URL {
	t.Helper()
	u, err := url.Parse(db)
	must(t, err)
	return u
}

// TestBesideOthers makes a store in a database where another program has tables of
// the same names.
func TestBesideOthers(t *testing.T) {
	db := pgtest.Database(t)
	tables := []string{"records", "owners", "schema_version", "goose_db_version"}
	for _, name := range tables {
		execute(t, db, `CREATE TABLE public.`+name+` (theirs text)`, `INSERT INTO public.`+name+` VALUES ('x')`)
	}
	if at, _, err := Schema(t.Context(), db, Options{}); at != 0 || err != nil {
		t.Errorf("before, the schema is %d, %v", at, err)
	}
	if _, err := Open(t.Context(), db, Options{}); !errors.Is(err, store.ErrNotStore) {
		t.Errorf("it opens before it is made: %v", err)
	}
	must(t, Init(t.Context(), db, Options{}))
	s := openSealed(t, db, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	sound(t, s)
	for _, name := range tables {
		if got := pgtest.Query(t, db, `SELECT theirs FROM public.`+name); len(got) != 1 {
			t.Errorf("their table %s holds %q", name, got)
		}
	}
}

// TestSchemaRefused finds the schema taken, or changed by somebody.
func TestSchemaRefused(t *testing.T) {
	racing.Skip(t)
	server := pgtest.Start(t, pgtest.Options{})
	execute(t, server.URL(), `CREATE ROLE other`)
	for _, c := range []struct {
		what, make string
		first      bool // before there is a store
		want       error
		say        string
	}{
		{"of another role", `CREATE SCHEMA satchel AUTHORIZATION other`, true, store.ErrOperator, `belongs to the role "other"`},
		{"with their table", `CREATE SCHEMA satchel; CREATE TABLE satchel.records (a int)`, true, store.ErrNotStore, "tables of another program"},
		{"with their number", `CREATE SCHEMA satchel; CREATE TABLE satchel.schema_version (a int)`, true, store.ErrNotStore, "not satchel's"},
		{"with one more table", `CREATE TABLE satchel.theirs (a int)`, false, store.ErrNotStore, "tables of another program, among them theirs"},
		{"with a function", `CREATE FUNCTION satchel.abs(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1'`, false, store.ErrNotStore, "the function abs"},
		{"with a type", `CREATE DOMAIN satchel.text AS pg_catalog.text`, false, store.ErrNotStore, "the type text"},
		{"with a view", `CREATE VIEW satchel.pg_policies AS SELECT 1`, false, store.ErrNotStore, "the view pg_policies"},
		{"with no number", `DELETE FROM satchel.schema_version`, false, store.ErrNotStore, "lacks its row"},
	} {
		db := server.Database(t)
		if !c.first {
			must(t, Init(t.Context(), db, Options{}))
		}
		execute(t, db, c.make)
		if err := Migrate(t.Context(), db, Options{}); !errors.Is(err, c.want) || !strings.Contains(everything(err), c.say) {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := pgtest.Query(t, db, `SELECT relname::text FROM pg_class WHERE relname = 'audit_heads'`); c.first && len(got) > 0 {
			t.Errorf("%s: tables were made", c.what)
		}
		if strings.Contains(c.what, "table") {
			continue // a later release may have made it
		}
		if _, err := Open(t.Context(), db, Options{}); err == nil {
			t.Errorf("%s: it opens", c.what)
		}
	}
}

// TestSchemaClosed lets somebody make things in the schema, which is refused until
// the operator has brought the rights in order.
func TestSchemaClosed(t *testing.T) {
	db := made(t)
	execute(t, db, `GRANT CREATE ON SCHEMA satchel TO PUBLIC, satchel`)
	if _, err := Open(t.Context(), db, Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("anybody may make functions in the schema: %v", err)
	}
	must(t, Migrate(t.Context(), db, Options{}))
	openSealed(t, db, nil)
}

// TestOwnersSchema makes a store as a user with a schema of the user's name, where
// PostgreSQL looks first.
func TestOwnersSchema(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	db := server.Database(t)
	execute(t, db, `CREATE ROLE satchel NOLOGIN`, `CREATE ROLE satowner LOGIN IN ROLE satchel`, `CREATE SCHEMA satowner AUTHORIZATION satowner`)
	u := parsed(t, db)
	u.User = url.User("satowner")
	err := Init(t.Context(), u.String(), Options{})
	if !errors.Is(err, store.ErrOperator) || !strings.Contains(err.Error(), `CREATE SCHEMA satchel AUTHORIZATION "satowner"`) {
		t.Errorf("a user that may not make the schema: %v", err)
	}
	execute(t, db, `CREATE SCHEMA satchel AUTHORIZATION "satowner"`)
	must(t, Init(t.Context(), u.String(), Options{}))
	s := openSealed(t, u.String(), secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	sound(t, s)
}

// TestModes has the URL ask for other ways to send statements, which pgx knows.
func TestModes(t *testing.T) {
	db := made(t)
	for _, more := range []string{"default_query_exec_mode=simple_protocol", "default_query_exec_mode=exec", "default_query_exec_mode=describe_exec",
		"default_query_exec_mode=cache_describe", "statement_cache_capacity=0", "statement_cache_capacity=0&description_cache_capacity=0"} {
		must(t, Migrate(t.Context(), db+"&"+more, Options{}))
		s, err := Open(t.Context(), db+"&"+more, Options{Seal: secretOf})
		if err != nil {
			t.Errorf("%s: %v", more, err)
			continue
		}
		err = s.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, memory.ID("urn:"+more)) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}
