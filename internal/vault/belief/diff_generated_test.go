package belief_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestDiffGenerated(t *testing.T) {
	racing.Skip(t)
	onEach(t, testDiffGenerated)
}

// testDiffGenerated: the instant for the next diff tells a caller nothing of what is kept
// from it, and nothing is lost by that.
func testDiffGenerated(t *testing.T, open opener) {
	h := open(t)
	worker, at := h.runtime(memory.Runtime{Name: "rt", Scope: "professional"}), vaulttest.Start().Add(-time.Hour)
	style := h.states(engram.Communication, "email_style", "short")
	h.states(engram.Relationships, "visit", "at nine")
	h.step(worker, engram.Query{}, &at)
	told := func() []byte {
		t.Helper()
		since := at
		return engram.EncodeDelta(h.step(worker, engram.Query{}, &since))
	}
	t.Run("ENGRAM-3.7-20 E-30 what is outside of the scope, or must not leave, does not show in it", func(t *testing.T) {
		before := told()
		for name, change := range map[string]func(){
			"health": func() { h.states(engram.Health, "diet", "no nuts") },
			"hidden": func() { h.Tell("a secret", `"consent":{"exportable":false}`) },
			"erased": func() {
				if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: h.idOf("at nine"), Reason: memory.UserRevoked, Hard: true}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			h.Pass(time.Minute)
			if change(); !bytes.Equal(told(), before) {
				t.Errorf("%s: %s, was %s", name, told(), before)
			}
		}
	})
	t.Run("ENGRAM-3.7-20 E-30 nor does what is left out of a belief that is told", func(t *testing.T) {
		since := h.Now
		h.Pass(time.Minute)
		h.proposes(style, "none")
		d, err := h.Diff(h.Ctx, worker, engram.Query{NoPending: true}, since)
		if err != nil || differs(d) != "" || !d.GeneratedAt.Equal(since) {
			t.Errorf("%q, %s after %s, %v", differs(d), d.GeneratedAt, since, err)
		}
		if d := h.step(worker, engram.Query{}, &at); differs(d) != "C none "+string(engram.Pending) || !at.Equal(h.Now) {
			t.Errorf("%q, %s", differs(d), at)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-12 a change that another process dates before the last diff is told once", func(t *testing.T) {
		behind := h.Now
		h.Pass(time.Hour)
		h.states(engram.Health, "sleep", "eight hours")
		h.step(worker, engram.Query{}, &at)
		late := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: func() time.Time { return behind }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID()})
		if _, err := belief.Of(late).Correct(h.Ctx, h.Me(), style.ID, "long", ""); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"U email_style=long active, C long , E long", ""} {
			if got := differs(h.step(worker, engram.Query{}, &at)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
	t.Run("ENGRAM-3.9-DIFF-12 it moves on by itself, and never back", func(t *testing.T) {
		last := at
		for range 3 {
			h.Pass(9 * time.Hour)
			h.step(worker, engram.Query{}, &at)
			if !at.After(last) || at.After(h.Now) {
				t.Errorf("%s after %s, at %s", at, last, h.Now)
			}
			last = at
		}
	})
	h.Healthy()
}
