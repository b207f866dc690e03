package belief_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
)

// TestLocated: who asks for what is not there, or for what has just come, does not have
// all beliefs read each time.
func TestLocated(t *testing.T) {
	h := open(t)
	for i := range 40 {
		h.states(engram.Health, fmt.Sprintf("key %d", i), fmt.Sprintf("value %d", i))
	}
	s := &counting{Store: h.Store}
	fresh := func() *vault.Vault {
		return vault.New(vault.Options{Beliefs: belief.Open, Store: s, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID()})
	}
	v := fresh()
	proposes := func(t *testing.T, most int, b string) error {
		t.Helper()
		s.rows = 0
		_, err := belief.Of(v).Propose(h.Ctx, h.assistant(engram.Full), engram.Proposal{Belief: b, New: "new", Runtime: "r", ObservedAt: h.Now})
		if s.rows > most {
			t.Errorf("%d rows are read", s.rows)
		}
		return err
	}
	absent := func(t *testing.T, most, i int) {
		t.Helper()
		if err := proposes(t, most, fmt.Sprintf("00000000-0000-4000-8000-%012d", i)); faultOf(err) != engram.BeliefNotFound {
			t.Errorf("got %v", err)
		}
	}
	t.Run("ENGRAM-3.9-CORR-15 ids that nobody has are looked for once", func(t *testing.T) {
		absent(t, 40, 0)
		for i := range 10 {
			absent(t, 0, i)
		}
	})
	t.Run("ENGRAM-3.9-CORR-15 one that has come since is found", func(t *testing.T) {
		b := engram.Belief{ID: "00000000-0000-4000-8000-000000000003", Category: engram.Communication, Key: "email_style", Text: "short"}
		if _, err := h.Believe(h.Ctx, h.Me(), b, false); err != nil { // by another process
			t.Fatal(err)
		}
		if err := proposes(t, 100, b.ID); err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-3.9-CORR-15 one that begins later is found then", func(t *testing.T) {
		b := engram.Belief{ID: "00000000-0000-4000-8000-000000000004", Category: engram.Communication, Key: "greeting", Text: "hello"}
		h.believes(b, `"time":{"valid_from":"`+h.Now.Add(time.Hour).Format(time.RFC3339)+`"}`)
		absent(t, 50, 4)
		absent(t, 0, 5)
		h.Pass(2 * time.Hour)
		if err := proposes(t, 100, b.ID); err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-3.9-CORR-15 one that went for good is looked for once", func(t *testing.T) {
		b := h.states(engram.Projects, "email_style", "at nine")
		if err := proposes(t, 100, b.ID); err != nil {
			t.Fatal(err)
		}
		h.Erases(h.Me(), h.recordOf("at nine"))
		for _, most := range []int{100, 100, 0, 0} {
			if err := proposes(t, most, b.ID); faultOf(err) != engram.BeliefNotFound {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("what was stated or told is known", func(t *testing.T) {
		v = fresh()
		done, err := belief.Of(v).Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Communication, Key: "tone", Text: "dry"}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := proposes(t, 2, done.Belief.ID); err != nil {
			t.Error(err)
		}
		v = fresh()
		view, err := belief.Of(v).Context(h.Ctx, h.Me(), engram.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if err := proposes(t, 4, view.Beliefs[7].ID); err != nil {
			t.Error(err)
		}
	})
}
