package vault_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/recall/locomo"
	"github.com/satchel-memory/satchel/memory"
)

// TestQuality measures how well questions are answered by what serves users: one
// store per conversation, one remembered record per turn, questions verbatim. All
// kinds of stores answer alike. make bench-recall prints the figures.
func TestQuality(t *testing.T) {
	racing.Skip(t)
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	set, err := locomo.Load(filepath.Join(dir, "data", "locomo-dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var first *locomo.Figures
	onEach(t, func(t *testing.T, open opener) {
		got := quality(t, set.Conversations, open)
		if got.At10 < 0.66 {
			t.Errorf("recall@10 is %.3f, want at least .66", got.At10)
		}
		if first == nil {
			first = &got
		}
		for _, pair := range [][2]float64{{got.At5, first.At5}, {got.At10, first.At10}, {got.MRR, first.MRR}} {
			if math.Abs(pair[0]-pair[1]) > 0.02 {
				t.Errorf("a figure is %.3f, with the first store it is %.3f", pair[0], pair[1])
			}
		}
	})
}

// quality prints the figures and returns those of all questions.
func quality(t *testing.T, conversations []locomo.Conversation, open opener) locomo.Figures {
	t.Helper()
	houses := make([]*house, len(conversations))
	turns := make([]map[memory.ID]locomo.TurnID, len(conversations))
	for i, c := range conversations {
		houses[i] = open(t)
		turns[i] = houses[i].learn(c)
	}
	report, err := locomo.Run(context.Background(), conversations, func(conv int, question string, k int) ([]locomo.TurnID, error) {
		h := houses[conv]
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: question, Limit: k})
		var found []locomo.TurnID
		for _, hit := range hits {
			found = append(found, turns[conv][hit.Record.ID])
		}
		return found, err
	})
	if err == nil {
		err = report.Print(os.Stdout)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report.Overall
}

// learn remembers the turns of a conversation in their order.
func (h *house) learn(c locomo.Conversation) map[memory.ID]locomo.TurnID {
	h.T.Helper()
	turns := map[memory.ID]locomo.TurnID{}
	for _, turn := range c.Turns {
		done, err := h.Remember(h.Ctx, h.Me(), memory.Draft{Record: turn.Record(h.Key.DID())})
		if err != nil {
			h.T.Fatal(err)
		}
		if _, ok := turns[done.ID]; !ok {
			turns[done.ID] = turn.ID
		}
	}
	return turns
}
