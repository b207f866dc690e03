package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestPart: of an owner's rows those go that belong to a machine, the store stays sound, and the
// lineage is another. A failure leaves the rows as they were.
func TestPart(t *testing.T) {
	path := full(t, secretOf)
	s, err := Open(t.Context(), path, Options{Seal: secretOf})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	lineage := func() (name string) {
		must(t, s.View(t.Context(), ada, func(r store.Reader) (err error) { name, err = r.Runs().Lineage(); return err }))
		return name
	}
	counts := func() map[string]int {
		found := map[string]int{}
		raw(t, path, func(db *sql.DB) {
			for _, table := range []string{"receipts", "sessions", "readings", "runs", "run_events", "audit", "audit_hashes", "audit_heads", "attachments", "records", "grants"} {
				for owner, name := range map[int]string{1: "ada", 2: "bob"} {
					var n int
					must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table+` WHERE owner = ?`, owner).Scan(&n))
					found[name+" "+table] = n
				}
			}
		})
		return found
	}
	was, before := lineage(), counts()
	refused := errors.New("no")
	if err := s.Part(t.Context(), ada, nil, func(store.Writer) error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if after := counts(); after["ada audit"] != before["ada audit"] || after["ada attachments"] != before["ada attachments"] {
		t.Errorf("a failure leaves %v, not %v", after, before)
	}
	update(t, s, func(w store.Writer) error {
		return store.PutAttachment(w, store.Attachment{Space: "kept", Key: "k", Data: []byte("data")})
	})
	must(t, s.Part(t.Context(), ada, []string{"kept"}, func(w store.Writer) error {
		if entries, hashes, err := w.Audit().AuditSize(); entries != 0 || hashes != 0 || err != nil {
			t.Errorf("the audit log has %d entries and %d hashes, %v", entries, hashes, err)
		}
		return w.AuditKeeper().AppendAudit([][]byte{[]byte("first")}, [][]byte{[]byte("hash")})
	}))
	sound(t, s)
	if is := lineage(); is == was {
		t.Error("the lineage is the same")
	}
	after := counts()
	for name, n := range before {
		want := n
		switch name {
		case "ada audit", "ada audit_hashes", "ada attachments":
			want = 1
		case "ada receipts", "ada sessions", "ada readings", "ada runs", "ada run_events", "ada audit_heads":
			want = 0
		}
		if after[name] != want || n == 0 {
			t.Errorf("%s: %d rows, then %d, want %d", name, n, after[name], want)
		}
	}
}

// TestPartDecides: each table is either of a machine, and Part removes its rows, or of the owner.
func TestPartDecides(t *testing.T) {
	path := full(t, secretOf)
	ofOwner := []string{"owners", "records", "staged", "postings", "relations", "aliases", "project_aliases", "changes", "imports", "lessons",
		"grants", "attachments", "agents", "states", "spent", "due", "lineage", "goose_db_version"}
	decided := append(append(ofOwner, "run_events", "arrivals"), ofMachine[:]...)
	slices.Sort(decided)
	var tables []string
	raw(t, path, func(db *sql.DB) {
		rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var name string
			must(t, rows.Scan(&name))
			tables = append(tables, name)
		}
		must(t, rows.Err())
		_, err = db.ExecContext(t.Context(), `INSERT INTO arrivals (owner, did, state, said, owed, reached) VALUES (1, ?, 'settled', x'00', 0, '')`, ada)
		must(t, err)
	})
	if !slices.Equal(tables, decided) {
		t.Errorf("the tables are %q, and it is decided about %q: does a new machine take over their rows?", tables, decided)
	}
	s, err := Open(t.Context(), path, Options{Seal: secretOf})
	must(t, err)
	defer s.Close()
	must(t, s.Part(t.Context(), ada, nil, func(store.Writer) error { return nil }))
	raw(t, path, func(db *sql.DB) {
		for _, table := range append([]string{"run_events", "arrivals"}, ofMachine[:]...) {
			var n int
			must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table+` WHERE owner = 1`).Scan(&n))
			if n > 0 {
				t.Errorf("%s: %d rows are left", table, n)
			}
		}
	})
}

// TestPartLeavesNoBytes: no file of the parted copy holds a word of what belonged to the other
// machine, even in the unused parts of pages. Nor does the copy from before a migration, as a
// newer release keeps one.
func TestPartLeavesNoBytes(t *testing.T) {
	const word = "quixotrovian"
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	for n := range 400 {
		mixed := n * 7919 % 400 // so that full pages are split
		text := fmt.Sprint(word, mixed, strings.Repeat("x", n*37%211))
		update(t, s, func(w store.Writer) error {
			return errors.Join(
				w.ReadingKeeper().PutReadings([]store.Reading{{At: birth.Add(time.Duration(mixed) * time.Second), Way: "recall", Given: 1, Question: text}}),
				w.SetReceipt(store.Receipt{Key: fmt.Sprint(mixed, text), Answer: []byte(text), At: birth}, time.Hour),
				w.SessionKeeper().PutSession(store.Session{Digest: fmt.Sprint(mixed, text), Use: store.Visit, Made: birth, Seen: birth, Ends: birth.Add(time.Hour)}),
				store.PutAttachment(w, store.Attachment{Space: "own", Key: fmt.Sprint(mixed, text), Data: []byte(text)}),
				store.PutAttachment(w, store.Attachment{Space: "kept", Key: fmt.Sprint(mixed), Data: []byte("data")}),
				w.AuditKeeper().AppendAudit([][]byte{[]byte(text)}, [][]byte{[]byte(text)}))
		})
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "satchel.db"))
	must(t, err)
	must(t, errors.Join(s.Backup(t.Context(), f), f.Close()))
	if grep(t, f.Name(), word) == 0 {
		t.Error("the copy lacks the word")
	}
	data, err := os.ReadFile(f.Name())
	must(t, errors.Join(err, os.WriteFile(f.Name()+".v11.bak", data, 0o600)))
	c := open(t, f.Name())
	must(t, c.Part(t.Context(), ada, []string{"kept"}, func(store.Writer) error { return nil }))
	if n := grep(t, f.Name(), word); n > 0 {
		t.Errorf("%d places hold the word", n)
	}
}
