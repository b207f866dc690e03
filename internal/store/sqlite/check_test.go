package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestCheck damages a store in one way after the other, and expects that the
// finding says what is wrong.
func TestCheck(t *testing.T) {
	racing.Skip(t)
	for name, tt := range map[string]struct{ finding, damage string }{
		"wrong tally": {"another number of documents",
			"UPDATE postings SET documents = documents + 1 WHERE term = 'word' AND block = " + tally},
		"missing tally": {"another number of documents",
			"UPDATE postings SET block = 4294967305, documents = 0 WHERE term = 'word' AND block = " + tally},
		"lost postings":      {"other terms than they list", "DELETE FROM postings WHERE term = 'word'"},
		"lost entries":       {"other terms than they list", "UPDATE postings SET entries = NULL WHERE term = 'word'"},
		"lost list":          {"other terms than they list", "UPDATE records SET words = NULL WHERE id = 'urn:ump:1'"},
		"damaged list":       {"other terms than they list", "UPDATE records SET words = substr(words, 2) WHERE id = 'urn:ump:1'"},
		"other list":         {"other terms than they list", "UPDATE records SET words = CAST(replace(CAST(words AS TEXT), 'word', 'work') AS BLOB) WHERE id = 'urn:ump:1'"},
		"other frequency":    {"other terms than they list", "UPDATE postings SET entries = CAST(substr(entries, 1, 2) || x'09' || substr(entries, 4) AS BLOB) WHERE term = 'word'"},
		"stray postings":     {"name documents that do not exist", "UPDATE postings SET entries = CAST(x'0005' || substr(entries, 3) AS BLOB) WHERE term = 'word'"},
		"numbers of others":  {"not as satchel writes them", "UPDATE postings SET entries = CAST(x'00818080808020' || substr(entries, 3) AS BLOB) WHERE term = 'word'"},
		"postings as text":   {"not as satchel writes them", "UPDATE postings SET entries = CAST(entries AS TEXT) WHERE term = 'word'"},
		"term as bytes":      {"not as satchel writes them", "UPDATE postings SET term = CAST(term AS BLOB) WHERE term = 'word'"},
		"half a posting":     {"not as satchel writes them", "UPDATE postings SET entries = CAST(entries || x'0102' AS BLOB) WHERE term = 'word'"},
		"disorderly":         {"not as satchel writes them", "UPDATE postings SET entries = CAST(x'00020102' || x'00010102' AS BLOB) WHERE term = 'word'"},
		"a longer number":    {"not as satchel writes them", "UPDATE postings SET entries = CAST(x'008100' || substr(entries, 3) AS BLOB) WHERE term = 'word'"},
		"count in a block":   {"not as satchel writes them", "UPDATE postings SET block = 4294967305 WHERE term = 'word'"},
		"no count":           {"not as satchel writes them", "UPDATE postings SET documents = 0 WHERE term = 'word'"},
		"leaf of less":       {"not as satchel writes them", "UPDATE postings SET block = 4294967298, documents = 0 WHERE term = 'word'"},
		"empty leaf":         {"not as satchel writes them", "INSERT INTO postings VALUES (1, 'word', 4294967298, 0, x'')"},
		"disorderly leaves":  {"not as satchel writes them", "INSERT INTO postings VALUES (1, 'word', 4294967299, 0, x'00020102')"},
		"beyond the tally":   {"not as satchel writes them", "INSERT INTO postings VALUES (1, 'word', 1099511627777, 0, x'00030102')"},
		"lost record":        {"name documents that do not exist", "DELETE FROM records WHERE id = 'urn:ump:1'"},
		"low number":         {"the counter says 1", "UPDATE owners SET numbered = 1"},
		"wrong sequence":     {"the counter says 9", "UPDATE owners SET sequence = 9"},
		"gap in the feed":    {"the feed has gaps", "DELETE FROM changes WHERE sequence = 1"},
		"start of the feed":  {"the feed has gaps", "UPDATE owners SET began = 1"},
		"range in the feed":  {"the feed has gaps", "UPDATE changes SET last = 1 WHERE sequence = 2"},
		"lost event":         {"a run counts 2 events, there are 1 up to number 1", "DELETE FROM run_events WHERE number = 2"},
		"lost first event":   {"a run counts 2 events, there are 1 up to number 2", "DELETE FROM run_events WHERE number = 1"},
		"lost run":           {"there are events of a run that does not exist", "DELETE FROM runs"},
		"lesson of nothing":  {"a lesson is about record 77", "INSERT INTO lessons VALUES (1 << 40 | 77, 1, 0, 0, 0, 0, x'')"},
		"lost entry":         {"has 0 entries and 2 hashes", "DELETE FROM audit"},
		"lost hash":          {"has 1 entries and 1 hashes", "DELETE FROM audit_hashes WHERE place = 1"},
		"record of another":  {"is filed under owner 2", "UPDATE records SET owner = 2 WHERE id = 'urn:ump:1'"},
		"wrong usage":        {"there are 3 records of 1000 bytes, the counters say 4 of 1000", "UPDATE owners SET records = 4"},
		"wrong bytes":        {"there are 3 records of 1000 bytes, the counters say 3 of 1", "UPDATE owners SET bytes = 1"},
		"impossible kind":    {"does not exist", "UPDATE records SET kind = 'odd' WHERE id = 'urn:ump:1'"},
		"impossible status":  {"does not exist", "UPDATE records SET status = '' WHERE id = 'urn:ump:1'"},
		"link from nowhere":  {"a link starts at record 77", "INSERT INTO relations VALUES (1, 'entity:x', 1 << 40 | 77, x'')"},
		"alias of nothing":   {"stands for record 77", "INSERT INTO aliases VALUES (1, 'space', 'x', 1 << 40 | 77, x'')"},
		"count of staged":    {"counts 7 unpublished rows", "UPDATE staged SET rows = 7"},
		"unordered index":    {"records_created", "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(owner, created', '(owner, user, created') WHERE name = 'records_created'"},
		"foreign table":      {"holds a table shadow", "CREATE TABLE shadow (a)"},
		"lost index":         {"lacks the index records_lineage", "DROP INDEX records_lineage"},
		"other migration":    {"holds a migration 99", "UPDATE goose_db_version SET version_id = 99 WHERE version_id = 2"},
		"owner that is gone": {"belongs to an owner that does not exist", "DELETE FROM owners"},
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
				return errors.Join(err, w.AuditKeeper().AppendAudit([][]byte{{1}}, [][]byte{{1}, {2}}),
					w.RunKeeper().PutRun(store.Run{ID: "r", Events: 2}), w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: "r", Number: 1}, {Run: "r", Number: 2}}))
			})
			sound(t, s)
			statement(t, path, tt.damage)
			findings, err := open(t, path).Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(findings, "\n"), tt.finding) {
				t.Errorf("found %q", findings)
			}
		})
	}
}

