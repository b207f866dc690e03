package belief_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestState(t *testing.T) { onEach(t, testState) }

func testState(t *testing.T, open opener) {
	h := open(t)
	state := func() (int64, time.Time) {
		s, until, err := h.State(h.Ctx, h.Me())
		if err != nil {
			t.Fatal(err)
		}
		return s, until
	}
	seen := map[int64]string{}
	changed := func(what string) {
		t.Helper()
		s, until := state()
		if before, ok := seen[s]; ok || !until.Equal(h.Now) {
			t.Errorf("%s: state as after %q, until %v", what, before, until)
		}
		seen[s] = what
		if view := h.context(h.Me(), engram.Query{}); view.State != s {
			t.Errorf("%s: the context has state %d, not %d", what, view.State, s)
		}
	}
	changed("nothing")
	id := h.believes(engram.Belief{Category: engram.Values, Key: "a", Text: "b"})
	changed("believed")
	id = h.Change(id, `{"body":{"text":"a: c"},"consent":{"retention":"P1D"}}`)
	changed("changed")
	if s, until := state(); !until.Equal(h.Now.Add(24*time.Hour)) || seen[s] != "changed" {
		t.Errorf("it stays until %v", until)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
		t.Fatal(err)
	}
	changed("erased")
	if s, until := state(); !until.IsZero() || seen[s] != "erased" {
		t.Errorf("nothing ends by itself, but it stays until %v", until)
	}
	if _, err := h.EraseBrain(h.Ctx, h.Me()); err != nil {
		t.Fatal(err)
	}
	changed("all erased")
	if view := h.context(h.Me(), engram.Query{}); len(view.Beliefs) != 0 {
		t.Errorf("%d tombstones are left of what was erased wholly", len(view.Beliefs))
	}
}

func TestRuntimes(t *testing.T) { onEach(t, testRuntimes) }

func testRuntimes(t *testing.T, open opener) {
	h := open(t)
	for _, c := range engram.Categories() {
		h.believes(engram.Belief{Category: c, Key: string(c), Text: "x"})
	}
	work := memory.Runtime{Name: "rt", Scope: "professional", Purpose: "writing", IssuedTo: "https://rt.example"}
	some := memory.Runtime{Name: "rt", Categories: []string{"communication", "values"}}
	for _, c := range []struct {
		name  string
		rt    memory.Runtime
		query engram.Query
		want  string // scope and number of beliefs, or the code
	}{
		{"plain", work, engram.Query{}, "professional 5"},
		{"narrower", work, engram.Query{Scope: engram.Minimal}, "minimal 1"},
		{"a category of it", work, engram.Query{Categories: []engram.Category{engram.Values}}, "custom 1"},
		{"wider", work, engram.Query{Scope: engram.Full}, "forbidden"},
		{"other", work, engram.Query{Scope: engram.Financial}, "forbidden"},
		{"a category outside", work, engram.Query{Categories: []engram.Category{engram.Values, engram.Health}}, "forbidden"},
		{"outside of what was asked", work, engram.Query{Scope: engram.Minimal, Categories: []engram.Category{engram.Values}}, "invalid_scope"},
		{"categories", some, engram.Query{}, "custom 2"},
		{"one of them", some, engram.Query{Categories: []engram.Category{engram.Values}}, "custom 1"},
		{"more of the person", some, engram.Query{Scope: engram.Minimal}, "forbidden"},
		{"records", work, engram.Query{History: true}, "forbidden"},
		{"less", work, engram.Query{Excluded: []engram.Category{engram.Values}}, "professional 4"},
	} {
		t.Run("E-49 ENGRAM-3.9-ERR-4 "+c.name, func(t *testing.T) {
			view, err := h.Context(h.Ctx, h.runtime(c.rt), c.query)
			got := fmt.Sprintf("%s %d", view.Scope, len(view.Beliefs))
			if err != nil {
				got = string(faultOf(err))
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if _, err := h.Diff(h.Ctx, h.runtime(c.rt), c.query, vaulttest.Start().Add(-time.Hour)); err != nil && string(faultOf(err)) != c.want && c.name != "records" {
				t.Errorf("diff: %v", err)
			}
		})
	}
	t.Run("ENGRAM-3.7-5 ENGRAM-3.7-6 ENGRAM-3.7-8 the definition says for whom, what for and until when", func(t *testing.T) {
		rt := h.runtime(work)
		d := h.context(rt, engram.Query{}).Definition
		if d == nil || d.Purpose != "writing" || d.IssuedTo != "https://rt.example" || !d.ValidUntil.Equal(rt.Grant.Expires) {
			t.Errorf("%+v", d)
		}
	})
	t.Run("a token for records opens no context, nor does none", func(t *testing.T) {
		for c, want := range map[*memory.Caller]engram.Code{
			new(h.Peer()): engram.Forbidden, {Owner: h.Key.DID(), Role: memory.Stranger}: engram.Unauthorized,
		} {
			_, err := h.Context(h.Ctx, *c, engram.Query{})
			if got := faultOf(err); got != want {
				t.Errorf("%v, want %v", got, want)
			}
			if _, _, err := h.State(h.Ctx, *c); faultOf(err) != want {
				t.Errorf("state: %v", err)
			}
		}
	})
}
