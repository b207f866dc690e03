package recalltest_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestTerms lists the terms of an index between two records.
func TestTerms(t *testing.T) {
	var x recalltest.Index
	expect := func(prefix string, max int, want ...string) {
		t.Helper()
		if got, err := x.Terms(t.Context(), prefix, max); err != nil || !slices.Equal(got, want) {
			t.Errorf("at most %d terms with %q: %q, %v, want %q", max, prefix, got, err, want)
		}
	}
	expect("", 9)
	x.Add(memory.Record{Body: memory.Body{Text: "zebra zeppelin zero"}})
	expect("ze", 9, "zebra", "zeppelin", "zero")
	x.Add(memory.Record{Body: memory.Body{Text: "zero zen éclair"}})
	expect("ze", 9, "zebra", "zen", "zeppelin", "zero")
	expect("ze", 2, "zebra", "zen")
	expect("zen", 9, "zen")
	expect("zf", 9)
	expect("ze", 0)
	expect("ze", -1)
	all, err := x.Terms(t.Context(), "", 99)
	if err != nil || !slices.IsSorted(all) || !slices.Contains(all, "zero") || len(all) < 5 {
		t.Errorf("every term: %q, %v", all, err)
	}
	all[0] = "changed" // it is the caller's
	again, err := x.Terms(t.Context(), "", 1)
	if err != nil || slices.Equal(again, all[:1]) {
		t.Errorf("the first term: %q, %v", again, err)
	}
}
