package recall_test

import (
	"context"
	"math"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestPostingBudget shows that reading few postings costs no quality: recall@10
// over a hundred thousand records is the same with the budget as without.
func TestPostingBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	idx, needles := haystack(100_000)
	bounded, most := found(t, idx, needles, recall.Options{Now: now})
	unbounded, all := found(t, idx, needles, recall.Options{Now: now, Postings: math.MaxInt32, Depth: len(needles) * 200})
	starved, _ := found(t, idx, needles, recall.Options{Now: now, Postings: 256})
	t.Logf("recall@10 %.3f with the budget (at most %d postings), %.3f without (%d), %.3f with 256",
		bounded, most, unbounded, all, starved)
	if bounded < unbounded-.005 {
		t.Errorf("recall@10 with the budget is %.3f, want within .005 of %.3f", bounded, unbounded)
	}
	if most > 65536 || all < 65536 {
		t.Errorf("at most %d postings with the budget and %d without, want 65536 between them", most, all)
	}
	if starved > unbounded-.05 {
		t.Errorf("a budget of 256 finds %.3f of %.3f: the corpus is too easy to show anything", starved, unbounded)
	}
}

// found returns which part of the needles is among the first ten hits, and the
// most postings one question took.
func found(t *testing.T, idx *recalltest.Index, needles []recalltest.Needle, opt recall.Options) (part float64, most int) {
	t.Helper()
	hit := 0
	for _, n := range needles {
		hits, explanation, err := recall.Search(context.Background(), idx, memory.Query{Text: n.Question, Limit: 10}, opt, everything)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, explanation.Postings)
		for _, h := range hits {
			if h.Record.ID == n.ID {
				hit++
			}
		}
	}
	return float64(hit) / float64(len(needles)), most
}
