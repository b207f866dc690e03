package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// behind opens a copy of the store at path after something was done to it behind
// its back.
func behind(t testing.TB, path string, secret func(memory.DID) []byte, do func(db *sql.DB)) *Store {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	copied := filepath.Join(t.TempDir(), "satchel.db")
	must(t, os.WriteFile(copied, data, 0o600))
	raw(t, copied, do)
	return openSealed(t, copied, secret)
}

// statements runs statements one after the other.
func statements(t testing.TB, list ...string) func(db *sql.DB) {
	return func(db *sql.DB) {
		t.Helper()
		for _, s := range list {
			execute(t, db, s)
		}
	}
}

// both looks at ada's rows as a reader and as a writer.
func both(t testing.TB, s *Store, look func(store.Reader)) {
	t.Helper()
	must(t, s.View(t.Context(), ada, func(r store.Reader) error { look(r); return nil }))
	must(t, s.Update(t.Context(), ada, func(w store.Writer) error { look(w); return nil }))
}

// tellsAltered expects that just these of ada's rows are altered.
func tellsAltered(t testing.TB, s *Store, what string, asked []int64, want ...int64) {
	t.Helper()
	both(t, s, func(r store.Reader) {
		got, err := r.Altered(asked)
		must(t, err)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: altered are %d, want %d", what, got, want)
		}
	})
}

// TestAlteredColumns changes one value of a record after the other.
func TestAlteredColumns(t *testing.T) {
	racing.Skip(t)
	path := full(t, secretOf)
	for i, c := range schemaOf(t, path)["records"] {
		var values []any
		raw(t, path, func(db *sql.DB) { values = other(c.kind, rowsOf(t, db, "records", schemaOf(t, path)["records"])[0][i]) })
		number := int64(1)
		if c.name == "doc" {
			values, number = values[:1], 1001 // that is where the row is to be found
		}
		for _, v := range values {
			change := func(db *sql.DB) { execute(t, db, "UPDATE records SET "+c.name+" = ? WHERE doc = (1 << 40) + 1", v) }
			asked := []int64{1, 2, 3, 4, 1001}
			tellsAltered(t, behind(t, path, secretOf, change), c.name, asked, number)
			tellsAltered(t, behind(t, path, nil, change), c.name+" without the secret", asked)
		}
	}
}

func TestAlteredRows(t *testing.T) {
	sealed, plain := full(t, secretOf), made(t, 40)
	six := upTo(6)
	for name, tt := range map[string]struct {
		path, do string
		asked    []int64
		want     []int64
	}{
		"nothing":                   {sealed, "SELECT 1", six, nil},
		"nothing asked":             {sealed, "UPDATE records SET user = 'x'", nil, nil},
		"current taken away":        {sealed, "UPDATE records SET current = NULL WHERE doc = (1 << 40) + 3", six, []int64{3}},
		"one that is staged":        {sealed, "UPDATE records SET origin = x'01' WHERE doc = (1 << 40) + 2", six, []int64{2}},
		"one that is not there":     {sealed, "DELETE FROM records WHERE doc = (1 << 40) + 2", six, nil},
		"another owner's":           {sealed, "UPDATE records SET user = 'x' WHERE owner = 2", six, nil},
		"the seal of another row":   {sealed, "UPDATE records SET seal = (SELECT seal FROM records WHERE doc = (1 << 40) + 1) WHERE owner = 1", six, six[1:]},
		"written without a secret":  {plain, "SELECT 1", six, six},
		"more than a statement has": {plain, "SELECT 1", upTo(50), upTo(40)},
	} {
		t.Run(name, func(t *testing.T) {
			s := behind(t, tt.path, secretOf, statements(t, tt.do))
			tellsAltered(t, s, name, tt.asked, tt.want...)
		})
	}
}

func upTo(n int64) (numbers []int64) {
	for i := range n {
		numbers = append(numbers, i+1)
	}
	return numbers
}

// TestAlteredPutBack takes away what a record became, once the store has changed
// it, and lets the store write to the row afterwards.
func TestAlteredPutBack(t *testing.T) {
	s := behind(t, full(t, secretOf), secretOf, statements(t, "SELECT 1"))
	row := small("urn:ump:0")
	row.Current = []byte(`{"n":2}`)
	update(t, s, func(w store.Writer) error { return w.Replace(row, store.Links{}) })
	tellsAltered(t, s, "replaced", upTo(6))
	raw(t, s.path, statements(t, "UPDATE records SET current = NULL WHERE doc = (1 << 40) + 1"))
	tellsAltered(t, s, "put back", upTo(6), 1)
	row.Current = []byte(`{"n":3}`)
	update(t, s, func(w store.Writer) error { return w.Replace(row, store.Links{}) })
	tellsAltered(t, s, "replaced again", upTo(6), 1)
}

