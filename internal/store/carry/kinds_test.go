package carry_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/memory"
)

// TestMain has random tests run fewer times than usual, because each run moves
// whole stores, unless the command line says how often.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "6"); err != nil {
		panic(err)
	}
	os.Exit(pgtest.Main(m))
}

// kind is a kind of store.
type kind struct {
	name  string
	place func(testing.TB) site
}

// site is where there is room for one store.
type site struct {
	// fresh returns an empty store, which may be the one from the time before.
	fresh func(testing.TB) carry.Place
	// tamper runs a statement on the last one, past satchel.
	tamper func(t testing.TB, statement string)
}

var kinds = []kind{{"sqlite", filePlace}, {"postgres", databasePlace}}

func (k kind) open(t testing.TB) carry.Place {
	t.Helper()
	return k.place(t).fresh(t)
}

// secret is what an owner's rows are sealed with.
func secret(owner memory.DID) []byte {
	if owner == bob {
		return nil
	}
	return []byte("the secret of " + owner)
}

func filePlace(t testing.TB) site {
	t.Helper()
	folder, n := t.TempDir(), 0
	path := func() string { return filepath.Join(folder, fmt.Sprint(n, ".db")) }
	var last *sqlite.Store
	fresh := func(t testing.TB) carry.Place {
		t.Helper()
		if last != nil {
			must(t, last.Close())
		}
		n++
		last = openFile(t, path())
		return last
	}
	tamper := func(t testing.TB, statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", path())
		must(t, err)
		defer db.Close() // nothing is under way
		_, err = db.Exec(statement)
		must(t, err)
	}
	return site{fresh, tamper}
}

func openFile(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s := sqlitetest.Open(t, path, sqlite.Options{Seal: secret})
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func databasePlace(t testing.TB) site {
	t.Helper()
	url := pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })
	s := openDatabase(t, url)
	fresh := func(t testing.TB) carry.Place {
		t.Helper()
		empty(t, url)
		return s
	}
	return site{fresh, func(t testing.TB, statement string) { t.Helper(); pgtest.Query(t, url, statement) }}
}

func openDatabase(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: secret, Pool: 4})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// empty deletes the rows of all owners. TRUNCATE makes new files for each table, which costs
// more than to delete few rows.
func empty(t testing.TB, url string) {
	t.Helper()
	pgtest.Query(t, url, `DO $$ DECLARE named text; BEGIN
		FOR named IN SELECT 'satchel.' || relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
			WHERE attname = 'owner' AND relkind = 'r' AND relnamespace = 'satchel'::regnamespace
		LOOP EXECUTE 'DELETE FROM ' || named; END LOOP; END $$`)
}
