package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// secretOf gives the owners of these tests their secrets, and nobody else one.
func secretOf(owner memory.DID) []byte {
	if owner == ada || owner == bob {
		return []byte("the secret of " + owner)
	}
	return nil
}

const bob memory.DID = "did:key:bob"

// full makes a store in which every table has several rows, and returns its path.
func full(t testing.TB, secret func(memory.DID) []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, err := Open(t.Context(), path, Options{Seal: secret})
	must(t, err)
	for _, owner := range []memory.DID{ada, bob} {
		for n := range 3 {
			must(t, s.Update(t.Context(), owner, func(w store.Writer) error { return everywhere(w, n) }))
		}
		writeTail(t, s, owner)
	}
	sound(t, s)
	must(t, s.Close())
	return path
}

// writeTail indexes the documents of an owner's tail.
func writeTail(t testing.TB, s *Store, owner memory.DID) {
	t.Helper()
	must(t, s.Update(t.Context(), owner, func(w store.Writer) error { return w.(*writer).writePending() }))
}

// everywhere writes a row into every table.
func everywhere(w store.Writer, n int) error {
	err := nearlyEverywhere(w, n)
	from := memory.ID(fmt.Sprint("urn:ump:", n))
	_, err2 := store.Attach(w, store.Attachment{Space: "s", Key: fmt.Sprint("name", n), From: from, To: "urn:ump:0", Import: 1, Data: []byte("data")})
	_, err3 := store.Attach(w, store.Attachment{Space: "s", Key: fmt.Sprint("staged", n), Import: 1, Staged: true})
	return errors.Join(err, err2, err3, agentsEverywhere(w, fmt.Sprint("name", n)), visits(w, fmt.Sprint("name", n)),
		reads(w, fmt.Sprint("name", n)), goes(w, fmt.Sprint("name", n)))
}

// goes writes a row into each table of runs.
func goes(w store.Writer, name string) error {
	lineage, err := w.Runs().Lineage()
	return errors.Join(err, w.RunKeeper().PutRun(store.Run{ID: name, Agent: "a" + name, Status: "running", Holder: "h" + name, Lineage: lineage, Until: birth, Wake: birth,
		Began: birth, Changed: birth, Events: 1}),
		w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: name, Number: 1, At: birth, Document: []byte("e" + name)}}))
}

// reads writes a row into the table of readings.
func reads(w store.Writer, name string) error {
	return w.ReadingKeeper().PutReadings([]store.Reading{{At: birth, Nonce: int64(name[len(name)-1]), Way: "recall", Host: "h" + name, Project: "p" + name, Token: "t" + name,
		Times: 1, Given: 2, Memories: []int64{1, 3}, Question: "q" + name}})
}

// visits writes a row into the table of sessions.
func visits(w store.Writer, name string) error {
	return w.SessionKeeper().PutSession(store.Session{Digest: name, Use: store.Visit, Code: "c" + name, Made: birth, Seen: birth, Ends: birth.Add(time.Hour), Label: "l" + name})
}

// agentsEverywhere writes a row into every table of agents.
func agentsEverywhere(w store.Writer, name string) error {
	return errors.Join(
		w.AgentKeeper().PutAgent(store.Agent{ID: name, Revision: 1, Digest: "d" + name, Came: "c" + name, Version: "1.0.0", Name: name, Status: "active",
			Signer: "did:key:s", Received: birth, Document: []byte(`{"name":"` + name + `"}`)}),
		w.AgentKeeper().PutState(store.State{ID: name, Agent: "name0", Run: "r" + name, Status: "paused", Source: "elsewhere", Checkpoint: birth,
			Received: birth, Document: []byte(name)}),
		w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: name, Until: birth}, birth))
}

