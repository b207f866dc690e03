package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestCheck damages a store in one way after the other.
func TestCheck(t *testing.T) {
	for name, damage := range map[string]string{
		"wrong tally":           "UPDATE postings SET documents = documents + 1 WHERE term = 'word' AND block = " + tally,
		"missing tally":         "DELETE FROM postings WHERE term = 'word' AND block = " + tally,
		"lost postings":         "DELETE FROM postings WHERE term = 'word' AND block = 0",
		"lost list":             "UPDATE records SET words = NULL WHERE id = 'urn:ump:1'",
		"damaged list":          "UPDATE records SET words = substr(words, 2) WHERE id = 'urn:ump:1'",
		"other list":            "UPDATE records SET words = CAST(replace(CAST(words AS TEXT), 'word', 'work') AS BLOB) WHERE id = 'urn:ump:1'",
		"stray postings":        "UPDATE postings SET block = 5 WHERE term = 'word' AND block = 0",
		"lost record":           "DELETE FROM records WHERE id = 'urn:ump:1'",
		"low number":            "UPDATE owners SET numbered = 1",
		"wrong sequence":        "UPDATE owners SET sequence = 9",
		"gap in the feed":       "DELETE FROM changes WHERE sequence = 1",
		"start of the feed":     "UPDATE owners SET began = 1",
		"range in the feed":     "UPDATE changes SET last = 1 WHERE sequence = 2",
		"lesson about nothing":  "INSERT INTO lessons VALUES (1 << 40 | 77, 1, 0, 0, 0, 0)",
		"lost entry":            "DELETE FROM audit",
		"lost hash":             "DELETE FROM audit_hashes WHERE place = 1",
		"record of another":     "UPDATE records SET owner = 2 WHERE id = 'urn:ump:1'",
		"impossible kind":       "UPDATE records SET kind = 'odd' WHERE id = 'urn:ump:1'",
		"impossible status":     "UPDATE records SET status = '' WHERE id = 'urn:ump:1'",
		"link from nowhere":     "INSERT INTO relations VALUES (1, 'entity:x', 1 << 40 | 77)",
		"alias of nothing":      "INSERT INTO aliases VALUES (1, 'space', 'x', 1 << 40 | 77)",
		"wrong count of staged": "UPDATE staged SET rows = 7",
		"unordered index":       "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(owner, created', '(owner, user, created') WHERE name = 'records_created'",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "satchel.db")
			s := open(t, path)
			update(t, s, func(w store.Writer) error {
				for _, id := range []memory.ID{"urn:ump:1", "urn:ump:2"} {
					if err := insertSmall(w, id); err != nil {
						return err
					}
				}
				row := store.Row{ID: "urn:ump:3", Columns: store.Columns{
					Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth, Import: 1, Staged: true,
				}}
				_, err := w.Insert(row, store.Document{}, store.Links{})
				return errors.Join(err, w.AppendAudit([][]byte{{1}}, [][]byte{{1}, {2}}))
			})
			sound(t, s)
			statement(t, path, damage)
			again := open(t, path)
			findings, err := again.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

// TestCheckOrder damages what belongs to many owners and expects the findings
// always in the same order.
func TestCheckOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	for n := range 12 {
		owner := memory.DID(fmt.Sprintf("did:key:%d", n))
		must(t, s.Update(t.Context(), owner, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") }))
	}
	statement(t, path, "UPDATE postings SET documents = documents + 1 WHERE block = "+tally)
	statement(t, path, "UPDATE records SET words = NULL")
	findings, err := s.Check(t.Context())
	must(t, err)
	var want []string
	for _, what := range []string{
		"owner %d: 1 records are indexed under other terms than they list",
		"owner %d: 2 terms occur in another number of documents than is said",
	} {
		for n := range 12 {
			want = append(want, fmt.Sprintf(what, n+1))
		}
	}
	if !slices.Equal(findings, want) {
		t.Errorf("got %q", findings)
	}
}
