package vault_test

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/memory"
)

// TestQuality measures how well questions are answered by what serves users: one
// store per conversation, one remembered record per turn, questions verbatim. All
// kinds of stores answer alike. make bench-recall prints the figures. Without -v it asks two
// conversations.
func TestQuality(t *testing.T) {
	racing.Skip(t)
	dir := os.Getenv("SATCHEL_SHARED")
	if dir == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	set, err := labelled.LoCoMo(filepath.Join(dir, "data", "locomo-dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	least := 0.66
	if !testing.Verbose() {
		set.Stores, least = set.Stores[:2], 0.68 // these are easier than the others
	}
	var first *labelled.Figures
	onEach(t, func(t *testing.T, open opener) {
		got := quality(t, set, open)
		if got.At10 < least {
			t.Errorf("recall@10 is %.3f, want at least %.2f", got.At10, least)
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
func quality(t *testing.T, set labelled.Set, open opener) labelled.Figures {
	t.Helper()
	houses := make([]*house, len(set.Stores))
	records := make([]map[memory.ID]memory.ID, len(set.Stores))
	for i, store := range set.Stores {
		houses[i] = open(t)
		records[i] = houses[i].learn(store)
	}
	figures, err := labelled.Measure(context.Background(), set, 0, func(store int, q labelled.Question) ([]memory.ID, float64, error) {
		h := houses[store]
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: q.Text, Limit: labelled.Depth})
		if err != nil || len(hits) == 0 {
			return nil, 0, err
		}
		var found []memory.ID
		for _, hit := range hits {
			found = append(found, records[store][hit.Record.ID])
		}
		return found, hits[0].Score, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var table labelled.Table
	for _, group := range slices.Sorted(maps.Keys(figures)) {
		table = append(table, labelled.Row{Set: set.Name, Form: "stated", Ranking: "vault", Group: group, Figures: figures[group]})
	}
	if err := table.Print(t.Output(), nil); err != nil {
		t.Fatal(err)
	}
	return figures["all"]
}

// learn remembers the records of a set in their order. It returns their ids in the set by
// their ids in the vault.
func (h *house) learn(store labelled.Store) map[memory.ID]memory.ID {
	h.T.Helper()
	known := map[memory.ID]memory.ID{}
	for _, rec := range store.Records {
		id := rec.ID
		rec.ID, rec.Scope.Owner = "", h.Key.DID()
		done, err := h.Remember(h.Ctx, h.Me(), memory.Draft{Record: rec})
		if err != nil {
			h.T.Fatal(err)
		}
		if _, ok := known[done.ID]; !ok {
			known[done.ID] = id
		}
	}
	return known
}
