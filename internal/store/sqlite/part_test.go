package sqlite

import (
	"database/sql"
	"errors"
	"testing"

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
