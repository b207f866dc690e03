package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestPlans expects that no query that serves a request reads a whole table, and
// that those which choose pages read them in order, without sorting.
func TestPlans(t *testing.T) {
	racing.Skip(t)
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	after := store.Cursor{Created: birth, Number: 3}
	r := newSession(&ownerTx{known: known{owner: owner{number: 1}}})
	type query struct {
		name, sql string
		args      []any
		sorts     bool
	}
	queries := []query{
		{"row", selectRow, []any{1, "x"}, false},
		{"beginning", selectBeginning, []any{1, "x", "y"}, false},
		{"crowded beginnings", selectCrowded, make([]any, 3*crowdedSize), false},
		{"key", selectDoc, []any{1, "x"}, false},
		{"rows by key", selectDocs, make([]any, fetchSize), false},
		{"few rows by key", selectFew, make([]any, fewRows), false},
		{"duplicates", selectDuplicates, []any{1, "x"}, true},
		{"relating", selectRelating, []any{1, "x"}, false},
		{"links of a row", deleteRelations, []any{1, 1}, false},
		{"alias", selectAlias, []any{1, "x", "y"}, false},
		{"aliases of a row", deleteAliases, []any{1, 1}, false},
		{"attachment", selectAttached, []any{1, "x", "y"}, false},
		{"detach", deleteAttached, []any{1, "x", "y"}, false},
		{"what hangs from a row", deleteFrom, []any{1, 1}, false},
		{"what hangs to a row", deleteTo, []any{1, 1}, false},
		{"what an import attached", deleteImported, []any{1, 1, 1}, false},
		{"first space", selectFirstSpace, []any{1}, false},
		{"next space", selectNextSpace, []any{1, "x"}, false},
		{"changes", selectChanges, []any{1, 1, 1}, false},
		{"owner", selectOwner, []any{"x"}, false},
		{"old receipts", deleteReceipts, []any{1, 1}, false},
		{"imports", selectImports, []any{1}, false},
		{"runs", selectRuns, []any{1}, false},
		{"frequencies", selectTallies, make([]any, 1+talliesSize), false},
		{"leaves of documents", selectLeaves, make([]any, 1+2*placesSize), false},
		{"open leaves", selectOpen, make([]any, 1+placesSize), false},
		{"leaf of a document", selectLeaf, []any{1, "x", 1}, false},
		{"terms in blocks", selectWithBlocks, make([]any, talliesSize+1), false},
		{"rows of terms", selectTermRows, []any{1, "x", 9}, false},
		{"close leaves", closeLeaves, make([]any, 3+talliesSize), false},
		{"drop rows of the index", deletePlaces, make([]any, 1+2*placesSize), false},
		{"index entries", selectIndexEntries, make([]any, fetchSize), false},
		{"few index entries", selectFewEntries, make([]any, fewRows), false},
		{"terms", selectTerms, []any{1, "x", "y"}, false},
		{"whether there are lessons", selectTaught, []any{1, 2}, false},
		{"lessons", selectLessons, make([]any, lessonsSize), false},
		{"grants", selectGrants, []any{1}, true},
		{"grant", grantsTable.row, []any{1, "x"}, false},
		{"newest revision", selectNewest, []any{1, "x"}, false},
		{"revision by digest", selectDigest, []any{1, "x", "y"}, false},
		{"revision as it came", selectCame, []any{1, "x"}, false},
		{"agents", selectPage, []any{1, "x", 9}, false},
		{"ids of agents", selectIDs, []any{1, "x", 9}, false},
		{"checkpoints after one", selectLater, []any{1, 2, "x", 9}, false},
		{"checkpoints of an agent after one", selectLaterOf, []any{1, "a", 2, "x", 9}, false},
		{"keys of checkpoints", selectStateKeys, []any{1, "x", 9}, false},
		{"checkpoints", selectLatest, []any{1, 9}, false},
		{"checkpoints of an agent", selectLatestOf, []any{1, "x", 9}, false},
		{"runs", selectLatestRuns, []any{1, 9}, false},
		{"runs after one", selectLaterRuns, []any{1, 2, "x", 9}, false},
		{"runs of an agent", selectLatestRunsOf, []any{1, "a", 9}, false},
		{"runs of an agent after one", selectLaterRunsOf, []any{1, "a", 2, "x", 9}, false},
		{"ids of runs", selectRunIDs, []any{1, "x", 9}, false},
		{"due runs", selectDueRuns, []any{1, "l", 9, 1, "x", nil, 9}, false},
		{"the next run", selectNextRun, []any{1, "l", 9}, false},
		{"held runs", countHeldRuns, []any{1, "a", 9, "x"}, false},
		{"runs that are held", selectHeldRuns, []any{1}, false},
		{"events of a run", selectRunEvents, []any{1, "x", 1, 9}, false},
		{"last event of a run", selectLastEvent, []any{1, "x"}, false},
		{"drop run", deleteAgentRun, []any{1, "x"}, false},
		{"drop events of a run", deleteRunEvents, []any{1, "x"}, false},
		{"old spent tokens", deleteSpent, []any{1, 1}, false},
		{"sessions", selectSessions, []any{1}, false},
		{"session", sessionsTable.row, []any{1, "x"}, false},
		{"drop session", deleteSession, []any{1, "x"}, false},
		{"ended sessions", deleteEnded, []any{1, 1}, false},
		{"readings", selectReadings, []any{1, 1, 1, 1, "", 9}, false},
		{"first reading", firstReading, []any{1}, false},
		{"place of a reading", placeReading, []any{1, 9}, false},
		{"old readings", deleteReadings, []any{1, 1}, false},
		{"spent token", deleteToken, []any{1, "x", "y"}, false},
		{"drop revision", deleteAgent, []any{1, "x", 1}, false},
		{"drop newest revision", deleteNewest, []any{1, "x"}, false},
		{"drop checkpoint", deleteState, []any{1, "x"}, false},
		{"revoked grants", selectRevoked, []any{1}, false},
		{"project aliases", selectProjectAliases, []any{1}, false},
		{"receipt", tableOf("receipts").row, []any{1, "x"}, false},
		{"altered rows", selectAltered, make([]any, alteredSize), false},
		{"audit entries", selectEntries, []any{1, 1, 1}, false},
		{"audit hashes", selectHashes, make([]any, 1+hashesSize), false},
		{"postings", selectPostings, []any{1, "x"}, false},
		{"due", selectDue, []any{"sweep", 1, 9}, false},
		{"labels", selectLabelled, []any{"x"}, true},
	}
	for name, f := range map[string]store.Filter{
		"all":     {},
		"kinds":   {Kinds: []memory.Kind{memory.Semantic, memory.Episodic}, Statuses: []memory.Status{memory.Active}},
		"project": {Projects: []string{"", "p"}, Kinds: []memory.Kind{memory.Semantic}, ValidAt: birth},
		"since":   {Since: birth.Add(-time.Hour)},
		"import":  {Import: 1},
		"lineage": {Lineage: "x"},
		"expired": {Expired: birth},
	} {
		for _, newest := range []bool{false, true} {
			for _, st := range r.streams(f) {
				sql, args := st.selectPlaces(newest, after, &r.owner)
				queries = append(queries, query{name, sql, append(args, 9), name == "lineage" || name == "expired"})
			}
		}
	}
	for _, where := range []string{"_space WHERE owner = ? AND space = ?", "_source WHERE owner = ? AND space = ? AND source = 1",
		"_target WHERE owner = ? AND space = ? AND target = 1", "_import WHERE owner = ? AND space = ? AND import = 1"} {
		queries = append(queries, query{"attachments" + where, selectAttachments + "attachments" + where + " AND doc BETWEEN ? AND ? ORDER BY doc LIMIT ?",
			[]any{1, "x", 1, 2, 9}, false})
	}
	for _, t := range allTables() {
		queries = append(queries, query{t.Name + " by key", t.row, make([]any, strings.Count(t.row, "?")), false})
	}
	for _, q := range queries {
		for _, step := range plan(t, s, q.sql, q.args) {
			if strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "-ROW VALUES CLAUSE") && step != "SCAN CONSTANT ROW" && !strings.HasPrefix(step, "SCAN json_each ") { // the list is no table
				t.Errorf("%s: %s\n%s", q.name, step, q.sql)
			}
			if strings.Contains(q.sql, "AND doc = ?") && !strings.Contains(step, "AND doc=?") {
				t.Errorf("%s reads the owner's whole table: %s\n%s", q.name, step, q.sql)
			}
			if strings.Contains(step, "TEMP B-TREE") && !q.sorts {
				t.Errorf("%s sorts: %s\n%s", q.name, step, q.sql)
			}
		}
	}
	if got := plan(t, s, "SELECT * FROM records WHERE user = ?", []any{"x"}); !strings.HasPrefix(got[0], "SCAN") {
		t.Errorf("a scan is not told: %q", got)
	}
}

func plan(t *testing.T, s *Store, query string, args []any) []string {
	t.Helper()
	var steps []string
	err := s.read(t.Context(), func(c *conn) error {
		return c.each("EXPLAIN QUERY PLAN "+query, args, func(rows *sql.Rows) error {
			var id, parent, unused int
			var step string
			err := rows.Scan(&id, &parent, &unused, &step)
			steps = append(steps, step)
			return err
		})
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	return steps
}
