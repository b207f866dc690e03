package postgres

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

var updating = flag.Bool("update", false, "write catalogue.txt anew")

// TestCatalogue expects the catalogue to say what the migrations make.
func TestCatalogue(t *testing.T) {
	s := openSealed(t, made(t), nil)
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		parts, err := r.(*session).readCatalogue()
		must(t, err)
		if *updating {
			must(t, os.WriteFile("catalogue.txt", []byte(strings.Join(parts, "\n")+"\n"), 0o644))
		} else if got := strings.Join(parts, "\n") + "\n"; got != catalogue {
			t.Error("catalogue.txt is not what the migrations make: run the test with -update")
		}
		return nil
	}))
}

// TestCheck damages a store in one way after the other, and expects that the
// finding says what is wrong.
func TestCheck(t *testing.T) {
	racing.Skip(t)
	for name, tt := range map[string]struct{ finding, damage string }{
		"lost event":        {"1 runs count other events than there are", "DELETE FROM run_events WHERE number = 2"},
		"lost first event":  {"1 events are of runs that do not exist", "DELETE FROM run_events WHERE number = 1"},
		"lost run":          {"2 events are of runs that do not exist", "DELETE FROM runs"},
		"lost owner":        {"table records: 3 rows are of owners whose row in table owners is gone (1 of them)", "DELETE FROM owners"},
		"wrong number":      {"another number of documents", "UPDATE terms SET documents = documents + 1 WHERE term = 'word'"},
		"missing number":    {"another number of documents", "DELETE FROM terms WHERE term = 'word'"},
		"impossible number": {"not as satchel writes them", "UPDATE terms SET documents = 0 WHERE term = 'word'"},
		"lost postings":     {"other terms than they list", "DELETE FROM postings WHERE term = 'word'"},
		"lost list":         {"other terms than they list", "UPDATE records SET words = NULL WHERE id = 'urn:ump:1'"},
		"damaged list":      {"other terms than they list", "UPDATE records SET words = substr(words, 2) WHERE id = 'urn:ump:1'"},
		"other list":        {"other terms than they list", "UPDATE records SET words = overlay(words placing 'k' from position('word'::bytea in words) + 3) WHERE id = 'urn:ump:1'"},
		"other frequency":   {"other terms than they list", `UPDATE postings SET entries = substr(entries, 1, 2) || '\x09' || substr(entries, 4) WHERE term = 'word'`},
		"stray postings":    {"name documents that do not exist", `UPDATE postings SET entries = '\x0005' || substr(entries, 3) WHERE term = 'word'`},
		"half a posting":    {"not as satchel writes them", `UPDATE postings SET entries = entries || '\x0102' WHERE term = 'word'`},
		"no posting":        {"not as satchel writes them", `INSERT INTO postings VALUES (OWNER, 'a', 1, '')`},
		"disorderly":        {"not as satchel writes them", `UPDATE postings SET entries = '\x0002010300010103' WHERE term = 'word'`},
		"a longer number":   {"not as satchel writes them", `UPDATE postings SET entries = '\x008100' || substr(entries, 3) WHERE term = 'word'`},
		"numbers of others": {"not as satchel writes them", `UPDATE postings SET entries = '\x00818080808020' || substr(entries, 3) WHERE term = 'word'`},
		"leaf of less":      {"not as satchel writes them", `UPDATE postings SET block = 4294967298 WHERE term = 'word'`},
		"disorderly leaves": {"not as satchel writes them", `INSERT INTO postings VALUES (OWNER, 'word', 4294967299, '\x00020103')`},
		"beyond the last":   {"not as satchel writes them", `INSERT INTO postings VALUES (OWNER, 'word', 1099511627777, '\x00030103')`},
		"a block":           {"name documents that do not exist", `UPDATE postings SET block = 5, entries = '\x01010300' WHERE term = 'word'`},
		"lost record":       {"name documents that do not exist", "DELETE FROM records WHERE id = 'urn:ump:1'"},
		"low number":        {"the counter says 1", "UPDATE owners SET numbered = 1"},
		"wrong sequence":    {"the counter says 9", "UPDATE owners SET sequence = 9"},
		"gap in the feed":   {"the feed has gaps", "DELETE FROM changes WHERE sequence = 1"},
		"start of the feed": {"the feed has gaps", "UPDATE owners SET began = 1"},
		"range in the feed": {"the feed has gaps", "UPDATE changes SET last = 1 WHERE sequence = 2"},
		"lesson of nothing": {"a lesson is about record 77", "INSERT INTO lessons VALUES (OWNER, 77, 1, 0, 0, 0, 0, '')"},
		"lost entry":        {"has 0 entries and 2 hashes", "DELETE FROM audit"},
		"lost hash":         {"has 1 entries and 1 hashes", "DELETE FROM audit_hashes WHERE place = 1"},
		"number of records": {"there are 3 records of 14 bytes, the counters say 9 and 14", "UPDATE owners SET records = 9"},
		"bytes of records":  {"there are 3 records of 14 bytes, the counters say 3 and 9", "UPDATE owners SET bytes = 9"},
		"documents":         {"2 records of length 6 are indexed, the counters say 5 and 6", "UPDATE owners SET documents = 5"},
		"lengths":           {"2 records of length 6 are indexed, the counters say 2 and 5", "UPDATE owners SET length = 5"},
		"impossible kind":   {"has a kind, status or visibility that does not exist", "UPDATE records SET kind = 'odd' WHERE id = 'urn:ump:1'"},
		"impossible status": {"has a kind, status or visibility that does not exist", "UPDATE records SET status = '' WHERE id = 'urn:ump:1'"},
		"link from nowhere": {"a link starts at record 77", "INSERT INTO relations VALUES (OWNER, 'entity:x', 77, '')"},
		"alias of nothing":  {"stands for record 77", "INSERT INTO aliases VALUES (OWNER, 'space', 'x', 77, '')"},
		"count of staged":   {"counts 7 unpublished rows", "UPDATE staged SET rows = 7"},
		"changed column":    {"table records, row 1 of owner did:key:ada: was changed outside", `UPDATE records SET "user" = 'x' WHERE id = 'urn:ump:1'`},
		"private key":       {"table relations, row number 1 by key of owner did:key:ada: was changed outside", "UPDATE relations SET seal = '' WHERE doc = 1"},
		"removed change":    {"rows were removed", "DELETE FROM changes WHERE sequence = 2"},
		"other owner's DID": {"so that nothing of the owner's is found", "UPDATE owners SET did = 'did:key:eve'"},
		"lost index":        {"lacks the index records_lineage", "DROP INDEX records_lineage"},
		"other index":       {"holds the index more, which satchel does not make so", "CREATE INDEX more ON records (owner, agent)"},
		"other column":      {"holds the column records.more", "ALTER TABLE records ADD more bigint"},
		"trigger":           {"holds the trigger watch", "CREATE FUNCTION public.peek() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER watch BEFORE INSERT ON records EXECUTE FUNCTION public.peek()"},
		"no wall":           {"row-level security", "ALTER TABLE records DISABLE ROW LEVEL SECURITY"},
		"unlogged":          {"holds the table lessons", "ALTER TABLE lessons SET UNLOGGED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := made(t)
			s := openSealed(t, url, secretOf)
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
			execute(t, url, tt.damage)
			findings, err := s.Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(findings, "\n"), tt.finding) {
				t.Errorf("found %q", findings)
			}
		})
	}
}

