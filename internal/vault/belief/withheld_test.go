package belief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestRedactedBelief(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRedactedBelief)
}

// testRedactedBelief redacts a belief of health after it was told, in every place that it
// is made of. said is what a token for its category has to be told still.
func testRedactedBelief(t *testing.T, open opener) {
	for _, test := range []struct{ path, withheld, said string }{
		{"body.text", "vquince", "[redacted]"},
		{"body", "vquince", "[redacted]"},
		{"body.structured", "tquince", "vquince"},
		{"body.structured.engram", "tquince", "vquince"},
		{"body.structured.engram.belief", "tquince", "vquince"},
		{"body.structured.engram.belief.tags", "tquince", "vquince"},
		{"body.structured.engram.belief.category", "", "vquince"},
		{"body.structured.engram.id", "", "vquince"},
	} {
		t.Run("ENGRAM-3.7-20 "+test.path, func(t *testing.T) {
			h := open(t)
			b := engram.Belief{ID: engram.IDFrom("w", test.path), Category: engram.Health, Key: "kquince", Text: "vquince", Tags: []string{"tquince"}}
			id := h.believes(b)
			h.Pass(time.Minute)
			before := h.Now
			h.Pass(time.Minute)
			h.Change(id, `{"consent":{"redact":["`+test.path+`"]}}`)
			told := func(c engram.Category) string {
				who := h.runtime(memory.Runtime{Name: "r", Categories: []string{string(c)}})
				delta, err := h.Diff(h.Ctx, who, engram.Query{}, before)
				if err != nil {
					t.Fatal(err)
				}
				return issued(t, h.context(who, engram.Query{}), h.Now) + string(engram.EncodeDelta(delta))
			}
			own, other := told(engram.Health), told(engram.CustomCategory)
			if strings.Contains(other, "quince") || strings.Contains(other, "redacted") || strings.Contains(other, b.ID) {
				t.Errorf("a token for other categories is told %s", other)
			}
			if !strings.Contains(own, test.said) || test.withheld != "" && strings.Contains(own, test.withheld) || strings.Contains(own, `"old_value"`) {
				t.Errorf("%s", own)
			}
			if got := h.context(h.Me(), engram.Query{}).Beliefs; len(got) != 1 || got[0].ID != b.ID || got[0].Category != engram.Health {
				t.Errorf("it is another belief now: %+v", got)
			}
		})
	}
}

func TestRedactedTombstone(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRedactedTombstone)
}

// testRedactedTombstone erases a belief whose stated id nobody else has seen.
func testRedactedTombstone(t *testing.T, open opener) {
	h := open(t)
	real := engram.IDFrom("real")
	id := h.believes(engram.Belief{ID: real, Category: engram.Health, Key: "k", Text: "v"}, `"consent":{"redact":["body.structured"]}`)
	who := h.assistant(engram.Personal)
	known, before := h.context(who, engram.Query{}).Beliefs[0].ID, h.Now
	h.Pass(time.Minute)
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
		t.Fatal(err)
	}
	delta, err := h.Diff(h.Ctx, who, engram.Query{}, before)
	if err != nil || known == real || len(delta.Deleted) != 1 || delta.Deleted[0].ID != known {
		t.Errorf("ENGRAM-3.4-13: %s is to be dropped, told of %+v, %v", known, delta.Deleted, err)
	}
	if got := h.context(who, engram.Query{}).Beliefs; len(got) != 1 || got[0].ID != known {
		t.Errorf("%+v", got)
	}
}

func TestTombstoneWithoutResidue(t *testing.T) {
	racing.Skip(t)
	onEach(t, testTombstoneWithoutResidue)
}

