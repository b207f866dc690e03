package carry_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
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
	name string
	// place returns what returns an empty store each time, which may be the one from
	// the time before.
	place func(testing.TB) func(testing.TB) carry.Place
}

var kinds = []kind{{"sqlite", filePlace}, {"postgres", databasePlace}}

func (k kind) open(t testing.TB) carry.Place {
	t.Helper()
	return k.place(t)(t)
}

// secret is what an owner's rows are sealed with.
func secret(owner memory.DID) []byte {
	if owner == bob {
		return nil
	}
	return []byte("the secret of " + owner)
}

func filePlace(t testing.TB) func(testing.TB) carry.Place {
	t.Helper()
	folder, n := t.TempDir(), 0
	var last *sqlite.Store
	return func(t testing.TB) carry.Place {
		t.Helper()
		if last != nil {
			must(t, last.Close())
		}
		n++
		last = openFile(t, filepath.Join(folder, fmt.Sprint(n, ".db")))
		return last
	}
}

func openFile(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{Seal: secret})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func databasePlace(t testing.TB) func(testing.TB) carry.Place {
	t.Helper()
	url := pgtest.Database(t)
	must(t, postgres.Init(context.Background(), url, postgres.Options{}))
	s := openDatabase(t, url)
	return func(t testing.TB) carry.Place {
		t.Helper()
		truncate(t, url)
		return s
	}
}

func openDatabase(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: secret, Pool: 4})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// truncate empties all tables of owners.
func truncate(t testing.TB, url string) {
	t.Helper()
	tables := pgtest.Query(t, url, `SELECT relname::text FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE attname = 'owner' AND relkind = 'r' AND relnamespace = 'public'::regnamespace`)
	pgtest.Query(t, url, `TRUNCATE `+strings.Join(tables, ", "))
}
