package belief_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

func TestContextIsWhatIsStored(t *testing.T) { onEach(t, testContextIsWhatIsStored) }

func testContextIsWhatIsStored(t *testing.T, open opener) {
	h := open(t)
	doc := passportOfElsewhere()
	confidences := []float64{0.95, 0.2, 1, 0.31, 0}
	doc.Beliefs, doc.Evolution, doc.Corrections = nil, nil, nil
	days := 1
	for i, c := range confidences {
		doc.Beliefs = append(doc.Beliefs, engram.Belief{
			ID: engram.IDFrom("stored", string(rune('a'+i))), Category: engram.Values, Key: string(rune('a' + i)), Text: "v", Confidence: c,
			Source: engram.UserStated, Status: engram.Active, CreatedAt: vaulttest.Start().AddDate(-2, 0, i), LastConfirmed: vaulttest.Start().AddDate(-1, 0, 0), StaleAfter: &days,
		})
	}
	h.takesInDocument(doc)
	t.Run("ENGRAM-3.9-CTX-7 ENGRAM-3.4-21 ENGRAM-3.4-26 what has long been stale is told as it is stored", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		if len(view.Beliefs) != len(confidences) {
			t.Fatalf("%+v", view.Beliefs)
		}
		for i, b := range view.Beliefs {
			if b.ID != doc.Beliefs[i].ID || b.Confidence != confidences[i] || b.Status != engram.Active || engram.Overdue(b, h.Now) < 360 {
				t.Errorf("%+v, want %+v", b, doc.Beliefs[i])
			}
		}
	})
	t.Run("ENGRAM-3.9-CTX-6 ENGRAM-3.4-17 archived and deleted ones are there beside stale ones", func(t *testing.T) {
		h.Pass(time.Hour)
		if _, err := h.Archive(h.Ctx, h.Me(), doc.Beliefs[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Delete(h.Ctx, h.Me(), doc.Beliefs[1].ID); err != nil {
			t.Fatal(err)
		}
		fresh := h.states(engram.Projects, "now", "new")
		h.Pass(time.Minute)
		view := h.context(h.Me(), engram.Query{})
		want := map[string]engram.Status{doc.Beliefs[0].ID: engram.Archived, doc.Beliefs[1].ID: engram.Deleted, doc.Beliefs[2].ID: engram.Active, fresh.ID: engram.Active}
		for id, status := range want {
			if b, ok := beliefOf(view, id); !ok || b.Status != status {
				t.Errorf("%+v, want %s", b, status)
			}
		}
		if len(view.Beliefs) != len(confidences)+1 {
			t.Errorf("%d beliefs", len(view.Beliefs))
		}
	})
	h.Healthy()
}
