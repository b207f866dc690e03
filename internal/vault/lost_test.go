package vault_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestLostAtAnyQuestion: what the store could not be asked is neither absent nor
// damaged, and nobody goes on as if it were.
func TestLostAtAnyQuestion(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	vaulttest.StockedBrain(t, h.House)
	b := vaulttest.Bundle{
		Chunks: []vaulttest.Object{vaulttest.Chunk("n1", "one"), vaulttest.Chunk("n2", "two", vaulttest.Object{"x_origin_id": "urn:aimem:far:2"}), vaulttest.Chunk("n1.p2", "three"),
			vaulttest.Chunk("3", "coffee helps", vaulttest.Object{"created_at": "2026-05-03T00:00:00Z"})},
		Edges:    []vaulttest.Object{vaulttest.Edge("3", "n1"), vaulttest.Edge("n1", "n2"), vaulttest.Edge("n2", "n1", vaulttest.Object{"weight": 1})},
		Entities: []vaulttest.Object{vaulttest.Entity("e1", "PostgreSQL"), vaulttest.NamedEntity("urn:aimem:elsewhere:e9", "Go", "technology", vaulttest.Object{"x_origin_id": "urn:aimem:far:e9"})},
		Links:    []vaulttest.Object{vaulttest.Linked("n1", "e1"), vaulttest.Linked("n2", "e9")},
	}
	writer := h.Granted(memory.Grant{ID: "t1", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}})
	mine := vaulttest.Bundle{Producer: "mine", Chunks: []vaulttest.Object{vaulttest.Chunk("1", "brought with a token", vaulttest.Object{"id": "urn:aimem:mine:1"})}}
	vaulttest.WantChunks(t, "with a token", h.TakesInAs(writer, mine, aimem.Import{}), 1, 0, 0, 0)
	var taken aimem.Report
	bring := func(c memory.Caller, b vaulttest.Bundle, report *aimem.Report) func(*vault.Vault) error {
		return func(v *vault.Vault) (err error) {
			*report, err = bundles.New(v).ImportBrain(h.Ctx, c, b.Open(t), aimem.Import{})
			return err
		}
	}
	t.Run("a bundle comes", func(t *testing.T) {
		h.EachLost(t, bring(h.Me(), b, &taken))
		vaulttest.WantChunks(t, "in the end", taken, 3, 0, 1, 0)
	})
	t.Run("a bundle comes again", func(t *testing.T) {
		var again aimem.Report
		h.EachLost(t, bring(h.Me(), b, &again))
		vaulttest.WantChunks(t, "in the end", again, 0, 0, 4, 0)
		if again.Edges.Inserted+again.Entities.Inserted+again.Links.Inserted != 0 {
			t.Errorf("%+v", again)
		}
	})
	t.Run("a bundle comes again with a token", func(t *testing.T) {
		var again aimem.Report
		h.EachLost(t, bring(writer, mine, &again))
		vaulttest.WantChunks(t, "in the end", again, 0, 0, 1, 0)
	})
	t.Run("our own bundle comes back, with history", func(t *testing.T) {
		h := open(t)
		revised := h.Tell("lunch at noon", `"relations":[{"type":"about","target":"entity:lunch"}]`)
		h.Must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
		text := h.Left(aimem.Export{History: true}).Text
		h.EachLost(t, func(v *vault.Vault) error {
			r, err := bundles.New(v).ImportBrain(h.Ctx, h.Me(), vaulttest.Opened(t, text), aimem.Import{})
			if err == nil && r.Skipped != r.Chunks {
				t.Errorf("%+v", r)
			}
			return err
		})
	})
	t.Run("a bundle leaves", func(t *testing.T) {
		h.EachLost(t, func(v *vault.Vault) error {
			return bundles.New(v).ExportBrain(h.Ctx, h.Me(), aimem.Export{Embeddings: true}, func(b aimem.Brain, _ aimem.ExportReport) error {
				_, _, err := aimem.Measure(b)
				return err
			})
		})
	})
	t.Run("changes reach who wrote them with a token", func(t *testing.T) {
		h.EachLost(t, func(v *vault.Vault) error {
			events, _, err := v.Changes(h.Ctx, writer, memory.Subscription{Max: 1000})
			if err == nil && len(events) == 0 {
				t.Error("no event")
			}
			return err
		})
	})
	t.Run("recall with a token", func(t *testing.T) {
		h.EachLost(t, func(v *vault.Vault) error {
			hits, err := v.Recall(h.Ctx, writer, memory.Query{Text: "brought with a token"})
			if err == nil && len(hits) == 0 {
				t.Error("no hit")
			}
			return err
		})
	})
	t.Run("an import is taken back", func(t *testing.T) {
		h.EachLost(t, func(v *vault.Vault) error { _, err := v.Undo(h.Ctx, h.Me(), taken.Import); return err })
	})
}

// TestLostWhileRekeying: an owner whose store could not be asked goes over when it can be.
func TestLostWhileRekeying(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.Tell("the ferry leaves at nine")
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "one"), vaulttest.Chunk("2", "two")}, Edges: []vaulttest.Object{vaulttest.Edge("1", "2")}}, aimem.Import{})
	next := vaulttest.Seeded(t, 61)
	h.More = append(h.More, h.Key, next)
	h.EachLost(t, func(v *vault.Vault) error { _, err := rekey.New(v).Rekey(h.Ctx, h.Me(), next, nil); return err })
}
