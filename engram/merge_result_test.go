package engram_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

func TestMergeRest(t *testing.T) {
	a, _, err := engram.Parse([]byte(sample), engram.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ENGRAM-12.2-2 every belief says from which stores it is", func(t *testing.T) {
		d, r := mergedEverywhere(t, a, exportOf(t, theirsURL, holding(a.Beliefs[0], stating(t, theirs, "short", engram.Inferred, "2026-03-01T00:00:00Z"))))
		both := string(found(t, d, radio).Value.Get("x_issuers").Append(nil))
		if both != `["https://harbour.example","https://tower.example"]` || string(found(t, d, theirs).Value.Get("x_issuers").Append(nil)) != `["https://tower.example"]` {
			t.Errorf("%s", both)
		}
		if len(r.Sources) != 2 || r.Sources[0].Issuer != oursURL || r.Active != 2 || r.Identity != oursURL || d.Identity.DisplayName != "Noor" {
			t.Errorf("%+v", r)
		}
		key, err := keys.FromSeed(make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		signer := engram.Signer{Issuer: engram.Issuer{Name: "Merged", URL: "https://merged.example"}, Kid: "key-2026-06", Key: key}
		raw, err := signer.Issue(engram.View{Subject: a.Subject, Scope: d.Scope, Definition: d.Definition, Memory: d.Memory}, noon(t))
		if found := engram.Validate(raw, true); err != nil || len(found) > 0 {
			t.Errorf("the result breaks rules: %v, %v", found, err)
		}
	})
	t.Run("ENGRAM-12.2-2 of one export comes what it says", func(t *testing.T) {
		d, _ := mergedEverywhere(t, a)
		if len(d.Beliefs) != len(a.Beliefs) || len(d.Evolution) != 1 || len(d.Corrections) != 1 || found(t, d, radio).Value.Has("x_issuers") || d.Scope != engram.Full || d.Definition != nil {
			t.Errorf("%+v", d)
		}
	})
	t.Run("edition 0.1.2 a hard rule is not lost, what was deleted stays deleted", func(t *testing.T) {
		suspended, deleted := a.Constraints[0], a.Constraints[0]
		suspended.Status = "suspended"
		deleted = deleted.Bare()
		deleted.DeletedAt = at(t, "2026-04-01T00:00:00Z")
		d, _ := mergedEverywhere(t, a, exportOf(t, theirsURL, engram.Memory{Constraints: []engram.Constraint{suspended}}))
		if len(d.Constraints) != 1 || d.Constraints[0].Status != "active" {
			t.Errorf("%+v", d.Constraints)
		}
		d, _ = mergedEverywhere(t, a, exportOf(t, theirsURL, engram.Memory{Constraints: []engram.Constraint{deleted}}))
		if len(d.Constraints) != 1 || d.Constraints[0].Status != "deleted" || d.Constraints[0].Rule != "" {
			t.Errorf("%+v", d.Constraints)
		}
	})
	t.Run("ENGRAM-12.2-3 one id, two states: the later, and the other in its history", func(t *testing.T) {
		later := stating(t, ours, "short", engram.UserStated, "2026-01-01T00:00:00Z")
		later.LastConfirmed = at(t, "2026-05-01T00:00:00Z")
		d, _ := mergedEverywhere(t, exportOf(t, oursURL, holding(stating(t, ours, "formal", engram.UserStated, "2026-01-01T00:00:00Z"))), exportOf(t, theirsURL, holding(later)))
		if len(d.Beliefs) != 1 || d.Beliefs[0].Text != "short" || len(d.Evolution) != 1 || d.Evolution[0].Old != "formal" {
			t.Errorf("%+v", d.Memory)
		}
	})
	t.Run("a correction that one store has resolved does not wait any more", func(t *testing.T) {
		belief := stating(t, ours, "formal", engram.UserStated, "2026-01-01T00:00:00Z")
		k := engram.Correction{ID: engram.IDFrom("k"), Belief: ours, By: engram.ByRuntime, CorrectedAt: at(t, "2026-02-01T00:00:00Z"), Old: "formal", New: "short", Method: engram.Implicit, Status: engram.Pending}
		waits, done := holding(belief), holding(belief)
		waits.Corrections = []engram.Correction{k}
		k.Status = engram.Rejected
		done.Corrections = []engram.Correction{k}
		d, _ := mergedEverywhere(t, exportOf(t, oursURL, waits), exportOf(t, theirsURL, done))
		if len(d.Corrections) != 1 || d.Corrections[0].Status != engram.Rejected {
			t.Errorf("%+v", d.Corrections)
		}
	})
	t.Run("scopes of parts come to a part", func(t *testing.T) {
		b := exportOf(t, theirsURL, engram.Memory{})
		b.Scope = engram.Financial
		c := exportOf(t, oursURL, engram.Memory{})
		c.Scope, c.Definition = engram.Minimal, &engram.Definition{Included: []engram.Category{engram.Communication}, ValidUntil: at(t, "2026-07-01T00:00:00Z")}
		d, _ := mergedEverywhere(t, b, c)
		if d.Scope != engram.Custom || !slices.Equal(d.Definition.Included, []engram.Category{engram.Communication, engram.Finances}) || !d.Definition.ValidUntil.Equal(at(t, "2026-07-01T00:00:00Z")) {
			t.Errorf("%s %+v", d.Scope, d.Definition)
		}
	})
	t.Run("two people are not one", func(t *testing.T) {
		other := exportOf(t, oursURL, engram.Memory{})
		if _, _, err := engram.Merge(a, other); err == nil {
			t.Error("they are merged")
		}
		if _, _, err := engram.Merge(); err == nil {
			t.Error("nothing is merged")
		}
	})
}
