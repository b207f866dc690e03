package recall_test

import (
	"context"
	"fmt"
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
	if most > 32768 || all < 65536 {
		t.Errorf("at most %d postings with the budget and %d without, want at most 32768 and at least 65536", most, all)
	}
	if starved > unbounded-.05 {
		t.Errorf("a budget of 256 finds %.3f of %.3f: the corpus is too easy to show anything", starved, unbounded)
	}
}

// found returns the share of needles among the first ten hits, and the most postings that
// one question read.
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

// TestReadsWhatMayAnswer: records that cannot enter the answer are not fetched.
func TestReadsWhatMayAnswer(t *testing.T) {
	fetched := func(idx *recalltest.Index, q memory.Query) recall.Explanation {
		t.Helper()
		_, explanation, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now}, everything)
		if err != nil {
			t.Fatal(err)
		}
		return explanation
	}
	t.Run("of many matches the first", func(t *testing.T) {
		idx, needles := haystack(10_000)
		few, more := 0, 0
		for _, n := range needles {
			few += fetched(idx, memory.Query{Text: n.Question, Limit: 5}).Candidates
			more += fetched(idx, memory.Query{Text: n.Question, Limit: 50}).Candidates
		}
		few, more = few/len(needles), more/len(needles)
		t.Logf("%d candidates for 5 hits, %d for 50", few, more)
		if few > 100 || more <= few || more > 256 {
			t.Errorf("%d candidates for 5 hits and %d for 50, want at most 100, and more, but at most 256", few, more)
		}
	})
	t.Run("neighbours only where something happened", func(t *testing.T) {
		records := make([]memory.Record, 100)
		for i := range records {
			records[i] = fact(fmt.Sprint(i), fmt.Sprintf("thing%d is a thing", i), 1)
		}
		q := memory.Query{Text: "thing50"}
		if got := fetched(index(records...), q).Candidates; got != 1 {
			t.Errorf("%d candidates among facts, want 1", got)
		}
		for i := range records {
			records[i].Kind = memory.Episodic
		}
		if got := fetched(index(records...), q).Candidates; got != 7 {
			t.Errorf("%d candidates in a conversation, want it and its neighbours", got)
		}
	})
	t.Run("no common words once rare ones have decided", func(t *testing.T) {
		var records []memory.Record
		for i := range 5000 {
			text := "common talk"
			if i%10 == 0 {
				text = "common swordfish"
			}
			records = append(records, fact(fmt.Sprint(i), text, 1))
		}
		if got := fetched(index(records...), memory.Query{Text: "common swordfish"}).Postings; got != 500 {
			t.Errorf("%d postings read, want those of the rare word", got)
		}
	})
}
