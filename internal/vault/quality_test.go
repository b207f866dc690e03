package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall/locomo"
	"github.com/satchel-memory/satchel/memory"
)

// TestQuality measures how well questions are answered by what serves users: one
// store per conversation, one remembered record per turn, questions verbatim.
// make bench-recall prints the figures.
func TestQuality(t *testing.T) {
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	set, err := locomo.Load(filepath.Join(dir, "data", "locomo-dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	houses := make([]*house, len(set.Conversations))
	turns := make([]map[memory.ID]locomo.TurnID, len(set.Conversations))
	for i, c := range set.Conversations {
		houses[i] = open(t)
		turns[i] = houses[i].learn(c)
	}
	report, err := locomo.Run(context.Background(), set.Conversations, func(conv int, question string, k int) ([]locomo.TurnID, error) {
		h := houses[conv]
		hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: question, Limit: k})
		var found []locomo.TurnID
		for _, hit := range hits {
			found = append(found, turns[conv][hit.Record.ID])
		}
		return found, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Print(os.Stdout); err != nil {
		t.Fatal(err)
	}
	if got := report.Overall.At10; got < 0.66 {
		t.Errorf("recall@10 is %.3f, want at least .66", got)
	}
}

// learn remembers the turns of a conversation in their order.
func (h *house) learn(c locomo.Conversation) map[memory.ID]locomo.TurnID {
	h.t.Helper()
	turns := map[memory.ID]locomo.TurnID{}
	for _, turn := range c.Turns {
		done, err := h.Remember(h.ctx, h.owner(), memory.Draft{Record: turn.Record(h.key.DID())})
		if err != nil {
			h.t.Fatal(err)
		}
		if _, ok := turns[done.ID]; !ok {
			turns[done.ID] = turn.ID
		}
	}
	return turns
}
