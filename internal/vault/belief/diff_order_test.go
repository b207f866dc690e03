package belief_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

func TestDiffOrder(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffOrder)
}

func testDiffOrder(t *testing.T, open opener) {
	h, at := open(t), vaulttest.Start().Add(-time.Hour)
	style := h.states(engram.Communication, "email_style", "formal")
	meet := h.states(engram.WorkStyle, "meetings", "few")
	h.step(h.Me(), engram.Query{}, &at)
	t.Run("ENGRAM-3.9-DIFF-4 ENGRAM-3.9-CORR-2 a proposal changes nothing of the belief", func(t *testing.T) {
		h.Pass(time.Minute)
		h.proposes(style, "short")
		if got := differs(h.step(h.Me(), engram.Query{}, &at)); got != "C short "+string(engram.Pending) {
			t.Errorf("%q", got)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-6 what came back to its value has changed", func(t *testing.T) {
		before := at
		for _, value := range []string{"none", "few"} {
			h.Pass(time.Minute)
			if _, err := h.Correct(h.Ctx, h.Me(), meet.ID, value, ""); err != nil {
				t.Fatal(err)
			}
		}
		d := h.step(h.Me(), engram.Query{}, &before)
		if len(d.Updated) != 1 || len(d.Evolution) != 2 {
			t.Errorf("%q", differs(d))
		}
	})
	t.Run("ENGRAM-3.9-DIFF-15 history of several beliefs comes in the order of time", func(t *testing.T) {
		before := at
		for _, b := range []engram.Belief{meet, style, meet} {
			h.Pass(time.Minute)
			if _, err := h.Correct(h.Ctx, h.Me(), b.ID, b.Key+" at "+h.Now.Format(time.TimeOnly), ""); err != nil {
				t.Fatal(err)
			}
		}
		inOrder(t, h.step(h.Me(), engram.Query{}, &before), 5, 5)
	})
	t.Run("ENGRAM-3.9-DIFF-15 also where a document had it in another order", func(t *testing.T) {
		h, at := open(t), vaulttest.Start().Add(-time.Hour)
		doc := passportOfElsewhere()
		later := doc.Evolution[0]
		later.ID, later.Belief, later.Old, later.New, later.ChangedAt = engram.IDFrom("e0"), doc.Beliefs[1].ID, "all", "no nuts", vaulttest.Start().AddDate(0, 0, -5)
		doc.Evolution = []engram.Change{later, doc.Evolution[0]}
		slices.Reverse(doc.Corrections)
		h.takesInDocument(doc)
		inOrder(t, h.step(h.Me(), engram.Query{}, &at), 2, 2)
	})
	h.Healthy()
}

// inOrder checks how much history a delta has, and that it is in the order of time.
func inOrder(t *testing.T, d engram.Delta, corrections, evolution int) {
	t.Helper()
	if len(d.Corrections) != corrections || len(d.Evolution) != evolution {
		t.Errorf("%q", differs(d))
	}
	if !slices.IsSortedFunc(d.Corrections, func(a, b engram.Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) }) {
		t.Errorf("corrections: %+v", d.Corrections)
	}
	if !slices.IsSortedFunc(d.Evolution, func(a, b engram.Change) int { return a.ChangedAt.Compare(b.ChangedAt) }) {
		t.Errorf("evolution: %+v", d.Evolution)
	}
}

func TestDiffAfterQuiet(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffAfterQuiet)
}

func testDiffAfterQuiet(t *testing.T, open opener) {
	h := open(t)
	h.believes(engram.Belief{Category: engram.Values, Key: "old", Text: "x"}, `"time":{"valid_from":"`+vaulttest.Start().AddDate(0, -3, 0).Format(time.RFC3339)+`"}`)
	h.Pass(48 * time.Hour)
	for name, at := range map[string]time.Time{"now": h.Now, "in a year": h.Now.AddDate(1, 0, 0)} {
		t.Run("ENGRAM-3.9-DIFF-12 nothing is told again to who begins long after the last change: "+name, func(t *testing.T) {
			for range 3 {
				if got := differs(h.step(h.Me(), engram.Query{}, &at)); got != "" {
					t.Errorf("%q since %s", got, at)
				}
			}
		})
	}
}
