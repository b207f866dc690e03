package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// plan is a node of what the server says it will do.
type plan struct {
	Type      string `json:"Node Type"`
	Table     string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Filter    string
	Plans     []plan
}

func (p plan) each(see func(plan)) {
	see(p)
	for _, below := range p.Plans {
		below.each(see)
	}
}

var parameters = regexp.MustCompile(`\$\d+`)

// explain returns the plan for any values of a statement, as programs get it: on a
// connection of the store, so that it is the plan of their role.
func explain(t *testing.T, tx pgx.Tx, query string) plan {
	t.Helper()
	count := 0
	for _, p := range parameters.FindAllString(query, -1) {
		n := 0
		_, _ = fmt.Sscanf(p, "$%d", &n) // it matches
		count = max(count, n)
	}
	values := strings.TrimSuffix(strings.Repeat("NULL, ", count), ", ")
	if count > 0 {
		values = "(" + values + ")"
	}
	for _, step := range []string{"SAVEPOINT one", "PREPARE explained AS " + query} {
		if _, err := tx.Exec(t.Context(), step, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%v\n%s", err, query)
		}
	}
	var text []byte
	must(t, tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE explained"+values, pgx.QueryExecModeSimpleProtocol).Scan(&text))
	var said []struct{ Plan plan }
	must(t, json.Unmarshal(text, &said))
	_, err := tx.Exec(t.Context(), "DEALLOCATE explained; ROLLBACK TO one", pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	return said[0].Plan
}

// reads are what visits does not ask.
func reads(r store.Reader) error {
	var failed error
	after := store.Cursor{Created: birth, Number: 3}
	for _, f := range filters() {
		for _, newest := range []bool{false, true} {
			f.Newest = newest
			_, err := r.Rows(f, store.Cursor{}, 9)
			_, err2 := r.Rows(f, after, 9)
			_, err3 := r.Count(f)
			failed = errors.Join(failed, err, err2, err3)
		}
	}
	_, err := r.Postings("rare1", 9)
	return errors.Join(failed, err)
}

func filters() map[string]store.Filter {
	return map[string]store.Filter{
		"all":     {},
		"active":  {Statuses: []memory.Status{memory.Active}},
		"kinds":   {Kinds: []memory.Kind{memory.Semantic, memory.Episodic}, Statuses: []memory.Status{memory.Active}},
		"kind":    {Kinds: []memory.Kind{memory.Semantic}},
		"project": {Projects: []string{"p"}, Kinds: []memory.Kind{memory.Semantic}, ValidAt: birth},
		"since":   {Since: birth},
		"import":  {Import: 1, Kinds: []memory.Kind{memory.Semantic}},
		"lineage": {Lineage: "x"},
		"expired": {Expired: birth},
	}
}

// TestPlans expects of every statement that it reads tables through an index, led by
// the owner, and that what is to come in the order of an index is not sorted.
func TestPlans(t *testing.T) {
	racing.Skip(t)
	url := crowd(t)
	asked := statementsOf(t, url)
	s := openSealed(t, url, nil)
	conn, err := s.pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(context.Background())) }()
	_, err = tx.Exec(t.Context(), setOwner+idOf(ada).String()+"'")
	must(t, err)
	addPlanned(t, asked)
	for query := range asked {
		for _, fault := range lint(source{"sent", query}) {
			t.Errorf("%s:\n%s", fault, query)
		}
		explain(t, tx, query).each(func(p plan) {
			switch {
			case p.Type == "Seq Scan" && p.Table != "schema_version", p.Type == "Sort" && !sorts(query):
				t.Errorf("%s of %s:\n%s", p.Type, p.Table, query)
			case strings.Contains(p.Type, "Index") && p.Table != "schema_version" && !strings.Contains(p.Condition, "(owner = $1)"):
				t.Errorf("%s of %s by %s, which does not begin with the owner:\n%s", p.Type, p.Index, p.Condition, query)
			}
		})
	}
	for _, h := range hot() {
		h.look(t, explain(t, tx, h.query))
	}
	explain(t, tx, `SELECT id FROM records WHERE agent = $1`).each(func(p plan) {
		if strings.Contains(p.Condition, "(owner = $1)") {
			t.Error("a statement that forgets its owner does not show")
		}
	})
}

// TestPlansOfEmptyStore expects that no list of words or names is compared with row after row,
// also where a connection plans a statement before the first row is written, and then keeps to it.
func TestPlansOfEmptyStore(t *testing.T) {
	s := openSealed(t, made(t), nil)
	conn, err := s.pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	must(t, err)
	defer func() { must(t, tx.Rollback(context.Background())) }()
	compared := regexp.MustCompile(`\b(term|by_id|by_name) = ANY`)
	for _, h := range hot() {
		explain(t, tx, h.query).each(func(p plan) {
			if compared.MatchString(p.Filter) {
				t.Errorf("each row of %s is compared with a list, %s:\n%s", p.Table, p.Filter, h.query)
			}
		})
	}
}