// testTombstoneWithoutResidue erases a belief of which only an earlier version says under
// which id and category it is known.
func testTombstoneWithoutResidue(t *testing.T, open opener) {
	for name, chain := range map[string]bool{"the version and those before it": false, "all versions": true} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			b := engram.Belief{ID: engram.IDFrom("real"), Category: engram.WorkStyle, Key: "k", Text: "v"}
			id := h.Change(h.believes(b), `{"body":{"text":"k: w","structured":null}}`)
			who := h.assistant(engram.Professional)
			was := h.context(who, engram.Query{}).Beliefs
			if len(was) != 1 || was[0].ID != b.ID {
				t.Fatalf("%+v", was)
			}
			before := h.Now
			h.Pass(time.Minute)
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true, Chain: chain}); err != nil {
				t.Fatal(err)
			}
			delta, err := h.Diff(h.Ctx, who, engram.Query{}, before)
			if err != nil || len(delta.Deleted) != 1 || delta.Deleted[0].ID != b.ID {
				t.Errorf("ENGRAM-3.4-13: told of %+v, %v", delta.Deleted, err)
			}
			got := h.context(who, engram.Query{}).Beliefs
			if len(got) != 1 || got[0].ID != b.ID || got[0].Category != b.Category || got[0].Status != engram.Deleted {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestRedactedRole(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRedactedRole)
}

// testRedactedRole redacts what says that a record is the identity, or a constraint:
// they do not become beliefs by that.
func testRedactedRole(t *testing.T, open opener) {
	h := open(t)
	if _, err := h.Identify(h.Ctx, h.Me(), engram.Identity{DisplayName: "Ana", Timezone: "UTC", Bio: "bquince"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never say rquince"}); err != nil {
		t.Fatal(err)
	}
	h.Pass(time.Minute)
	for _, word := range []string{"Ana", "rquince"} {
		h.Change(h.idOf(word), `{"consent":{"redact":["body.structured"]}}`)
	}
	if view := h.context(h.runtime(memory.Runtime{Name: "r", Categories: []string{"custom"}}), engram.Query{}); len(view.Beliefs) != 0 {
		t.Errorf("%+v", view.Beliefs)
	}
	h.Pass(time.Minute)
	if i, err := h.Identify(h.Ctx, h.Me(), engram.Identity{DisplayName: "Ana B", Timezone: "UTC"}); err != nil || i.CreatedAt.Equal(h.Now) {
		t.Errorf("the owner's own identity is not found: %+v, %v", i, err)
	}
	if list, err := h.Constraints(h.Ctx, h.Me(), false); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestOvertakenCategory(t *testing.T) { onEach(t, testOvertakenCategory) }

// testOvertakenCategory replaces a belief by a record that states no category.
func testOvertakenCategory(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Health, "kquince", "vquince")
	h.Pass(time.Minute)
	h.Must(ump.OpRemember, `{"record":{"kind":"procedural","body":{"text":"take wquince daily"},"supersedes":["`+string(h.idOf("vquince"))+`"]}}`)
	if got := h.context(h.assistant(engram.Professional), engram.Query{}).Beliefs; len(got) != 0 {
		t.Errorf("ENGRAM-3.7-20: %+v", got)
	}
	if got := h.context(h.assistant(engram.Personal), engram.Query{}).Beliefs; len(got) != 1 || got[0].ID != b.ID || got[0].Category != engram.Health || got[0].Text != "take wquince daily" {
		t.Errorf("%+v", got)
	}
	if _, err := h.Propose(h.Ctx, h.assistant(engram.Professional), h.proposal(b, "x")); faultOf(err) != engram.BeliefNotFound {
		t.Errorf("a token for another scope proposes: %v", err)
	}
	if _, err := h.Propose(h.Ctx, h.assistant(engram.Personal), h.proposal(b, "x")); err != nil {
		t.Error(err)
	}
}

// idOf is the present record that says a word.
func (h *house) idOf(word string) memory.ID {
	h.T.Helper()
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{ValidAt: h.Now, Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, r := range page.Records {
		if strings.Contains(r.Body.Text, word) && len(r.SupersededBy) == 0 {
			return r.ID
		}
	}
	h.T.Fatalf("nothing says %s: %q", word, vaulttest.TextsOf(page.Records))
	return ""
}
