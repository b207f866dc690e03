package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// canaryOf is a word that only what is of a category says: in what it is, in what it
// was, in tags, key, in the words of a correction and in what is proposed.
func canaryOf(c engram.Category) string { return "quince" + strings.ReplaceAll(string(c), "_", "") }

// aviary has a belief of each category, changed, corrected and contradicted, that says
// its canary wherever there is room for a word, and one of a category of its own.
func aviary(h *house) (all []engram.Category, heads []memory.ID) {
	all = append(engram.Categories(), "travel")
	for _, c := range all {
		word := canaryOf(c)
		id := h.believes(engram.Belief{Category: c, Key: "k" + word, Text: "was " + word, Tags: []string{word}})
		h.Pass(time.Second)
		entry := `{"id":"` + engram.IDFrom("e", word) + `","changed_at":"` + h.Now.Format(time.RFC3339) + `","trigger":"user_correction","context":"c ` + word + `","note":"n ` + word + `"}`
		correction := `{"id":"` + engram.IDFrom("c", word) + `","corrected_by":"user","corrected_at":"` + h.Now.Format(time.RFC3339) + `","method":"explicit","note":"n ` + word + `"}`
		now := h.Change(id, `{"body":{"text":"k`+word+`: is `+word+`","structured":{"engram":{"evolution":`+entry+`,"corrections":[`+correction+`]}}}}`)
		if _, err := h.Says(h.Agent(), "k"+word+": may be "+word, `"lifecycle":{"status":"candidate"}`,
			`"relations":[{"type":"contradicts","target":"`+string(now)+`"}]`); err != nil {
			h.T.Fatal(err)
		}
		heads = append(heads, now)
	}
	return all, heads
}

// places are how often a canary must be heard where its category is included: key,
// value, tag, old and new value of the change, its context and note, old and new value of
// the correction, its note, and the proposal. The test could not fail if it were less.
const places = 12

func TestExcludedCategories(t *testing.T) {
	racing.Skip(t)
	onEach(t, testExcludedCategories)
}

func testExcludedCategories(t *testing.T, open opener) {
	h := open(t)
	all, heads := aviary(h)
	queries := []engram.Query{}
	for _, s := range engram.Scopes() {
		queries = append(queries, engram.Query{Scope: s})
	}
	standard := engram.Categories()
	for i, c := range standard {
		queries = append(queries, engram.Query{Categories: []engram.Category{c}},
			engram.Query{Categories: []engram.Category{c, standard[(i+3)%len(standard)]}}, engram.Query{Excluded: []engram.Category{c}},
			engram.Query{Scope: engram.Professional, Excluded: []engram.Category{c}})
	}
	hear := func(t *testing.T, who memory.Caller, q engram.Query, wanted func(engram.Category) bool) {
		t.Helper()
		view := h.context(who, q)
		delta, err := h.Diff(h.Ctx, who, q, vaulttest.Start().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"context": issued(t, view, h.Now), "diff": string(engram.EncodeDelta(delta))} {
			for _, c := range all {
				switch n := strings.Count(text, canaryOf(c)); {
				case !wanted(c) && n > 0:
					t.Errorf("%s of %+v says %s %d times", name, q, c, n)
				case wanted(c) && n < places:
					t.Errorf("%s of %+v says %s only %d times", name, q, c, n)
				}
			}
		}
	}
	t.Run("ENGRAM-3.7-20 ENGRAM-3.7-16 ENGRAM-3.7-17 ENGRAM-3.9-CAT-6 no word of an excluded category leaves", func(t *testing.T) {
		for _, q := range queries {
			hear(t, h.Me(), q, q.Admits)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-14 nor does it by a token for a part", func(t *testing.T) {
		for _, s := range engram.Scopes() {
			hear(t, h.runtime(memory.Runtime{Name: "rt", Scope: string(s)}), engram.Query{}, engram.Query{Scope: s}.Admits)
		}
		for _, c := range standard {
			hear(t, h.runtime(memory.Runtime{Name: "rt", Categories: []string{string(c)}}), engram.Query{}, engram.Query{Categories: []engram.Category{c}}.Admits)
		}
	})
	t.Run("ENGRAM-3.7-18 ids of tombstones stay within their category", func(t *testing.T) {
		for i, id := range heads {
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: i%2 == 0}); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range queries {
			view := h.context(h.Me(), q)
			for _, b := range view.Beliefs {
				if !q.Admits(b.Category) || b.Status != engram.Deleted {
					t.Errorf("%+v: %+v", q, b)
				}
			}
			if want := len(slices.DeleteFunc(slices.Clone(all), func(c engram.Category) bool { return !q.Admits(c) })); len(view.Beliefs) != want {
				t.Errorf("%+v: %d tombstones, want %d", q, len(view.Beliefs), want)
			}
			if text := issued(t, view, h.Now); strings.Contains(strings.ReplaceAll(text, `"key":"kquince`, ""), "quince") {
				t.Errorf("%+v: a tombstone says what it was: %s", q, text)
			}
		}
	})
}