// statementsOf returns every statement that reads or writes rows of one owner.
func statementsOf(t *testing.T, url string) map[string]bool {
	t.Helper()
	asked := make(map[string]bool)
	record := make(chan string)
	w := &wire{change: func(query string) string { record <- query; return query }}
	done := make(chan bool)
	go func() {
		for query := range record {
			asked[query] = true
		}
		close(done)
	}()
	s := openSealed(t, w.through(t, url), secretOf)
	must(t, s.View(t.Context(), "did:key:visitor", reads))
	for range 2 {
		err := s.Update(t.Context(), "did:key:visitor", func(w store.Writer) error {
			for _, step := range visits {
				step.on(w)
			}
			return nil
		})
		must(t, err)
	}
	must(t, s.Close())
	close(record)
	<-done
	maps.DeleteFunc(asked, func(query string, _ bool) bool {
		return !strings.Contains(query, "owner") || strings.HasPrefix(query, "SET") || strings.Contains(query, "pg_")
	})
	if len(asked) < 60 {
		t.Fatalf("only %d statements were made", len(asked))
	}
	return asked
}

// sorts reports whether a statement may sort: it returns all that it finds, or goes
// by an index of another order.
func sorts(query string) bool {
	return !strings.Contains(query, "LIMIT") || strings.Contains(query, unordered)
}

// expectation says by which index a hot statement goes, and what of the statement
// the index answers.
type expectation struct{ query, index, condition string }

func (e expectation) look(t *testing.T, p plan) {
	t.Helper()
	found := false
	var seen []string
	p.each(func(p plan) {
		found = found || p.Index == e.index && strings.Contains(p.Condition, e.condition)
		seen = append(seen, strings.TrimSpace(p.Type+" "+p.Index+" "+p.Condition))
	})
	if !found {
		t.Errorf("wanted %s, %s in:\n%s\n%s", e.index, e.condition, strings.Join(seen, "\n"), e.query)
	}
}