// nearlyEverywhere leaves out the tables that the first schema had not.
func nearlyEverywhere(w store.Writer, n int) error {
	row := small(memory.ID(fmt.Sprint("urn:ump:", n)))
	c := &row.Columns
	c.Project, c.User, c.Agent, c.Session, c.Duplicate, c.Lineage = "p", "u", "a", "s", "d", row.ID
	c.To, c.Expires, c.Import = birth.Add(time.Hour), birth.Add(time.Hour), 1
	row.Current = []byte(`{"n":1}`)
	d := store.Document{Terms: map[string]int{"word": 2, fmt.Sprint("term", n): 1}, Length: 3 + n, Version: 1}
	number, err := w.Insert(row, d, store.Links{Supersedes: []memory.ID{"urn:ump:9", "urn:ump:8"}})
	staged := small(memory.ID(fmt.Sprint("urn:ump:staged", n)))
	staged.Columns.Import, staged.Columns.Staged = 1, true
	_, err2 := w.Insert(staged, store.Document{}, store.Links{})
	_, err3 := w.Record(store.Change{At: birth.Add(time.Duration(n) * time.Second), Type: store.Imported, Import: 1, First: 1, Last: 2})
	_, err4 := w.SetImport(store.Import{Digest: fmt.Sprint("d", n), At: birth, State: store.Published, Residue: []byte("residue")})
	name := fmt.Sprint("name", n)
	return errors.Join(err, err2, err3, err4,
		w.SetAlias("space", name, row.ID),
		w.SetProjectAlias(name, "p"+name),
		w.SetReceipt(store.Receipt{Key: name, Request: "r" + name, Answer: []byte(name), At: birth}, time.Hour),
		w.SetLesson(number, store.Lesson{Followed: n, Ignored: 1, At: birth}),
		w.SetGrant(store.Grant{ID: name, Claims: []byte(name), Name: name, Issued: birth, Expires: birth, Revoked: birth}),
		w.AuditKeeper().AppendAudit([][]byte{[]byte(name)}, [][]byte{[]byte(name), {1}}),
		w.AuditKeeper().SetAuditHead([]byte(name)))
}

// findings opens a copy of the store at path, after something was done to it.
func findings(t testing.TB, path string, secret func(memory.DID) []byte, do func(db *sql.DB)) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	copied := filepath.Join(t.TempDir(), "satchel.db")
	must(t, os.WriteFile(copied, data, 0o600))
	raw(t, copied, do)
	s, err := Open(t.Context(), copied, Options{Seal: secret})
	must(t, err)
	defer s.Close() // only read
	return found(t, s)
}

// found is what a store finds wrong with itself, and what it cannot tell.
func found(t testing.TB, s *Store) []string {
	t.Helper()
	found, err := s.Check(t.Context())
	must(t, err)
	unchecked, err := s.Unchecked(t.Context())
	must(t, err)
	if len(unchecked) > 0 {
		found = append(found, fmt.Sprintf("unchecked: %q", unchecked))
	}
	return found
}

