package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestNewSchema expects a new store of each schema to be what the migrations make one by one, in
// its header, its schema and its rows.
func TestNewSchema(t *testing.T) {
	last, err := latest(embedded())
	must(t, err)
	for schema := firstSchema; schema <= last; schema++ {
		described := map[bool][]string{}
		for _, whole := range []bool{false, true} {
			raw(t, ":memory:", func(db *sql.DB) {
				db.SetMaxOpenConns(1)
				if whole {
					made, err := makeNew(t.Context(), db, until(t, schema))
					if must(t, err); !made {
						t.Error("an empty file is taken for a store")
					}
				} else {
					must(t, migrateSteps(t.Context(), db, until(t, schema)))
				}
				described[whole] = describe(t, db)
			})
		}
		if diff := cmp.Diff(described[false], described[true]); diff != "" {
			t.Errorf("schema %d, by steps (-), as a whole (+):\n%s", schema, diff)
		}
	}
}

// describe returns the header of a store, its schema in the order in which it was made, its list
// of migrations, and the number of rows of each table.
func describe(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	query := func(text string) (lines []string) {
		rows, err := db.QueryContext(t.Context(), text)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			lines = append(lines, line)
		}
		must(t, rows.Err())
		return lines
	}
	lines = query(`SELECT format('header %d %d %s %d', application_id, user_version, encoding, auto_vacuum)
		FROM pragma_application_id, pragma_user_version, pragma_encoding, pragma_auto_vacuum`)
	lines = append(lines, query(`SELECT format('%s %s %s %s', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY rowid`)...)
	lines = append(lines, query(`SELECT format('migration %d %d %d %d', id, version_id, is_applied, tstamp > '2020') FROM goose_db_version ORDER BY id`)...)
	tables := query(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
	if len(tables) < 10 {
		t.Errorf("there are %d tables", len(tables))
	}
	for _, table := range tables {
		lines = append(lines, query(fmt.Sprintf(`SELECT format('%s %%d', count(*)) FROM %s`, table, table))...)
	}
	return lines
}

// TestNewSchemaFails expects nothing of a new store whose making failed, and a store at the next try.
func TestNewSchemaFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	for range 2 {
		if _, err := Open(t.Context(), path, Options{migrations: later(t, "CREATE TABLE more (a); CREATE TABLE more (a);")}); err == nil {
			t.Fatal("it opened")
		}
		raw(t, path, func(db *sql.DB) {
			objects := 0
			must(t, db.QueryRowContext(t.Context(), `SELECT count(*) + (SELECT user_version FROM pragma_user_version) FROM sqlite_schema`).Scan(&objects))
			if objects > 0 {
				t.Errorf("%d are left", objects)
			}
		})
	}
	s := open(t, path)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	sound(t, s)
	if kept, _ := filepath.Glob(path + "*.bak"); len(kept) > 0 {
		t.Errorf("kept copies of nothing: %q", kept)
	}
}

// TestNewSchemaBegun completes a store whose making an earlier release began: that made the list
// of migrations first.
func TestNewSchemaBegun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	raw(t, path, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		if err := migrateSteps(t.Context(), db, fstest.MapFS{"00002_bad.sql": {Data: []byte("-- +goose Up\nno SQL;\n")}}); err == nil {
			t.Fatal("it migrated")
		}
	})
	s := open(t, path)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	sound(t, s)
}

// TestNewSchemaUnread names the migration that cannot be run.
func TestNewSchemaUnread(t *testing.T) {
	for name, migrations := range map[string]fs.FS{
		"00002_bad.sql": fstest.MapFS{"00002_bad.sql": {Data: []byte("no SQL")}},
		"bad_2.sql":     fstest.MapFS{"bad_2.sql": {Data: []byte("PRAGMA user_version = 2;")}},
	} {
		raw(t, ":memory:", func(db *sql.DB) {
			db.SetMaxOpenConns(1)
			if made, err := makeNew(t.Context(), db, migrations); made || err == nil || errors.Is(err, sql.ErrTxDone) {
				t.Errorf("%s: %v, %v", name, made, err)
			}
		})
	}
}