// TestCheckBlocks damages an index that an earlier release wrote.
func TestCheckBlocks(t *testing.T) {
	racing.Skip(t)
	for name, tt := range map[string]struct{ finding, damage string }{
		"missing tally": {"another number of documents",
			"DELETE FROM postings WHERE term = 'word' AND block = " + tally},
		"lost postings":     {"other terms than they list", "DELETE FROM postings WHERE term = 'word' AND block = 0"},
		"other frequency":   {"other terms than they list", "UPDATE postings SET entries = x'01090100' || substr(entries, 5) WHERE term = 'word' AND block = 0"},
		"stray postings":    {"name documents that do not exist", "UPDATE postings SET block = 5 WHERE term = 'word' AND block = 0"},
		"negative numbers":  {"name documents that do not exist", "UPDATE postings SET block = -1 WHERE term = 'word' AND block = 0"},
		"numbers of others": {"not as satchel writes them", "UPDATE postings SET block = block + (1 << 32) WHERE term = 'word' AND block = 0"},
		"postings as text":  {"not as satchel writes them", "UPDATE postings SET entries = CAST(entries AS TEXT) WHERE block = 0"},
		"term as bytes":     {"not as satchel writes them", "UPDATE postings SET term = CAST(term AS BLOB) WHERE block = 0"},
		"half a posting":    {"not as satchel writes them", "UPDATE postings SET entries = CAST(entries || x'0102' AS BLOB) WHERE term = 'word' AND block = 0"},
		"disorderly":        {"not as satchel writes them", "UPDATE postings SET entries = CAST(substr(entries, 5) || substr(entries, 1, 4) AS BLOB) WHERE term = 'word' AND block = 0"},
		"count in a block":  {"not as satchel writes them", "UPDATE postings SET documents = 1 WHERE term = 'word' AND block = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "satchel.db")
			s := open(t, path)
			update(t, s, func(w store.Writer) error {
				return errors.Join(insertSmall(w, "urn:ump:1"), insertSmall(w, "urn:ump:2"))
			})
			must(t, s.Close())
			inBlocks(t, path)
			s = open(t, path)
			sound(t, s)
			statement(t, path, tt.damage)
			findings, err := s.Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(findings, "\n"), tt.finding) {
				t.Errorf("found %q", findings)
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
		writeTail(t, s, owner)
	}
	statement(t, path, "UPDATE postings SET documents = documents + 1 WHERE block = "+tally)
	statement(t, path, "UPDATE records SET words = NULL")
	findings, err := s.Check(t.Context())
	must(t, err)
	var want []string
	for _, what := range []string{
		"table records, row 1 of owner %d: was changed outside of satchel",
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
