package belief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestBelieve(t *testing.T) {
	racing.Skip(t)
	onEach(t, testBelieve)
}

func testBelieve(t *testing.T, open opener) {
	h := open(t)
	days := 60
	asked := engram.Belief{Category: engram.WorkStyle, Key: "meetings", Text: "no meetings at all", StaleAfter: &days, Tags: []string{"work"}}
	b, err := h.Believe(h.Ctx, h.Me(), asked, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ENGRAM-4-1 E-42 a statement is a belief by the user", func(t *testing.T) {
		got := b.Belief
		if !engram.IsID(got.ID) || got.Source != engram.UserStated || got.Confidence != 1 || got.Status != engram.Active || !got.CreatedAt.Equal(h.Now) ||
			!got.LastConfirmed.Equal(h.Now) || got.StaleAfter == nil || *got.StaleAfter != 60 || len(got.Tags) != 1 {
			t.Errorf("%+v", got)
		}
		if told, _ := beliefOf(h.context(h.Me(), engram.Query{}), got.ID); string(told.Wire().Append(nil)) != string(got.Wire().Append(nil)) {
			t.Errorf("%v and %v", told.Wire(), got.Wire())
		}
	})
	t.Run("ENGRAM-3.4-19 what is inferred has not been confirmed", func(t *testing.T) {
		got, err := h.Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Values, Key: "coffee", Text: "black", Source: engram.Inferred, Confidence: 0.4}, false)
		if err != nil || !got.Belief.LastConfirmed.IsZero() || got.Belief.Confidence != 0.4 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("the same again changes nothing but when it was confirmed", func(t *testing.T) {
		h.Pass(time.Minute)
		asked.Text = "  No meetings  at ALL"
		got, err := h.Believe(h.Ctx, h.Me(), asked, false)
		if err != nil || !got.Unchanged || got.Belief.ID != b.Belief.ID || got.Belief.Text != "no meetings at all" || !got.Belief.LastConfirmed.Equal(h.Now) {
			t.Errorf("%+v, %v", got, err)
		}
	})
	var waits engram.Correction
	t.Run("E-50 ENGRAM-4-2 ENGRAM-3.9-CORR-23 a contradiction waits as a correction by system", func(t *testing.T) {
		asked.Text = "weekly sync acceptable"
		for range 2 {
			got, err := h.Believe(h.Ctx, h.Me(), asked, false)
			if err != nil || got.Contradicts == nil || got.Contradicts.By != engram.BySystem || got.Contradicts.Status != engram.Pending || got.Belief.Text != "no meetings at all" {
				t.Fatalf("%+v, %v", got, err)
			}
			waits = *got.Contradicts
		}
		if list := h.waiting(); len(list) != 1 || list[0].ID != waits.ID || list[0].By != engram.BySystem {
			t.Errorf("ENGRAM-3.6-13: %+v", list)
		}
	})
	t.Run("ENGRAM-3.5-6 resolved, it evolves by contradiction_resolution", func(t *testing.T) {
		h.Pass(time.Minute)
		if _, err := h.Resolve(h.Ctx, h.Me(), waits.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		view := h.context(h.Me(), engram.Query{})
		if len(view.Evolution) != 1 || view.Evolution[0].Trigger != engram.ContradictionResolution || view.Evolution[0].New != "weekly sync acceptable" {
			t.Errorf("%+v", view.Evolution)
		}
	})
	t.Run("E-50 or holds at once where the owner says so", func(t *testing.T) {
		h.Pass(time.Minute)
		asked.Text = "daily"
		got, err := h.Believe(h.Ctx, h.Me(), asked, true)
		view := h.context(h.Me(), engram.Query{})
		if err != nil || got.Contradicts != nil || got.Belief.Text != "daily" || got.Belief.ID != b.Belief.ID || len(view.Evolution) != 2 || view.Evolution[1].Trigger != engram.ContradictionResolution {
			t.Errorf("%+v, %v; %+v", got, err, view.Evolution)
		}
	})
	t.Run("another category or key contradicts nothing", func(t *testing.T) {
		h.states(engram.Projects, "meetings", "x")
		h.states(engram.WorkStyle, "focus", "x")
	})
	refused(t, h)
	h.Healthy()
}

