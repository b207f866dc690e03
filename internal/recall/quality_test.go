package recall_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// Environment variables that control the measurement.
const (
	tableOut    = "SATCHEL_QUALITY_OUT"    // the file that gets the table, as tab-separated values
	tableBefore = "SATCHEL_QUALITY_BEFORE" // such a file of an earlier run, to print differences from
	withOwn     = "SATCHEL_QUALITY_OWN"    // not empty: the set in testdata/own.jsonl alone is measured
	tuning      = "SATCHEL_QUALITY_TUNE"   // not empty: weights are searched for
)

// floors are the least figures of each set, in its own form.
var floors = map[string]struct{ at10, mrr float64 }{
	"locomo":   {.8, .6},
	"realtalk": {.5, .4},
	"beam":     {.15, .1},
	"facts":    {.65, .5},
}

// TestQualityTable measures recall over labelled sets beside plain BM25, in three forms: as
// the set states its records, without sessions, and in random order with neither sessions
// nor times. It prints one table: all questions of each set, then each class and language.
// Without -v, which shows the table, it measures only as much as the floors need.
func TestQualityTable(t *testing.T) {
	read := sets
	if os.Getenv(withOwn) != "" {
		read = func(t testing.TB) []labelled.Set { return []labelled.Set{ownSet(t)} }
	}
	table := measure(t, read(t), testing.Verbose())
	before := readTable(t, os.Getenv(tableBefore))
	byStore := func(r labelled.Row) bool { return strings.HasPrefix(r.Group, "store ") }
	if err := slices.DeleteFunc(slices.Clone(table), byStore).Print(t.Output(), before); err != nil {
		t.Fatal(err)
	}
	writeTable(t, os.Getenv(tableOut), table)
	for _, row := range table {
		least, ok := floors[row.Set]
		if !ok || row.Ranking != "recall" || row.Form != "stated" {
			continue
		}
		if row.Group == "all" && (row.At10 < least.at10 || row.MRR < least.mrr) {
			t.Errorf("%s: R@10 is %.3f and MRR %.3f, want at least %.3f and %.3f", row.Set, row.At10, row.MRR, least.at10, least.mrr)
		}
		if row.Set == "locomo" && byStore(row) && row.At10 < .75 {
			t.Errorf("locomo: R@10 of %s is %.3f, want at least .75", row.Group, row.At10)
		}
	}
}

