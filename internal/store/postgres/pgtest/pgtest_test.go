package pgtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// value runs a query that returns one text.
func value(t *testing.T, url, query string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	var out string
	if err := c.QueryRow(ctx, query).Scan(&out); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

// TestDatabase gives every test a database of its own, and takes it back.
func TestDatabase(t *testing.T) {
	mine := Database(t)
	var theirs string
	t.Run("another", func(t *testing.T) { theirs = Database(t) })
	if mine == theirs {
		t.Fatalf("two tests share %s", mine)
	}
	if got := value(t, mine, "SELECT count(*)::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"); got != "0" {
		t.Errorf("a fresh database has %s relations", got)
	}
	if got := value(t, mine, "SELECT count(*)::text FROM pg_database WHERE datname LIKE 'test%'"); got != "1" {
		t.Errorf("%s databases are left, want 1", got)
	}
}

// TestRestart keeps a durable server's data over both ways of going down.
func TestRestart(t *testing.T) {
	s := Start(t, Options{Durable: true, Settings: map[string]string{"application_name": "settled"}})
	if got := value(t, s.URL(), "SHOW fsync"); got != "on" {
		t.Errorf("a durable server has fsync %s", got)
	}
	if got := value(t, s.URL(), "SHOW application_name"); got != "settled" {
		t.Errorf("a setting is %q", got)
	}
	if err := s.exec("CREATE TABLE kept AS SELECT 'here'::text AS what"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Fast, Immediate} {
		before := value(t, s.URL(), "SELECT pg_postmaster_start_time()::text")
		if err := s.Restart(mode); err != nil {
			t.Fatal(err)
		}
		if value(t, s.URL(), "SELECT pg_postmaster_start_time()::text") == before {
			t.Errorf("%s: it was not restarted", mode)
		}
		if got := value(t, s.URL(), "SELECT what FROM kept"); got != "here" {
			t.Errorf("%s: the data say %q", mode, got)
		}
	}
	if err := s.Halt(Fast); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t.Context(), s.URL()); err == nil {
		t.Error("a server that is down answers")
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if _, err := os.Stat(s.DataDir()); !os.IsNotExist(err) {
		t.Errorf("after Stop the data are still there: %v", err)
	}
}

// TestMissing tells a machine without PostgreSQL from one whose server fails.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if found, err := findPrograms(); err != nil && err != errMissing || err == nil && found.initdb == "" {
		t.Errorf("%+v, %v", found, err)
	}
	if got := version("/usr/lib/postgresql/17/bin"); got != 17 {
		t.Errorf("version %d", got)
	}
}

// TestUnwanted skips what needs PostgreSQL where it is said that there is to be none.
func TestUnwanted(t *testing.T) {
	t.Setenv("SATCHEL_POSTGRES", "none")
	if Available() {
		t.Error("it is said to be there")
	}
	if skipped := t.Run("skipped", func(t *testing.T) { give(t, errUnwanted); t.Error("it goes on") }); !skipped {
		t.Error("it failed")
	}
}

// TestInitialData: where SATCHEL_INITDB names a folder, servers start with a copy of the data
// that the first one kept there.
func TestInitialData(t *testing.T) {
	kept := t.TempDir()
	t.Setenv("SATCHEL_INITDB", filepath.Join(kept, "initdb"))
	if err := os.Chmod(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	const which = "SELECT system_identifier::text FROM pg_control_system()"
	first, second := Start(t, Options{}), Start(t, Options{})
	if a, b := value(t, first.URL(), which), value(t, second.URL(), which); a != b {
		t.Errorf("the second was not copied: %s and %s", a, b)
	}
	if err := first.exec("CREATE TABLE mine (n int)"); err != nil {
		t.Fatal(err)
	}
	const found = "SELECT count(*)::text FROM pg_class WHERE relname = 'mine'"
	if got := value(t, Start(t, Options{}).URL(), found) + value(t, second.URL(), found); got != "00" {
		t.Errorf("what one does reaches others: %s", got)
	}
	if left, err := os.ReadDir(filepath.Join(kept, "initdb")); err != nil || len(left) != 1 {
		t.Errorf("left beside the data: %v, %v", left, err)
	}
}