// refused states what cannot be stated.
func refused(t *testing.T, h *house) {
	negative := -1
	taken := h.states(engram.Values, "taken", "x")
	gone := h.states(engram.Values, "gone", "x")
	if _, err := h.Delete(h.Ctx, h.Me(), gone.ID); err != nil {
		t.Fatal(err)
	}
	erased := h.states(engram.Values, "erased", "x")
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "erased"})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: hits[0].Record.ID, Reason: memory.UserRevoked, Hard: true}); err != nil {
		t.Fatal(err)
	}
	before := h.Count()
	for name, change := range map[string]func(*engram.Belief){
		"ENGRAM-3.4-1 an id that is none":           func(b *engram.Belief) { b.ID = "b1" },
		"ENGRAM-3.4-3 the id of a belief":           func(b *engram.Belief) { b.ID = taken.ID },
		"ENGRAM-3.4-3 the id of a deleted belief":   func(b *engram.Belief) { b.ID = gone.ID },
		"ENGRAM-3.4-3 the id of an erased belief":   func(b *engram.Belief) { b.ID = erased.ID },
		"ENGRAM-3.4-4 no category":                  func(b *engram.Belief) { b.Category = "" },
		"ENGRAM-3.4-5 no key":                       func(b *engram.Belief) { b.Key = "" },
		"ENGRAM-3.4-6 no value":                     func(b *engram.Belief) { b.Text = "\n" },
		"ENGRAM-3.4-9 too much confidence":          func(b *engram.Belief) { b.Confidence = 1.01 },
		"ENGRAM-3.4-11 a source that is none":       func(b *engram.Belief) { b.Source = "guess" },
		"ENGRAM-3.4-7 a type of value that is none": func(b *engram.Belief) { b.ValueType = "date" },
		"ENGRAM-3.4-20 stale before it was known":   func(b *engram.Belief) { b.StaleAfter = &negative },
	} {
		t.Run(name, func(t *testing.T) {
			b := engram.Belief{Category: engram.Learning, Key: "k", Text: "v"}
			change(&b)
			if _, err := h.Believe(h.Ctx, h.Me(), b, true); faultOf(err) != engram.InvalidRequest {
				t.Error(err)
			}
		})
	}
	_, err = h.Believe(h.Ctx, h.Agent(), engram.Belief{Category: engram.Learning, Key: "k", Text: "v"}, false)
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	if h.Count() != before {
		t.Error("something was stored")
	}
}

func TestKeep(t *testing.T) { onEach(t, testKeep) }

func testKeep(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "quincunx")
	t.Run("ENGRAM-3.4-19 to confirm says when, and nothing else", func(t *testing.T) {
		h.Pass(time.Hour)
		got, err := h.Confirm(h.Ctx, h.Me(), b.ID)
		view := h.context(h.Me(), engram.Query{})
		if err != nil || !got.LastConfirmed.Equal(h.Now) || got.Text != b.Text || got.Source != b.Source || got.Confidence != b.Confidence || len(view.Evolution) != 0 || len(view.Corrections) != 0 {
			t.Errorf("%+v, %v; %+v", got, err, view.Memory)
		}
	})
	t.Run("ENGRAM-3.4-17 E-27 what is archived stays in exports, and is not recalled", func(t *testing.T) {
		h.Pass(time.Hour)
		for range 2 {
			got, err := h.Archive(h.Ctx, h.Me(), b.ID)
			if err != nil || got.Status != engram.Archived || got.Text != b.Text {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		view := h.context(h.Me(), engram.Query{})
		if got, _ := beliefOf(view, b.ID); got.Status != engram.Archived || len(view.Evolution) != 0 || len(h.Texts(memory.Query{Text: "quincunx"})) != 0 {
			t.Errorf("%+v, %q", view.Memory, h.Texts(memory.Query{Text: "quincunx"}))
		}
	})
	t.Run("to confirm puts it in force again", func(t *testing.T) {
		h.Pass(time.Hour)
		got, err := h.Confirm(h.Ctx, h.Me(), b.ID)
		if err != nil || got.Status != engram.Active || len(h.Texts(memory.Query{Text: "quincunx"})) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("ENGRAM-3.4-13 ENGRAM-3.4-15 what is deleted leaves a tombstone, and no surface tells it", func(t *testing.T) {
		h.Pass(time.Hour)
		gone, err := h.Delete(h.Ctx, h.Me(), b.ID)
		if err != nil || gone.ID != b.ID || !gone.DeletedAt.Equal(h.Now) {
			t.Fatalf("%+v, %v", gone, err)
		}
		if got, _ := beliefOf(h.context(h.Me(), engram.Query{}), b.ID); got.Status != engram.Deleted || got.Text != "" || !got.DeletedAt.Equal(h.Now) {
			t.Errorf("%+v", got)
		}
		for name, text := range h.Everywhere() {
			if strings.Contains(text, "quincunx") {
				t.Errorf("%s tells: %s", name, text)
			}
		}
	})
	t.Run("and is not there for whoever would change it", func(t *testing.T) {
		_, first := h.Delete(h.Ctx, h.Me(), b.ID)
		_, second := h.Confirm(h.Ctx, h.Me(), b.ID)
		_, third := h.Archive(h.Ctx, h.Me(), b.ID)
		for _, err := range []error{first, second, third} {
			if faultOf(err) != engram.BeliefNotFound {
				t.Error(err)
			}
		}
	})
	h.Healthy()
}