// hot are the statements that requests are made of.
func hot() []expectation {
	list := []expectation{
		{selectStates, "owners_pkey", "owner = ANY ($1)"},
		{selectRow, "records_id", "by_id = $2"},
		{selectBeginning, "records_id", "by_id >= $2"},
		{selectDoc, "records_id", "by_id = $2"},
		{selectDocs, "records_pkey", "doc = ANY ($2)"},
		{selectDuplicates, "records_duplicate", "sha256(duplicate) = sha256($2)"},
		{selectRelating, "relations_pkey", "by_target = $2"},
		{selectRelating, "records_pkey", "doc = r.doc"},
		{selectLinks, "relations_doc", "doc = $2"},
		{selectAlias, "aliases_pkey", "(by_space = $2) AND (by_alias = $3)"},
		{selectAlias, "records_pkey", "doc = a.doc"},
		{selectAttached, "attachments_name", "by_name = $2"},
		{selectTaken, "attachments_name", "by_name = t.name"},
		{selectNumbers, "records_id", "by_id = t.id"},
		{deleteAttached, "attachments_name", "by_name = $2"},
		{deleteFrom, "attachments_source", "source = $2"},
		{deleteTo, "attachments_target", "target = $2"},
		{deleteImported, "attachments_import", "import = $2"},
		{deleteImported, "attachments_pkey", "doc = ANY"},
		{selectChanges, "changes_pkey", "sequence > $2"},
		{ownersTable.row, "owners_pkey", "owner = $1"},
		{deleteReceipts, "receipts_at", "at < $2"},
		{receiptsTable.row, "receipts_pkey", "by_key = $2"},
		{selectImports, "imports_pkey", "owner = $1"},
		{selectRuns, "staged_pkey", "owner = $1"},
		{selectTerms, "terms_pkey", "term = ANY ($2)"},
		{selectTermsFrom, "terms_pkey", "(term >= $2) AND (term < $3)"},
		{selectPostings, "postings_pkey", "(term = $2) AND (block < $3)"},
		{selectTermsRows, "postings_pkey", "term = ANY ($2)"},
		{selectTermRows, "postings_pkey", "term >= $2"},
		{selectLeaves, "postings_pkey", "(term = t.term) AND (block > $3)"},
		{selectLeaves, "postings_pkey", "block < '4294967296'"},
		{closeLeaves, "postings_pkey", "(term = ANY ($2)) AND (block = ANY"},
		{dropTermsRows, "postings_pkey", "term = ANY ($2)"},
		{selectSomeBlocks, "postings_pkey", "(term = ANY ($3)) AND (block = ANY"},
		{selectLessons, "lessons_pkey", "doc = ANY ($2)"},
		{selectTaught, "lessons_pkey", "owner = $1"},
		{grantsTable.row, "grants_pkey", "by_id = $2"},
		{agentsTable.row, "agents_pkey", "(by_id = $2) AND (revision = $3)"},
		{selectNewest, "agents_pkey", "by_id = $2"},
		{selectDigest, "agents_pkey", "by_id = $2"},
		{selectCame, "agents_came", "came = $2"},
		{selectNextAgent, "agents_pkey", "by_id > $2"},
		{statesTable.row, "states_pkey", "by_id = $2"},
		{selectLatest, "states_checkpoint", "owner = $1"},
		{selectLatestOf, "states_agent", "by_agent = $2"},
		{spentTable.row, "spent_pkey", "(by_issuer = $2) AND (by_jti = $3)"},
		{sessionsTable.row, "sessions_pkey", "digest = $2"},
		{deleteSession, "sessions_pkey", "digest = $2"},
		{selectReadings, "readings_pkey", "(at >= $4)"},
		{firstReading, "readings_pkey", "owner = $1"},
		{placeReading, "readings_pkey", "owner = $1"},
		{deleteReadings, "readings_pkey", "at <= $2"},
		{runsTable.row, "runs_pkey", "by_id = $2"},
		{selectLatestRuns, "runs_began", "owner = $1"},
		{selectLatestRunsOf, "runs_agent", "by_agent = $2"},
		{selectDueRuns, "runs_due", "(lineage = $2) AND (due <= $3)"},
		{selectNextRun, "runs_due", "lineage = $2"},
		{countHeldRuns, "runs_held", "(by_agent = $2) AND (until > $3)"},
		{selectHeldRuns, "runs_held", "owner = $1"},
		{selectRunIDs, "runs_pkey", "by_id > $2"},
		{selectRunEvents, "run_events_pkey", "(by_run = $2) AND (number > $3)"},
		{selectLastEvent, "run_events_pkey", "by_run = $2"},
		{deleteAgentRun, "runs_pkey", "by_id = $2"},
		{deleteRunEvents, "run_events_pkey", "by_run = $2"},
		{deleteAgent, "agents_pkey", "(by_id = $2) AND (revision = $3)"},
		{deleteState, "states_pkey", "by_id = $2"},
		{deleteSpent, "spent_until", "until < $2"},
		{selectEntries, "audit_pkey", "place >= $2"},
		{selectHashes, "audit_hashes_pkey", "place = ANY ($2)"},
		{updateIndexed, "records_pkey", "doc = $6"},
		{updateRun, "staged_pkey", "first = $2"},
		{dropTerms, "terms_pkey", "term = ANY ($2)"},
		{dropRows, "postings_pkey", "(term = ANY ($3)) AND (block = ANY"},
		{selectDIDs, "owners_pkey", "owner = ANY ($1)"},
		{selectDue, "due_at", "(work = $1) AND (at <= $2)"},
		{selectLabelled, "owners_label", "label = $1"},
	}
	s := newSession(&ownerTx{ctx: context.Background(), docs: map[memory.ID]int64{"x": 1}})
	for _, x := range []struct {
		filter           store.AttachmentFilter
		index, condition string
	}{
		{store.AttachmentFilter{}, "attachments_space", "(by_space = $2) AND (doc >= $3) AND (doc <= $4)"},
		{store.AttachmentFilter{From: "x"}, "attachments_source", "(source = $3) AND (by_space = $2) AND (doc >= $4)"},
		{store.AttachmentFilter{To: "x"}, "attachments_target", "(target = $3) AND (by_space = $2) AND (doc >= $4)"},
		{store.AttachmentFilter{Import: 1}, "attachments_import", "(import = $3) AND (by_space = $2) AND (doc >= $4)"},
	} {
		if query, _, err := s.selection(x.filter); err == nil {
			list = append(list, expectation{query, x.index, x.condition})
		}
	}
	after := store.Cursor{Created: birth, Number: 3}
	for name, index := range map[string][]string{
		"all": {"records_created", "created"}, "since": {"records_created", "created"},
		"active": {"records_created", "status"}, "kind": {"records_kind", "kind"}, "kinds": {"records_kind", "kind"},
		"project": {"records_project", "by_project = $2"}, "import": {"records_import", "import = $2"},
		"expired": {"records_expires", "expires <= $2"}, "lineage": {"records_lineage", "sha256(lineage) = sha256($2)"},
	} {
		f := filters()[name]
		for _, f.Newest = range []bool{false, true} {
			st := s.streams(f)[0]
			list = append(list, expectation{selectRecords + st.page(f, after, 9), index[0], index[1]})
		}
	}
	return list
}