// raw opens the file with nothing of the store around it.
func raw(t testing.TB, path string, do func(db *sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	do(db)
	must(t, db.Close())
}

// column is a column as SQLite knows it.
type column struct {
	name, kind string
	key        bool
}

// schemaOf asks SQLite for the tables and their columns, so that none can be
// forgotten.
func schemaOf(t testing.TB, path string) map[string][]column {
	t.Helper()
	tables := make(map[string][]column)
	raw(t, path, func(db *sql.DB) {
		rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name, c.type, c.pk > 0 FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
			WHERE m.type = 'table' AND m.name NOT IN ('goose_db_version', 'sqlite_sequence', 'arrivals', 'due', 'lineage') ORDER BY m.name, c.cid`)
		must(t, err)
		defer rows.Close() // rows.Err below reports what went wrong
		for rows.Next() {
			var table string
			var c column
			must(t, rows.Scan(&table, &c.name, &c.kind, &c.key))
			tables[table] = append(tables[table], c)
		}
		must(t, rows.Err())
	})
	if len(tables) != len(allTables())+1 {
		t.Fatalf("the schema has %d tables, %d are sealed; postings, arrivals, due and lineage need no seal", len(tables), len(allTables()))
	}
	return tables
}

// rowsOf reads the first two rows of a table.
func rowsOf(t testing.TB, db *sql.DB, table string, columns []column) [2][]any {
	t.Helper()
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	rows, err := db.QueryContext(t.Context(), "SELECT "+strings.Join(names, ", ")+" FROM "+table+" ORDER BY 1, 2 LIMIT 2")
	must(t, err)
	defer rows.Close() // rows.Err below reports what went wrong
	var two [2][]any
	for i := range two {
		if !rows.Next() {
			t.Fatalf("table %s has %d rows", table, i)
		}
		two[i] = make([]any, len(columns))
		into := make([]any, len(columns))
		for j := range into {
			into[j] = &two[i][j]
		}
		must(t, rows.Scan(into...))
	}
	must(t, rows.Err())
	return two
}

// where is the condition that chooses a row.
func where(columns []column, values []any) (string, []any) {
	var conditions []string
	var args []any
	for i, c := range columns {
		if c.key {
			conditions, args = append(conditions, c.name+" = ?"), append(args, values[i])
		}
	}
	return strings.Join(conditions, " AND "), args
}

// other are values that a column might hold instead of one.
func other(kind string, v any) []any {
	switch v := v.(type) {
	case int64:
		return []any{v + 1000, v + 1<<52, v ^ 1}
	case string:
		if v == "" {
			return []any{"x", []byte{}}
		}
		return []any{v + "x", "", []byte(v)}
	case []byte:
		changed := append([]byte{v[0] ^ 1}, v[1:]...)
		return []any{changed, v[1:], string(v), []byte{}}
	}
	return []any{map[string]any{"INTEGER": int64(7), "TEXT": "x", "BLOB": []byte{7}}[kind]}
}

// TestEveryColumn changes one value after the other behind the store's back, and sets it
// back.
func TestEveryColumn(t *testing.T) {
	racing.Skip(t)
	for name, secret := range map[string]func(memory.DID) []byte{"with secrets": secretOf, "without": nil} {
		t.Run(name, func(t *testing.T) {
			path := full(t, secret)
			tables := schemaOf(t, path)
			s := openSealed(t, path, secret)
			raw(t, path, func(db *sql.DB) {
				for table, columns := range tables {
					row := rowsOf(t, db, table, columns)[0]
					for i := range columns {
						changeColumn(t, s, db, table, columns, row, i)
					}
				}
			})
			if found := found(t, s); len(found) > 0 {
				t.Errorf("everything was set back, yet %q", found)
			}
		})
	}
}

func changeColumn(t *testing.T, s *Store, db *sql.DB, table string, columns []column, row []any, i int) {
	c, values := columns[i], other(columns[i].kind, row[i])
	if s.opt.Seal == nil {
		values = values[:1] // what the secret is makes no difference to the rest
	}
	set := func(row []any, v any) int64 {
		condition, args := where(columns, row)
		result, err := db.ExecContext(t.Context(), "UPDATE OR IGNORE "+table+" SET "+c.name+" = ? WHERE "+condition, append([]any{v}, args...)...)
		if err != nil && strings.Contains(err.Error(), "datatype mismatch") {
			return 0
		}
		must(t, err)
		changed, err := result.RowsAffected()
		must(t, err)
		return changed
	}
	for _, v := range values {
		changed := set(row, v)
		found := found(t, s)
		if changed == 1 && len(found) == 0 {
			t.Errorf("%s.%s = %#v: nothing was found", table, c.name, v)
		}
		if changed == 0 && len(found) > 0 {
			t.Errorf("%s.%s = %#v was not written, yet %q", table, c.name, v, found)
		}
		altered := slices.Clone(row)
		altered[i] = v
		if changed == 1 && set(altered, row[i]) != 1 {
			t.Fatalf("%s.%s = %#v: it was not set back", table, c.name, v)
		}
	}
}

// TestEveryTable removes a row of each table, and lets two rows change places.
func TestEveryTable(t *testing.T) {
	racing.Skip(t)
	path := full(t, secretOf)
	for table, columns := range schemaOf(t, path) {
		found := findings(t, path, secretOf, func(db *sql.DB) {
			remove(t, db, table, columns, rowsOf(t, db, table, columns)[0])
		})
		if len(found) == 0 {
			t.Errorf("%s: a row was removed and nothing found", table)
		}
		found = findings(t, path, secretOf, func(db *sql.DB) {
			two := rowsOf(t, db, table, columns)
			for _, values := range two {
				remove(t, db, table, columns, values)
			}
			for i, c := range columns {
				if !c.key {
					two[0][i], two[1][i] = two[1][i], two[0][i]
				}
			}
			for _, values := range two {
				execute(t, db, "INSERT INTO "+table+" VALUES "+marks(len(columns)), values...)
			}
		})
		if len(found) == 0 {
			t.Errorf("%s: two rows changed places and nothing was found", table)
		}
	}
}

func remove(t testing.TB, db *sql.DB, table string, columns []column, values []any) {
	t.Helper()
	condition, args := where(columns, values)
	execute(t, db, "DELETE FROM "+table+" WHERE "+condition, args...)
}

func execute(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
}

// TestPutBack removes rows through the store, or changes them, and puts back what
// they said before, with their seals.
func TestPutBack(t *testing.T) {
	racing.Skip(t)
	for name, step := range map[string]struct {
		table string
		do    func(w store.Writer) error
	}{
		"a row that was deleted": {"records", func(w store.Writer) error { return w.Delete("urn:ump:0") }},
		"a row that was changed": {"records", func(w store.Writer) error { return w.Replace(small("urn:ump:0"), store.Links{}) }},
		"an alias that moved":    {"aliases", func(w store.Writer) error { return w.SetAlias("space", "name0", "urn:ump:1") }},
		"a grant":                {"grants", func(w store.Writer) error { return w.SetGrant(store.Grant{ID: "name0"}) }},
		"a spent token":          {"spent", func(w store.Writer) error { return w.AgentKeeper().Spend(store.Spent{}, birth.Add(time.Hour)) }},
		"a run":                  {"runs", func(w store.Writer) error { return w.RunKeeper().DropRun("name0") }},
		"a run's holder": {"runs", func(w store.Writer) error {
			_, err := w.RunKeeper().HoldRun("name0", store.Hold{Holder: "another"})
			return err
		}},
		"an event of a run":      {"run_events", func(w store.Writer) error { return w.RunKeeper().DropRun("name0") }},
		"a session":              {"sessions", func(w store.Writer) error { return w.SessionKeeper().DropSession("name0") }},
		"a reading":              {"readings", func(w store.Writer) error { return w.ReadingKeeper().DropReadings(birth, 0) }},
		"a reading that changed": {"readings", func(w store.Writer) error { return w.Delete("urn:ump:1") }},
		"an attachment":          {"attachments", func(w store.Writer) error { return w.Detach("s", "name0") }},
		"a lesson":               {"lessons", func(w store.Writer) error { return w.SetLesson(1, store.Lesson{Followed: 9}) }},
		"a head":                 {"audit_heads", func(w store.Writer) error { return w.AuditKeeper().SetAuditHead([]byte("new")) }},
		"everything":             {"receipts", func(w store.Writer) error { return w.EraseOwner() }},
	} {
		t.Run(name, func(t *testing.T) {
			path := full(t, secretOf)
			columns := schemaOf(t, path)[step.table]
			var old []any
			raw(t, path, func(db *sql.DB) { old = rowsOf(t, db, step.table, columns)[0] })
			s := openSealed(t, path, secretOf)
			update(t, s, step.do)
			sound(t, s)
			must(t, s.Close())
			found := findings(t, path, secretOf, func(db *sql.DB) {
				execute(t, db, "REPLACE INTO "+step.table+" VALUES "+marks(len(columns)), old...)
			})
			if !strings.Contains(strings.Join(found, "\n"), "put back") {
				t.Errorf("found %q", found)
			}
		})
	}
}

// TestSecrets reads and writes with the secret, without it, and with another.
func TestSecrets(t *testing.T) {
	others := func(memory.DID) []byte { return []byte("another secret") }
	nobody := func(memory.DID) []byte { return nil }
	nothing := func(*sql.DB) {}
	missing := "owner 1: the rows were sealed with another secret"
	unchecked := fmt.Sprintf("unchecked: %q", []memory.DID{ada, bob})
	path := full(t, secretOf)
	for name, tt := range map[string]struct {
		secret func(memory.DID) []byte
		want   int
	}{"the secret": {secretOf, 0}, "no secrets": {nil, 1}, "no secret of theirs": {nobody, 1}, "another": {others, 3}} {
		found := findings(t, path, tt.secret, nothing)
		if len(found) != tt.want || tt.want > 0 && found[tt.want-1] != unchecked || tt.want > 1 && !strings.HasPrefix(found[0], missing) {
			t.Errorf("%s: %q", name, found)
		}
	}
	if found := findings(t, full(t, nil), nobody, nothing); len(found) > 0 {
		t.Errorf("nobody ever had a secret: %q", found)
	}
	found := findings(t, full(t, nil), secretOf, nothing)
	for _, f := range found {
		if !strings.HasSuffix(f, "written without the owner's secret, so that nothing vouches for it") && !strings.Contains(f, "more rows") {
			t.Errorf("after the fact: %s", f)
		}
	}
	if len(found) < 2*len(allTables()) {
		t.Errorf("only %d findings", len(found))
	}
}

// TestWithoutSecret writes to sealed rows without the secret, and to such rows
// with it: they tell of it, and of nothing worse.
func TestWithoutSecret(t *testing.T) {
	path := full(t, secretOf)
	change := func(secret func(memory.DID) []byte, n int) {
		s, err := Open(t.Context(), path, Options{Seal: secret})
		must(t, err)
		update(t, s, func(w store.Writer) error {
			row := small("urn:ump:0")
			row.Columns.Project = fmt.Sprint("project", n)
			_, err := w.Record(store.Change{At: birth, Type: store.Revised, ID: row.ID})
			return errors.Join(err, w.Replace(row, store.Links{}), w.Reindex(1, store.Document{Terms: map[string]int{"x": n}, Length: 1}),
				w.SetAlias("space", "name1", row.ID), w.SetProjectAlias("name1", ""))
		})
		must(t, s.Compact(t.Context()))
		must(t, s.Close())
	}
	for n, secret := range []func(memory.DID) []byte{nil, secretOf, nil, secretOf} {
		change(secret, n+1)
		found := findings(t, path, secretOf, func(*sql.DB) {})
		if len(found) == 0 {
			t.Error("nothing was found")
		}
		for _, f := range found {
			if !strings.Contains(f, "was written without the owner's secret") {
				t.Errorf("after change %d: %s", n, f)
			}
		}
	}
}

// TestNoCover changes rows behind the store's back, and then through the store.
func TestNoCover(t *testing.T) {
	racing.Skip(t)
	row := small("urn:ump:0")
	for name, tt := range map[string]struct {
		damage string
		do     func(w store.Writer) error
	}{
		"record, replaced":   {"UPDATE records SET origin = x'01' WHERE id = 'urn:ump:0'", func(w store.Writer) error { return w.Replace(row, store.Links{}) }},
		"record, reindexed":  {"UPDATE records SET origin = x'01' WHERE id = 'urn:ump:0'", func(w store.Writer) error { return w.Reindex(1, store.Document{}) }},
		"version, replaced":  {"UPDATE records SET tokeniser = 9 WHERE id = 'urn:ump:0'", func(w store.Writer) error { return w.Replace(row, store.Links{}) }},
		"counter, rewritten": {"UPDATE owners SET imported = imported + 5", func(w store.Writer) error { return w.SetProjectAlias("a", "b") }},
		"run, longer":        {"UPDATE staged SET import = 2", func(w store.Writer) error { return stageOne(w, 2) }},
		"import, set":        {"UPDATE imports SET state = 'staging'", func(w store.Writer) error { _, err := w.SetImport(store.Import{Number: 1}); return err }},
		"lesson, set":        {"UPDATE lessons SET followed = 99", func(w store.Writer) error { return w.SetLesson(1, store.Lesson{Followed: 100}) }},
		"grant, set":         {"UPDATE grants SET revoked = NULL", func(w store.Writer) error { return w.SetGrant(store.Grant{ID: "name0"}) }},
		"head, set":          {"UPDATE audit_heads SET head = x'01'", func(w store.Writer) error { return w.AuditKeeper().SetAuditHead([]byte("new")) }},
	} {
		t.Run(name, func(t *testing.T) {
			path := full(t, secretOf)
			raw(t, path, func(db *sql.DB) { execute(t, db, tt.damage) })
			s := openSealed(t, path, secretOf)
			before := changedRows(t, s)
			update(t, s, tt.do)
			if after := changedRows(t, s); before == "" || after != before {
				t.Errorf("found %s before, %s afterwards", before, after)
			}
		})
	}
}

// changedRows are the findings that name changed rows.
func changedRows(t testing.TB, s *Store) string {
	t.Helper()
	found, err := s.Check(t.Context())
	must(t, err)
	return strings.Join(slices.DeleteFunc(found, func(f string) bool {
		return !strings.HasSuffix(f, "was changed outside of satchel")
	}), "\n")
}

// TestTablesApart lets rows of two tables of the same form change places.
func TestTablesApart(t *testing.T) {
	found := findings(t, full(t, secretOf), secretOf, func(db *sql.DB) {
		execute(t, db, `CREATE TEMP TABLE kept AS SELECT * FROM audit WHERE owner = 1 AND place = 0`)
		execute(t, db, `REPLACE INTO audit SELECT owner, place, hash, seal FROM audit_hashes WHERE owner = 1 AND place = 0`)
		execute(t, db, `REPLACE INTO audit_hashes SELECT * FROM kept`)
	})
	if len(found) != 2 {
		t.Errorf("found %q", found)
	}
}

func stageOne(w store.Writer, imp int64) error {
	row := small("urn:ump:new")
	row.Columns.Import, row.Columns.Staged = imp, true
	_, err := w.Insert(row, store.Document{}, store.Links{})
	return err
}

// TestManyFindings damages more rows than are named.
func TestManyFindings(t *testing.T) {
	path := made(t, 30)
	raw(t, path, func(db *sql.DB) { execute(t, db, "UPDATE records SET user = 'x'") })
	found, err := open(t, path).Check(t.Context())
	must(t, err)
	if len(found) != mostFindings+1 || found[0] != "table records, row 1 of owner 1: was changed outside of satchel" ||
		found[mostFindings] != "table records: and 10 more rows" {
		t.Errorf("found %q", found)
	}
}

// TestFindingsAreDiscreet damages rows whose keys say something.
func TestFindingsAreDiscreet(t *testing.T) {
	found := findings(t, full(t, nil), nil, func(db *sql.DB) {
		for _, table := range []string{"aliases", "project_aliases", "receipts", "relations", "attachments"} {
			execute(t, db, "UPDATE "+table+" SET seal = x'00'")
		}
	})
	text := strings.Join(found, "\n")
	if strings.Contains(text, "name") || strings.Contains(text, "urn:") || !strings.Contains(text, "table receipts, owner 2, row number 3 by key:") {
		t.Errorf("found %s", text)
	}
}

// TestEveryByte flips bytes of the file. Whatever can be read afterwards and is
// not what was written is found.
func TestEveryByte(t *testing.T) {
	racing.Skip(t)
	path := full(t, secretOf)
	data, err := os.ReadFile(path)
	must(t, err)
	_, before := noticed(t, path)
	rnd := rand.New(rand.NewPCG(1, 1))
	told, silent := 0, 0
	for n := 0; told+silent < 400; n++ {
		at := rnd.IntN(len(data))
		if data[at] == 0 && n%8 != 0 {
			continue // most zeros are room that nothing uses
		}
		changed := append([]byte(nil), data...)
		changed[at] ^= 1 << rnd.IntN(8)
		copied := filepath.Join(t.TempDir(), "satchel.db")
		must(t, os.WriteFile(copied, changed, 0o600))
		noticed, after := noticed(t, copied)
		if noticed {
			told++
			continue
		}
		silent++
		if after != before {
			t.Errorf("byte %d was changed, and with it what the store says; nothing was found", at)
		}
	}
	t.Logf("%d flips were found, %d changed nothing that can be read", told, silent)
	if told < 120 { // half of the bytes, or more, are of pages that nothing uses any more
		t.Errorf("only %d flips were found", told)
	}
}

// noticed reports whether opening the store fails or a check finds something, and
// otherwise all that can be read of the tables that satchel made.
func noticed(t testing.TB, path string) (bool, string) {
	s, err := Open(t.Context(), path, Options{Seal: secretOf, BusyTimeout: time.Millisecond})
	if err != nil {
		return true, ""
	}
	defer s.Close() // only read
	found, err := s.Check(t.Context())
	if err != nil || len(found) > 0 {
		return true, ""
	}
	var all strings.Builder
	must(t, s.read(t.Context(), func(c *conn) error {
		queries := []string{selectAllPostings}
		for _, table := range allTables() {
			queries = append(queries, table.rows)
		}
		for _, query := range queries {
			err := c.values(query, nil, func(values []any) error {
				fmt.Fprintf(&all, "%s %#v\n", query, values)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return false, all.String()
}
