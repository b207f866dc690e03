package belief_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestDiffReopened(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffReopened)
}

// testDiffReopened erases the newest version of a belief, so that an earlier one is in
// force again.
func testDiffReopened(t *testing.T, open opener) {
	h, at := open(t), vaulttest.Start().Add(-time.Hour)
	worker, narrow := h.runtime(memory.Runtime{Name: "rt", Scope: "professional"}), vaulttest.Start().Add(-time.Hour)
	expect := func(t *testing.T, owner, assistant string) {
		t.Helper()
		for range 2 {
			if got := differs(h.step(h.Me(), engram.Query{}, &at)); got != owner {
				t.Errorf("the owner: %q, want %q", got, owner)
			}
			if got := differs(h.step(worker, engram.Query{}, &narrow)); got != assistant {
				t.Errorf("the assistant: %q, want %q", got, assistant)
			}
			owner, assistant = "", ""
			h.Pass(time.Minute)
		}
	}
	bearer, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}})
	revised := func(t *testing.T, id memory.ID, text, category string) memory.ID {
		t.Helper()
		next, err := h.Revise(h.Ctx, bearer, memory.Revision{ID: id, Patch: []byte(
			`{"body":{"text":"` + text + `","structured":{"engram":{"belief":{"category":"` + category + `"}}}}}`)})
		if err != nil {
			t.Fatal(err)
		}
		return next.ID
	}
	erase := func(t *testing.T, id memory.ID) {
		t.Helper()
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("ENGRAM-3.9-DIFF-6 an import that is taken back", func(t *testing.T) {
		id := h.believes(engram.Belief{Category: engram.WorkStyle, Key: "k", Text: "first"})
		d := vaulttest.Drafts(h.Key.DID(), 1)
		d.Records[0].Supersedes = []memory.ID{id}
		report, err := h.Import(h.Ctx, h.Me(), d, vault.ImportOptions{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		h.step(h.Me(), engram.Query{}, &at)
		h.step(worker, engram.Query{}, &narrow)
		h.Pass(time.Minute)
		if _, err := h.Undo(h.Ctx, h.Me(), report.Number); err != nil {
			t.Fatal(err)
		}
		expect(t, "U k=first active", "U k=first active")
	})
	for _, test := range []struct{ name, was, then, added, changed, owner, assistant, unknown string }{
		{"ENGRAM-3.9-DIFF-6 in the same category", "values", "values", "A l=one", "U l=two active, E two", "U l=one active", "U l=one active", ""},
		{"ENGRAM-3.9-DIFF-5 back into the scope", "work_style", "relationships", "A l=one", "D", "U l=one active", "A l=one", ""},
		{"E-22 ENGRAM-3.9-DIFF-14 out of the scope", "relationships", "work_style", "", "A l=two, E two", "U l=one active", "D", "D"},
	} {
		t.Run(test.name+": what a token's bearer said", func(t *testing.T) {
			first := h.believes(engram.Belief{ID: engram.IDFrom(test.name), Category: engram.Category(test.was), Key: "l", Text: "one"}, `"scope":{"visibility":"shared"}`)
			expect(t, "A l=one", test.added)
			second := revised(t, first, "l: two", test.then)
			expect(t, "U l=two active, E two", test.changed)
			erase(t, second)
			expect(t, test.owner, test.assistant)
			erase(t, revised(t, first, "l: three", test.then)) // of which nobody was told
			expect(t, "", test.unknown)
		})
	}
	h.Healthy()
}