// sets returns the sets for development.
func sets(t testing.TB) []labelled.Set {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	sets, err := labelled.Sets(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// ownSet returns facts and questions that were written before any ranking saw a labelled
// set of facts. Nothing may be tuned on them: they are measured only where [withOwn] asks.
func ownSet(t testing.TB) labelled.Set {
	set, err := labelled.Facts("testdata/own.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestOwnSet checks the form of the own set, and measures nothing.
func TestOwnSet(t *testing.T) {
	store := ownSet(t).Stores[0]
	absent, langs := 0, make(map[string]int)
	for _, q := range store.Questions {
		langs[q.Lang]++
		if (len(q.Evidence) == 0) != (q.Class == "absent") {
			t.Errorf("%q has class %s and %d records as evidence", q.Text, q.Class, len(q.Evidence))
		}
		if len(q.Evidence) == 0 {
			absent++
		}
	}
	want := map[string]int{"en": 40, "de": 20, "es": 15, "tr": 15, "ja": 10}
	if len(store.Records) != 100 || absent != 15 || !maps.Equal(langs, want) {
		t.Errorf("%d facts, %d questions without an answer, questions by language %v", len(store.Records), absent, langs)
	}
}

// form is a way to store a set.
type form struct {
	name string
	set  labelled.Set
}

func forms(set labelled.Set) []form {
	all := []form{{"stated", set}}
	if set.StatesSessions() {
		all = append(all, form{"sessionless", set.WithoutSessions()})
	}
	return append(all, form{"shuffled", set.Shuffled()})
}

// measure returns the table of sets: all questions of every form, then the groups of each
// set in its own form. Without whole it leaves out the other forms, BM25,
// and all stores of a set but the first two.
func measure(t testing.TB, sets []labelled.Set, whole bool) labelled.Table {
	const quick = 2
	var runs []form
	for _, set := range sets {
		if whole {
			runs = append(runs, forms(set)...)
		} else {
			set.Stores = set.Stores[:min(len(set.Stores), quick)]
			runs = append(runs, form{"stated", set})
		}
	}
	tables := make([]labelled.Table, len(runs))
	var wait sync.WaitGroup
	for i, run := range runs {
		wait.Go(func() { tables[i] = run.measure(t, whole) })
	}
	wait.Wait()
	var all, groups labelled.Table
	for _, row := range slices.Concat(tables...) {
		if row.Group == "all" {
			all = append(all, row)
		} else if row.Form == "stated" {
			groups = append(groups, row)
		}
	}
	return append(all, groups...)
}

// measure returns the rows of one form of a set, by group; plain adds a row of BM25 to each.
func (f form) measure(t testing.TB, plain bool) labelled.Table {
	rankings := []string{"recall"}
	figures := map[string]map[string]labelled.Figures{"recall": ask(t, f.set, memory.Certain, recallSearch(f.set, recall.Options{}))}
	if plain {
		rankings = append(rankings, "bm25")
		figures["bm25"] = ask(t, f.set, 0, bm25Search(f.set))
	}
	var table labelled.Table
	for _, group := range slices.Sorted(maps.Keys(figures["recall"])) {
		for _, ranking := range rankings {
			if got := figures[ranking][group]; got.Questions > 0 {
				table = append(table, labelled.Row{Set: f.set.Name, Form: f.name, Ranking: ranking, Group: group, Figures: got})
			}
		}
	}
	return table
}

func ask(t testing.TB, set labelled.Set, threshold float64, search labelled.Search) map[string]labelled.Figures {
	figures, err := labelled.Measure(context.Background(), set, threshold, search)
	if err != nil {
		t.Error(err)
	}
	return figures
}

// bm25Search answers with BM25 alone.
func bm25Search(set labelled.Set) labelled.Search {
	var indexes []*bm25
	for _, store := range set.Stores {
		indexes = append(indexes, newBM25(store.Records))
	}
	return func(store int, q labelled.Question) ([]memory.ID, float64, error) {
		ids, best := indexes[store].search(q.Text)
		return ids, best, nil
	}
}

// recallSearch answers with recall over one index in memory for each store. A record is
// created when it is stored: shortly before the questions, one a second. The time of opt is
// that of the question.
func recallSearch(set labelled.Set, opt recall.Options) labelled.Search {
	var indexes []*recalltest.Index
	for _, store := range set.Stores {
		idx := new(recalltest.Index)
		first := askedAt(store.Questions[0]).Add(-time.Hour)
		for i, rec := range store.Records {
			rec.Scope.Owner = "did:key:zOwner"
			rec.Time.Created = first.Add(time.Duration(i) * time.Second)
			idx.Add(rec)
		}
		indexes = append(indexes, idx)
	}
	return func(store int, q labelled.Question) ([]memory.ID, float64, error) {
		query := memory.Query{Text: q.Text, Limit: labelled.Depth}
		opt := opt
		opt.Now = askedAt(q)
		hits, _, err := recall.Search(context.Background(), indexes[store], query, opt, everything)
		if err != nil || len(hits) == 0 {
			return nil, 0, err
		}
		var ids []memory.ID
		for _, h := range hits {
			ids = append(ids, h.Record.ID)
		}
		return ids, hits[0].Score, nil
	}
}

// askedAt returns when a question is asked: long after a conversation, unless the set
// states a time.
func askedAt(q labelled.Question) time.Time {
	if q.Now.IsZero() {
		return now
	}
	return q.Now
}

// readTable reads the table of an earlier run; an empty path gives none.
func readTable(t testing.TB, path string) labelled.Table {
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := labelled.ReadTable(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return table
}

// writeTable writes a table, unless path is empty.
func writeTable(t testing.TB, path string, table labelled.Table) {
	if path == "" {
		return
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
