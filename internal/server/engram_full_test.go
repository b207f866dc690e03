package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
)

// ignoring takes a parameter out of every request for the context.
func ignoring(parameter string) meddle {
	return header(atContext, func(r *http.Request) {
		q := r.URL.Query()
		q.Del(parameter)
		r.URL.RawQuery = q.Encode()
	})
}

// atOnce confirms each proposal as soon as it arrives, and answers that it is applied.
func atOnce(owner engramsuite.Hands) meddle {
	return good(http.MethodPost, atCorrect, func(r *http.Request, v canon.Value) canon.Value {
		_ = owner.Decide(context.WithoutCancel(r.Context()), v.Get("correction_id").Text(), true)
		return has("status", "applied")(v)
	})
}

// everyCategory states a belief of each category, and deletes that of health.
func everyCategory(t *testing.T, owner engramsuite.Hands) {
	t.Helper()
	for _, c := range engram.Categories() {
		b := engram.Belief{Category: c, Key: "seat_of_" + string(c), Text: "by the door", Confidence: 0.7, Source: engram.UserStated, Status: engram.Active}
		id, err := owner.Believe(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if c == engram.Health {
			err = owner.Delete(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// before is a target like another: a store, which a fault may stand before, and the
// owner's hands or none.
func before(t *testing.T, target engramsuite.Target, store http.Handler, owner engramsuite.Hands) engramsuite.Target {
	t.Helper()
	listening := httptest.NewServer(store)
	t.Cleanup(listening.Close)
	target.URL, target.Client, target.Hands = listening.URL, listening.Client(), owner
	return target
}

// TestEngramNotFull runs the suite without Strict on a sound store with one fault: the
// store fails the row of that fault, and is not of the tier Full.
func TestEngramNotFull(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	key, err := engram.IssuerKey(seeded(t, 7), 1)
	if err != nil {
		t.Fatal(err)
	}
	noTombstones := signing(key, listing(where(is("status", "deleted"), drop)), func(canonical []byte) []byte { return canonical })
	target, store := lived(t)
	everyCategory(t, target.Hands)
	target.Strict = false
	faults := []struct {
		name, row string
		does      meddle
	}{
		{"the store ignores scope", "ENGRAM-3.9-SCOPE-1", ignoring("scope")},
		{"the store ignores categories", "ENGRAM-3.9-CAT-1", ignoring("categories")},
		{"a correction is applied at once", "ENGRAM-3.9-CORR-2", atOnce(target.Hands)},
		{"the answer to a correction says applied", "ENGRAM-3.9-CORR-10", proposing(has("status", "applied"))},
		{"the context has no tombstones", "ENGRAM-3.4-13", noTombstones},
		{"the diff lists nothing deleted", "ENGRAM-3.9-DIFF-7", changed(within(empty, "changes", "beliefs", "deleted"))},
	}
	var rows []string
	all := store
	for _, fault := range faults {
		rows, all = append(rows, fault.row), fault.does(all)
		t.Run(fault.row+" "+fault.name, func(t *testing.T) {
			notFull(t, before(t, target, fault.does(store), nil), fault.row)
		})
	}
	t.Run("all of it, with the owner's hands", func(t *testing.T) {
		notFull(t, before(t, target, all, target.Hands), rows...)
	})
	t.Run("a sound store is of no tier without the owner's hands", func(t *testing.T) {
		results, summary := tells(t, before(t, target, store, nil))
		if summary.Tier != "" || !summary.OK() || results["ENGRAM-6-2"].Outcome != conformance.NotTried || len(summary.Failed) > 0 {
			t.Errorf("tier %q, %s: %v", summary.Tier, results["ENGRAM-6-2"].Message, summary.Failed)
		}
	})
}

// notFull runs the suite on a store, and wants rows to fail.
func notFull(t *testing.T, target engramsuite.Target, rows ...string) {
	t.Helper()
	results, summary := tells(t, target)
	if summary.Tier == engram.FullTier || summary.OK() {
		t.Errorf("the store is of tier %q", summary.Tier)
	}
	for _, row := range rows {
		if results[row].Outcome != conformance.Fail {
			t.Errorf("%s is %s: %s", row, results[row].Outcome, results[row].Message)
		}
	}
}
