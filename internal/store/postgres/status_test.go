package postgres

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// What is said of a database is so, and a hole in the wall between owners is found.
func TestStatus(t *testing.T) {
	url := pgtest.Start(t, pgtest.Options{}).URL() // of its own: roles are every database's
	if at, known, err := Schema(t.Context(), url, Options{}); at != 0 || known == 0 || err != nil {
		t.Fatalf("an empty database has schema %d of %d, %v", at, known, err)
	}
	if err := Init(t.Context(), url, Options{}); err != nil {
		t.Fatal(err)
	}
	at, known, err := Schema(t.Context(), url, Options{})
	if at != known || err != nil {
		t.Fatalf("it has schema %d of %d, %v", at, known, err)
	}
	s := openSealed(t, url, func(memory.DID) []byte { return nil })
	st, err := s.Status(t.Context())
	if err != nil || st.Schema != at || st.Bytes < 1<<10 || st.User != "postgres" || st.Role != "satchel" || st.Distributed ||
		st.Ahead.Abs() > time.Second || len(st.Holes) != 0 {
		t.Fatalf("it says %+v, %v", st, err)
	}
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, hole := range []struct{ make, want string }{
		{"ALTER TABLE satchel.records DISABLE ROW LEVEL SECURITY", "row-level security does not hold for table records"},
		{"ALTER TABLE satchel.aliases OWNER TO satchel", "row-level security does not hold for table aliases"},
		{"ALTER ROLE satchel BYPASSRLS", "the role satchel gets around row-level security"},
	} {
		if st, err := s.Status(t.Context()); err != nil || slices.Contains(st.Holes, hole.want) {
			t.Errorf("before %s it says %q, %v", hole.make, st.Holes, err)
		}
		if _, err := c.Exec(t.Context(), hole.make); err != nil {
			t.Fatal(err)
		}
		if st, err := s.Status(t.Context()); err != nil || !slices.Contains(st.Holes, hole.want) {
			t.Errorf("after %s it says %q, %v", hole.make, st.Holes, err)
		}
	}
}

// A connection that somebody else closed is no fault of the store.
func TestClosedConnection(t *testing.T) {
	c, err := pgx.Connect(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Exec(t.Context(), `SELECT 1`); !errors.Is(translate("test", err), store.ErrUnavailable) {
		t.Errorf("it is told of as %v", translate("test", err))
	}
}
