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

func TestQuality(t *testing.T) {
	report := quality(t, labelled(t), recall.Options{Now: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)})
	report.Print(os.Stdout)
}
