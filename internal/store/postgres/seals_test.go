package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// fill puts rows into every table.
func fill(t *testing.T, s *Store) {
	t.Helper()
	update(t, s, func(w store.Writer) error {
		row := fullRow("urn:ump:1")
		links := store.Links{Supersedes: []memory.ID{"urn:ump:0"}}
		_, err := w.Insert(row, store.Document{Terms: map[string]int{"word": 1}, Length: 1}, links)
		staged := small("urn:ump:2")
		staged.Columns.Import, staged.Columns.Staged = 1, true
		_, err2 := w.Insert(staged, store.Document{Terms: map[string]int{"word": 1}, Length: 1}, store.Links{})
		_, err3 := w.Record(store.Change{At: birth, Type: store.Erased, ID: row.ID, Mark: "mark"})
		_, err4 := w.SetImport(store.Import{Digest: "d", Format: "f", Name: "n", At: birth, State: store.Staging, Lease: birth, Residue: []byte("r")})
		_, err5 := store.Attach(w, store.Attachment{Space: "s", Key: "k", From: row.ID, To: staged.ID, Import: 1, Data: []byte("data")})
		return errors.Join(err, err2, err3, err4, err5,
			w.SetAlias("space", "x", row.ID), w.SetProjectAlias("a", "b"),
			w.SetReceipt(store.Receipt{Key: "k", Request: "r", Answer: []byte("a"), At: birth}, time.Hour),
			w.SetLesson(1, store.Lesson{Followed: 1, At: birth}),
			w.SetGrant(store.Grant{ID: "g", Claims: []byte("c"), Name: "n", Issued: birth, Expires: birth, Revoked: birth}),
			w.RunKeeper().PutRun(store.Run{ID: "r", Agent: "a", Revision: 1, Status: "running", Fence: 1, Holder: "h", Until: birth, Wake: birth, Lineage: "l",
				Events: 1, Began: birth, Changed: birth}),
			w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: "r", Number: 1, At: birth, Document: []byte("{}")}}),
			w.AgentKeeper().PutAgent(store.Agent{ID: "a", Revision: 1, Digest: "d", Came: "d", Version: "v", Name: "n", Status: "active", Signer: "s", Received: birth, Document: []byte("{}")}),
			w.AgentKeeper().PutState(store.State{ID: "x", Agent: "a", Run: "r", Status: "paused", Source: "s", Checkpoint: birth, Received: birth, Document: []byte("{}")}),
			w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth),
			w.SessionKeeper().PutSession(store.Session{Digest: "d", Use: store.Visit, Code: "c", Made: birth, Seen: birth, Ends: birth, Label: "l"}),
			w.ReadingKeeper().PutReadings([]store.Reading{{At: birth, Nonce: 7, Way: "recall", Host: "h", Project: "p", Token: "t", Times: 1, Given: 1, Memories: []int64{1}, Question: "q"}}),
			w.SetAccount(store.Account{Key: []byte("key"), Label: "l", Added: birth}), w.SetMoved("m"),
			w.AuditKeeper().AppendAudit([][]byte{{1}}, [][]byte{{1}}), w.AuditKeeper().SetAuditHead([]byte("head")))
	})
}

// fullRow makes a row that leaves nothing open.
func fullRow(id memory.ID) store.Row {
	row := small(id)
	row.Current = []byte(`{"n":2}`)
	c := &row.Columns
	c.Project, c.User, c.Agent, c.Session, c.Duplicate, c.Lineage = "p", "u", "a", "s", "d", "urn:ump:0"
	c.To, c.Expires, c.Import = birth, birth, 1
	return row
}

// TestEveryColumn changes one value after the other in every table, makes it NULL
// where it may be that, and removes every row. A check finds each of that. With the rows put
// back after each change, it finds nothing.
func TestEveryColumn(t *testing.T) {
	racing.Skip(t)
	url := made(t)
	s := openSealed(t, url, secretOf)
	fill(t, s)
	sound(t, s)
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	tables := tables()
	for _, name := range []string{"postings", "terms"} {
		tables = append(tables, &table{Table: indexTable(name)})
	}
	for _, table := range tables {
		back := keep(t, c, table.Name)
		for _, column := range append(table.Columns, stored.Column{Name: "seal", Type: stored.Blob}) {
			if column.Name == "seal" && table.list == "" {
				continue // rows of the index have none
			}
			values := []string{other(column)}
			if column.Open {
				values = append(values, "NULL")
			}
			for _, value := range values {
				try(t, c, s, fmt.Sprintf("UPDATE %s SET %s = %s", table.Name, quoted(column.Name), value))
				back()
			}
		}
		if table.Name != ownersTable.Name {
			try(t, c, s, "DELETE FROM "+table.Name)
			back()
		}
		sound(t, s)
	}
}

// indexTable tells of a table that package stored does not.
func indexTable(name string) stored.Table {
	columns := map[string][]stored.Column{
		"postings": {{Name: "term", Type: stored.Text}, {Name: "block"}, {Name: "entries", Type: stored.Blob}},
		"terms":    {{Name: "term", Type: stored.Text}, {Name: "documents"}},
	}
	return stored.Table{Name: name, Columns: columns[name]}
}

// other is another value than a column has.
func other(c stored.Column) string {
	switch c.Type {
	case stored.Number:
		return quoted(c.Name) + " + 1000"
	case stored.Word:
		return quoted(c.Name) + " || 'x'"
	}
	return quoted(c.Name) + ` || '\x00'::bytea`
}

