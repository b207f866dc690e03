package recall_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/locomo"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// labelled returns the labelled set.
func labelled(t testing.TB) locomo.Set {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	set, err := locomo.Load(filepath.Join(dir, "data", "locomo-dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// quality runs the labelled set over one index in memory per conversation.
func quality(t testing.TB, set locomo.Set, opt recall.Options) locomo.Report {
	indexes := make([]*recalltest.Index, len(set.Conversations))
	turns := make([]map[memory.ID]locomo.TurnID, len(set.Conversations))
	for i, c := range set.Conversations {
		indexes[i] = new(recalltest.Index)
		turns[i] = map[memory.ID]locomo.TurnID{}
		for _, turn := range c.Turns {
			rec := turn.Record("did:key:zOwner")
			rec.ID = memory.ID("urn:ump:" + string(turn.ID))
			indexes[i].Add(rec)
			turns[i][rec.ID] = turn.ID
		}
	}
	report, err := locomo.Run(context.Background(), set.Conversations, func(conv int, text string, k int) ([]locomo.TurnID, error) {
		hits, _, err := recall.Search(context.Background(), indexes[conv], memory.Query{Text: text, Limit: k}, opt, func(memory.Record) bool { return true })
		var found []locomo.TurnID
		for _, h := range hits {
			found = append(found, turns[conv][h.Record.ID])
		}
		return found, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestQuality measures recall over the labelled set: plain BM25 with stems and
// stop words reaches a recall@10 of .63 on it, this ranking .83.
func TestQuality(t *testing.T) {
	report := quality(t, labelled(t), recall.Options{Now: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)})
	if err := report.Print(t.Output()); err != nil {
		t.Fatal(err)
	}
	if got := report.Overall; got.At10 < .8 || got.MRR < .6 {
		t.Errorf("recall@10 is %.3f and MRR %.3f, want at least .8 and .6", got.At10, got.MRR)
	}
	for name, got := range report.Conversation {
		if got.At10 < .75 {
			t.Errorf("recall@10 of conversation %s is %.3f, want at least .75", name, got.At10)
		}
	}
}