// TestAlteredOwner removes the rows of owners, and what would be in the way of
// writing for them again: they are new then, and have nothing.
func TestAlteredOwner(t *testing.T) {
	s := behind(t, full(t, secretOf), secretOf, statements(t,
		"DELETE FROM owners", "DELETE FROM grants", "DELETE FROM audit", "DELETE FROM audit_hashes"))
	update(t, s, func(w store.Writer) error { return w.AuditKeeper().AppendAudit([][]byte{{1}}, nil) })
	both(t, s, func(r store.Reader) {
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 9)
		must(t, err)
		if len(rows) > 0 {
			t.Errorf("%d records are shown", len(rows))
		}
	})
	found, err := s.Check(t.Context())
	must(t, err)
	if !slices.Contains(found, "table records, row 1 of owner 1: belongs to an owner that does not exist") {
		t.Errorf("found %q", found)
	}
}

// TestAlteredNames changes names of projects and foreign ids, and answers to
// requests.
func TestAlteredNames(t *testing.T) {
	path := full(t, secretOf)
	for name, tt := range map[string]struct {
		do       string
		projects string // names that stand for others
		alias    bool   // whether name0 is found
		receipt  bool
	}{
		"nothing":                   {"SELECT 1", "name0 name1 name2", true, true},
		"a name is put there":       {"INSERT INTO project_aliases VALUES (1, 'a', 'secret', zeroblob(16))", "name0 name1 name2", true, true},
		"a name of another owner's": {"INSERT OR REPLACE INTO project_aliases SELECT 1, alias, project, seal FROM project_aliases WHERE owner = 2", "", true, true},
		"a name stands for another": {"UPDATE project_aliases SET project = 'secret' WHERE alias = 'name1'", "name0 name2", true, true},
		"a name is another":         {"UPDATE project_aliases SET alias = 'a' WHERE alias = 'name1'", "name0 name2", true, true},
		"a name is of another type": {"UPDATE project_aliases SET project = CAST(project AS BLOB) WHERE alias = 'name1'", "name0 name2", true, true},
		"an alias is put there":     {"UPDATE aliases SET alias = 'old' WHERE alias = 'name0'; INSERT INTO aliases VALUES (1, 'space', 'name0', (1 << 40) + 3, zeroblob(16))", "name0 name1 name2", false, true},
		"an alias moves":            {"UPDATE aliases SET doc = (1 << 40) + 3 WHERE alias = 'name0'", "name0 name1 name2", false, true},
		"an answer is another":      {"UPDATE receipts SET answer = x'01' WHERE key = 'name0'", "name0 name1 name2", true, false},
		"an answer is for another":  {"DELETE FROM receipts WHERE key = 'name0'; UPDATE receipts SET key = 'name0' WHERE key = 'name1'", "name0 name1 name2", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			change := statements(t, strings.Split(tt.do, "; ")...)
			both(t, behind(t, path, secretOf, change), func(r store.Reader) {
				names, err := r.ProjectAliases()
				must(t, err)
				if got := strings.Join(slices.Sorted(maps.Keys(names)), " "); got != tt.projects {
					t.Errorf("projects are %q, want %q", got, tt.projects)
				}
				_, err = r.Alias("space", "name0")
				foundOr(t, "alias", err, tt.alias)
				_, err = r.Receipt("name0")
				foundOr(t, "receipt", err, tt.receipt)
			})
			must(t, behind(t, path, nil, change).View(t.Context(), ada, func(r store.Reader) error {
				names, err := r.ProjectAliases()
				_, err2 := r.Alias("space", "name0")
				_, err3 := r.Receipt("name0")
				if len(names) < 3 {
					t.Errorf("without the secret, projects are %q", names)
				}
				return errors.Join(err, err2, err3)
			}))
		})
	}
}

// TestAlteredOwners points from the rows of one owner to the documents of another
// that have the same numbers, which their seals do not cover.
func TestAlteredOwners(t *testing.T) {
	path := full(t, secretOf)
	for table, ask := range map[string]func(r store.Reader) (memory.ID, error){
		"aliases": func(r store.Reader) (memory.ID, error) { return r.Alias("space", "name0") },
		"relations": func(r store.Reader) (memory.ID, error) {
			ids, err := r.Relating("urn:ump:9")
			return memory.ID(fmt.Sprint(len(ids))), err
		},
	} {
		change := func(db *sql.DB) { execute(t, db, "UPDATE "+table+" SET doc = doc + (1 << 40) WHERE owner = 1") }
		for name, secret := range map[string]func(memory.DID) []byte{"with secrets": secretOf, "without": nil} {
			if found := findings(t, path, secret, change); len(found) == 0 {
				t.Errorf("%s, %s: nothing was found", table, name)
			}
			both(t, behind(t, path, secret, change), func(r store.Reader) {
				id, err := ask(r)
				if id != "" && id != "0" || err != nil && err != store.ErrNotFound {
					t.Errorf("%s, %s: %q, %v", table, name, id, err)
				}
			})
		}
	}
}

func foundOr(t testing.TB, what string, err error, found bool) {
	t.Helper()
	if found && err != nil || !found && !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: %v", what, err)
	}
}