// try makes a change and expects Check to find it.
func try(t *testing.T, c *pgx.Conn, s *Store, change string) {
	t.Helper()
	done, err := c.Exec(t.Context(), change)
	must(t, err)
	if done.RowsAffected() == 0 {
		t.Fatalf("no row to change: %s", change)
	}
	findings, err := s.Check(t.Context())
	must(t, err)
	if len(findings) == 0 {
		t.Errorf("not found: %s", change)
	}
}

// keep copies the rows of a table, and returns what puts them back.
func keep(t *testing.T, c *pgx.Conn, table string) (back func()) {
	t.Helper()
	_, err := c.Exec(t.Context(), "CREATE TEMP TABLE kept_"+table+" AS SELECT * FROM "+table)
	must(t, err)
	list := columnsOf(t, c, table)
	return func() {
		t.Helper()
		for _, step := range []string{"DELETE FROM " + table, "INSERT INTO " + table + " (" + list + ") SELECT " + list + " FROM kept_" + table} {
			_, err := c.Exec(t.Context(), step)
			must(t, err)
		}
	}
}

// columnsOf lists the columns of a table but for those that the server fills in.
func columnsOf(t *testing.T, c *pgx.Conn, table string) string {
	t.Helper()
	var list []string
	must(t, c.QueryRow(t.Context(), `SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND attgenerated = ''`, table).Scan(&list))
	return strings.Join(list, ", ")
}

// TestForgotten erases a record, and later an owner, and looks for their words in
// every row of every table.
func TestForgotten(t *testing.T) {
	const word = "quixotrovian"
	url := made(t)
	s := openSealed(t, url, secretOf)
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	holding := func() (list []string) {
		t.Helper()
		for _, table := range owned {
			n := 0
			must(t, c.QueryRow(t.Context(), `SELECT count(*) FROM `+table.name+` AS r
				WHERE r::text LIKE '%' || encode($1::text::bytea, 'hex') || '%' OR r::text LIKE '%' || $1 || '%'`, word).Scan(&n))
			if n > 0 {
				list = append(list, table.name)
			}
		}
		slices.Sort(list)
		return list
	}
	remember := func(w store.Writer) error {
		row := fullRow("urn:ump:1")
		row.Origin, row.Current = []byte(word), []byte(word)
		row.Columns.Project, row.Columns.User = word, word
		d := store.Document{Terms: map[string]int{word: 1, "entity:" + word: 1}, Length: 2}
		_, err := w.Insert(row, d, store.Links{Relations: []memory.Relation{{Type: memory.About, Target: word}}})
		_, err2 := w.SetImport(store.Import{Name: word, Residue: []byte(word), At: birth})
		_, err3 := store.Attach(w, store.Attachment{Space: word, Key: word, From: row.ID, Data: []byte(word)})
		return errors.Join(err, err2, err3, w.SetAlias("space", word, row.ID), w.SetProjectAlias(word, word),
			w.SetReceipt(store.Receipt{Key: word, Answer: []byte("urn:ump:1"), At: birth}, time.Hour),
			w.SetGrant(store.Grant{ID: word, Name: word, Issued: birth}))
	}
	update(t, s, remember)
	update(t, s, func(w store.Writer) error {
		return errors.Join(w.AgentKeeper().PutAgent(store.Agent{ID: word, Revision: 1, Name: word, Document: []byte(word)}),
			w.AgentKeeper().PutState(store.State{ID: word, Agent: word, Document: []byte(word)}),
			w.AgentKeeper().Spend(store.Spent{Issuer: word, JTI: word, Until: birth}, birth),
			w.RunKeeper().PutRun(store.Run{ID: word, Agent: word, Holder: word}),
			w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: word, Number: 1, Document: []byte(word)}}),
			w.SessionKeeper().PutSession(store.Session{Digest: word, Use: store.Visit, Label: word, Made: birth, Seen: birth, Ends: birth}),
			w.ReadingKeeper().PutReadings([]store.Reading{{At: birth, Way: "recall", Memories: []int64{1}, Question: word}, {At: birth, Nonce: 1, Way: "recall", Host: word, Project: word}}))
	})
	want := []string{"agents", "aliases", "attachments", "grants", "imports", "postings", "project_aliases", "readings", "receipts", "records", "relations", "run_events", "runs", "sessions", "spent", "states", "terms"}
	if got := holding(); !slices.Equal(got, want) {
		t.Fatalf("%q hold the word, want %q", got, want)
	}
	update(t, s, func(w store.Writer) error {
		_, err := w.SetImport(store.Import{Number: 1, At: birth})
		return errors.Join(err, w.Delete("urn:ump:1"), w.DropReceipts("urn:ump:1"))
	})
	if got, want := holding(), []string{"agents", "grants", "project_aliases", "readings", "run_events", "runs", "sessions", "spent", "states"}; !slices.Equal(got, want) {
		t.Errorf("%q hold the word of a record that is erased, want %q", got, want)
	}
	update(t, s, remember)
	update(t, s, func(w store.Writer) error { return w.EraseOwner() })
	if got := holding(); len(got) > 0 {
		t.Errorf("%q hold the word of an owner who is erased", got)
	}
	sound(t, s)
}
