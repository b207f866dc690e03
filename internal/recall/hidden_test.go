package recall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
)

// TestHidden: no hidden part of a record finds it.
func TestHidden(t *testing.T) {
	idx := index(fact("a", "The safe opens with swordfish.", 3))
	opt := recall.Options{Now: now, View: func(r memory.Record) memory.Record { r.Body.Text = "[redacted]"; return r }}
	hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: "swordfish"}, opt, everything)
	if err != nil || len(hits) != 0 {
		t.Errorf("got %q, %v, want nothing", ids(hits), err)
	}
}

// TestHiddenSaysNothing: an answer about a record depends on its visible part alone.
func TestHiddenSaysNothing(t *testing.T) {
	salience := .9
	whole := said("a", "Anna: We saw a swordfish in Lisbon "+strings.Repeat("and more ", 50))
	whole.Scope.Project, whole.Scope.Agent = "github.com/anna/lantern", "codex"
	whole.Lifecycle.Salience = &salience
	whole.Time.ValidFrom = time.Date(2025, 3, 9, 0, 0, 0, 0, time.UTC)
	whole.Provenance = &memory.Provenance{Evidence: []memory.Evidence{{Ref: "x"}, {Ref: "y"}}}
	whole.Relations = []memory.Relation{{Type: memory.DerivedFrom, Target: "urn:ump:b"}}
	strip := func(r memory.Record) memory.Record {
		r.Body.Text = strings.TrimPrefix(strings.TrimSuffix(r.Body.Text, strings.Repeat("and more ", 50)), "Anna: ")
		r.Scope.Project, r.Scope.Agent, r.Lifecycle.Salience = "", "", nil
		r.Time.Observed, r.Time.ValidFrom, r.Time.Created = time.Time{}, time.Time{}, now.AddDate(-1, 0, 0)
		r.Provenance, r.Relations = nil, nil
		return r
	}
	ask := func(r memory.Record, q memory.Query, view func(memory.Record) memory.Record) []memory.Hit {
		hits, _, err := recall.Search(context.Background(), index(r), q, recall.Options{Now: now, View: view, Apart: true}, everything)
		if err != nil {
			t.Fatal(err)
		}
		for i := range hits {
			hits[i].Record = memory.Record{} // the caller decides what to show of it
		}
		return hits
	}
	for _, q := range []memory.Query{
		{Text: "swordfish"},
		{Text: "when did Anna see a swordfish in March 2025"},
		{Text: "lantern swordfish", Scope: memory.Scope{Project: "github.com/anna/lantern", Agent: "codex"}},
		{Text: "swordfish", Prefer: []string{"provenance_depth", "salience", "recency"}},
		{Text: "swordfish", Budget: 20},
	} {
		t.Run("UMP-2.7-7 "+q.Text, func(t *testing.T) {
			got, want := ask(whole, q, strip), ask(strip(whole), q, nil)
			if len(want) != 1 {
				t.Fatalf("%d hits of what may be seen, want one", len(want))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what is hidden shows (-without it +with it):\n%s", diff)
			}
		})
	}
	t.Run("UMP-2.7-4 what is withheld is no answer, and lends nothing", func(t *testing.T) {
		idx := index(said("1", "Ben: What did you plant in the garden, Anna?"), said("2", "Anna: Zinnias."))
		opt := recall.Options{Now: now, View: func(r memory.Record) memory.Record {
			if r.ID == "urn:ump:1" {
				return memory.Record{}
			}
			return r
		}}
		hits, explanation, err := recall.Search(context.Background(), idx, memory.Query{Text: "plant garden"}, opt, everything)
		if err != nil || len(hits) != 0 || explanation.Allowed != 1 {
			t.Errorf("got %q of %d allowed, %v, want nothing", ids(hits), explanation.Allowed, err)
		}
	})
}
