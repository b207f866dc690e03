package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

const bob memory.DID = "did:key:bob"

// TestSecondWall lets every statement forget its owner. Whoever reads sees nothing of
// another owner all the same, and whoever writes changes nothing.
func TestSecondWall(t *testing.T) {
	racing.Skip(t)
	want := visit(t, openSealed(t, made(t), secretOf)) // where nobody else lives
	url := made(t)
	furnish(t, openSealed(t, url, secretOf), bob)
	rows := rowsOf(t, url, bob)
	forgot := 0
	w := &wire{change: func(statement string) string {
		without := forgetful.ReplaceAllString(statement, "$$1::uuid IS NOT NULL")
		if without != statement {
			forgot++
		}
		return without
	}}
	mutant := openSealed(t, w.through(t, url), secretOf)
	if diff := cmp.Diff(want, visit(t, mutant)); diff != "" {
		t.Errorf("another owner shows (-alone +beside another):\n%s", diff)
	}
	if forgot < 40 {
		t.Errorf("only %d statements named their owner", forgot)
	}
	if diff := cmp.Diff(rows, rowsOf(t, url, bob)); diff != "" {
		t.Errorf("another owner's rows have changed:\n%s", diff)
	}
	for _, table := range owned {
		execute(t, url, "ALTER TABLE "+table.name+" DISABLE ROW LEVEL SECURITY")
	}
	if cmp.Equal(want, visit(t, mutant)) || cmp.Equal(rows, rowsOf(t, url, bob)) {
		t.Error("without the wall the statements must reach another owner, else this test shows nothing")
	}
}

var forgetful = regexp.MustCompile(`(\w+\.)?owner = \$1`)

// furnish gives an owner one of everything.
func furnish(t *testing.T, s *Store, owner memory.DID) {
	t.Helper()
	must(t, s.Update(t.Context(), owner, func(w store.Writer) error {
		for _, step := range visits {
			if step.name != "EraseOwner" && step.name != "Delete" && step.name != "DropReceipts" && step.name != "Publish" && step.name != "Detach" &&
				step.name != "DetachImport" {
				step.on(w)
			}
		}
		_, err := w.Row("urn:a")
		return err
	}))
	_, _, err := s.Take(t.Context(), owner, "payer", 1, 2, 1)
	must(t, err)
}

// visit calls everything for an owner, once in a View and twice in an Update, and
// returns what was answered.
func visit(t *testing.T, s *Store) []string {
	t.Helper()
	var log []string
	note := func(name string, answers []any) {
		text, err := json.Marshal(answers)
		must(t, err)
		log = append(log, name+" "+string(text))
	}
	err := s.View(t.Context(), ada, func(r store.Reader) error {
		for _, step := range visits {
			if step.read != nil {
				note(step.name, step.read(r))
			}
		}
		return nil
	})
	note("View", outcomes(err))
	for range 2 {
		err = s.Update(t.Context(), ada, func(w store.Writer) error {
			for _, step := range visits {
				note(step.name, step.on(w))
			}
			return nil
		})
		note("Update", outcomes(err))
	}
	got, _, err := s.Take(t.Context(), ada, "payer", 9, 9, 0.001)
	note("Take", outcomes(err, got))
	return log
}

// rowsOf returns a digest of what each table holds of an owner.
func rowsOf(t *testing.T, url string, owner memory.DID) map[string]string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	rows := make(map[string]string)
	for _, table := range owned {
		var digest string
		must(t, c.QueryRow(t.Context(), `SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, ' ' ORDER BY r::text)), '') FROM `+
			table.name+` AS r WHERE owner = $1`, [16]byte(idOf(owner))).Scan(&digest))
		rows[table.name] = digest
	}
	return rows
}

// TestEmptyHanded sees that a transaction that says no owner, or another, gets
// nothing and writes nothing.
func TestEmptyHanded(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	furnish(t, s, bob)
	for name, setting := range map[string]string{"nobody": "", "another": `SET LOCAL app.owner = '` + idOf(ada).String() + `'`} {
		for _, table := range owned {
			conn, err := s.pool.Acquire(t.Context())
			must(t, err)
			tx, err := conn.Begin(t.Context())
			must(t, err)
			if setting != "" {
				_, err = tx.Exec(t.Context(), setting)
				must(t, err)
			}
			var n int
			must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table.name).Scan(&n))
			if n != 0 {
				t.Errorf("%s sees %d rows of %s", name, n, table.name)
			}
			_, err = tx.Exec(t.Context(), `INSERT INTO `+table.name+` (owner) VALUES ($1)`, [16]byte(idOf(bob)))
			if state(err) != "42501" {
				t.Errorf("%s may write to %s: %v", name, table.name, err)
			}
			must(t, tx.Rollback(t.Context()))
			conn.Release()
		}
	}
}

// TestVisits sees that no method is forgotten.
func TestVisits(t *testing.T) {
	parts := []string{"Agents", "AgentKeeper", "Audit", "AuditKeeper", "Sessions", "SessionKeeper", "Readings", "ReadingKeeper", "Runs", "RunKeeper"} // whose methods are called
	for _, of := range []reflect.Type{reflect.TypeFor[store.Writer](), reflect.TypeFor[store.AgentKeeper](), reflect.TypeFor[store.AuditKeeper](),
		reflect.TypeFor[store.SessionKeeper](), reflect.TypeFor[store.ReadingKeeper](), reflect.TypeFor[store.RunKeeper]()} {
		for m := range of.Methods() {
			if !slices.Contains(parts, m.Name) && !slices.ContainsFunc(visits, func(v visitStep) bool { return v.name == m.Name }) {
				t.Errorf("nobody calls %s", m.Name)
			}
		}
	}
}

// state returns the SQLSTATE of an error, empty: none.
func state(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}