// TestCheckOrder damages what belongs to many owners and expects the findings
// always in the same order, and no more than some rows of a table named.
func TestCheckOrder(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	for n := range mostFindings + 5 {
		owner := memory.DID(fmt.Sprintf("did:key:%d", n))
		must(t, s.Update(t.Context(), owner, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") }))
	}
	execute(t, url, "UPDATE records SET agent = 'x'")
	findings, err := s.Check(t.Context())
	must(t, err)
	var want []string
	for n := range mostFindings {
		want = append(want, fmt.Sprintf("table records, row 1 of owner did:key:%d: was changed outside of satchel", n))
	}
	if want = append(want, "table records: and 5 more rows"); !slices.Equal(findings, want) {
		t.Errorf("got %q", findings)
	}
}

// TestUnchecked looks at a store with other secrets than it was written with.
func TestUnchecked(t *testing.T) {
	url := made(t)
	write := func(secret func(memory.DID) []byte) {
		update(t, openSealed(t, url, secret), func(w store.Writer) error { return w.SetMoved("here") })
	}
	look := func(what string, secret func(memory.DID) []byte, unchecked int, finding string) {
		t.Helper()
		s := openSealed(t, url, secret)
		dids, err := s.Unchecked(t.Context())
		must(t, err)
		findings, err := s.Check(t.Context())
		must(t, err)
		if len(dids) != unchecked || !strings.Contains(strings.Join(append(findings, ""), "\n"), finding) {
			t.Errorf("%s: unchecked are %q, found %q", what, dids, findings)
		}
	}
	write(nil)
	look("without a secret", nil, 0, "")
	look("with a secret that came later", secretOf, 0, "was written without the owner's secret")
	write(secretOf)
	look("with the secret", secretOf, 0, "")
	look("without the secret", nil, 1, "")
	look("with another secret", func(memory.DID) []byte { return []byte("other") }, 1, "sealed with another secret")
}

// TestLostOwner writes for somebody whose row in table owners somebody took away.
func TestLostOwner(t *testing.T) {
	racing.Skip(t)
	url := made(t)
	s := openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	execute(t, url, `DELETE FROM owners`)
	for _, id := range []memory.ID{"urn:ump:1", "urn:ump:2"} {
		err := s.Update(t.Context(), ada, func(w store.Writer) error { return insertSmall(w, id) })
		if !errors.Is(err, store.ErrAltered) || !strings.Contains(err.Error(), "satchel doctor") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if got := pgtest.Query(t, url, `SELECT 'row' FROM owners`); len(got) > 0 {
		t.Error("the owner has a row again")
	}
}
