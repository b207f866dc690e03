package belief_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// kept reports whether a word is among what is kept in memory.
func (h *house) kept(word string) bool {
	texts, _ := belief.Kept(h.Beliefs, h.Key.DID())
	for text := range maps.Values(texts) {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func TestKept(t *testing.T) { onEach(t, testKept) }

func testKept(t *testing.T, open opener) {
	h := open(t)
	ids := map[string]memory.ID{}
	for _, key := range []string{"ash", "birch", "cedar", "elder", "fir", "hazel"} {
		ids[key] = h.believes(engram.Belief{Category: engram.Values, Key: key, Text: key + " wood"})
	}
	text := func(key string) string {
		b, _ := beliefOf(h.context(h.Me(), engram.Query{}), engram.IDFrom("belief", key, key+" wood"))
		return b.Text
	}
	text("ash")
	_, before := belief.Kept(h.Beliefs, h.Key.DID())
	h.Change(ids["ash"], `{"body":{"text":"ash: grey wood"}}`)
	t.Run("only what has changed is told anew", func(t *testing.T) {
		if got := text("ash"); got != "grey wood" {
			t.Errorf("it is %q", got)
		}
		_, after := belief.Kept(h.Beliefs, h.Key.DID())
		for key, id := range ids {
			if again := before[id] != after[id]; again != (key == "ash") {
				t.Errorf("%s: told anew: %v", key, again)
			}
		}
	})
	t.Run("nothing stays of what is forgotten or erased", func(t *testing.T) {
		for key, hard := range map[string]bool{"birch": false, "cedar": true} {
			if text(key); !h.kept(key) {
				t.Fatalf("%s was not kept", key)
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: ids[key], Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if h.kept(key) || !h.kept("elder") {
				t.Errorf("kept: %v, another: %v", h.kept(key), h.kept("elder"))
			}
		}
	})
	t.Run("nor of what nobody asks for in a while", func(t *testing.T) {
		text("elder")
		belief.DropIdle(h.Beliefs)
		if h.kept("elder") {
			t.Error("it is kept")
		}
	})
	t.Run("what ends by itself ends", func(t *testing.T) {
		h.Change(ids["fir"], `{"time":{"valid_to":"`+h.Now.Add(time.Hour).Format(time.RFC3339)+`"}}`)
		status := func() engram.Status {
			b, _ := beliefOf(h.context(h.Me(), engram.Query{}), engram.IDFrom("belief", "fir", "fir wood"))
			return b.Status
		}
		was := status()
		h.Pass(2 * time.Hour)
		if is := status(); was != engram.Active || is != engram.Archived {
			t.Errorf("it was %s and is %s", was, is)
		}
	})
	t.Run("nothing stays when everything is erased", func(t *testing.T) {
		text("elder")
		if _, err := h.EraseBrain(h.Ctx, h.Me()); err != nil {
			t.Fatal(err)
		}
		if h.kept("wood") {
			t.Error("it is kept")
		}
	})
}

// TestKeptIsVerified changes rows behind the back of a store that has told them before.
func TestKeptIsVerified(t *testing.T) {
	for name, query := range map[string]string{
		"UMP-7-7 what it says":              `UPDATE records SET origin = replace(origin, 'poison', 'potion') WHERE id = ?`,
		"UMP-7-7 a column alone":            `UPDATE records SET project = 'p' WHERE id = ?`,
		"UMP-7-7 what it says, and no seal": `UPDATE records SET origin = replace(origin, 'poison', 'potion'), seal = zeroblob(16) WHERE id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			id := h.believes(engram.Belief{Category: engram.Values, Key: "well", Text: "poison"}, `"scope":{"visibility":"shared","project":"shop"}`)
			for n := range 2 {
				h.believes(engram.Belief{Category: engram.Values, Key: fmt.Sprint("other ", n), Text: "wine"})
				if b, ok := beliefOf(h.context(h.Me(), engram.Query{}), engram.IDFrom("belief", "well", "poison")); ok != (n == 0) {
					t.Errorf("round %d: told: %v, %q", n, ok, b.Text)
				}
				if n == 0 {
					h.Edit(query, string(id))
				}
			}
			if h.kept("well") {
				t.Error("it is kept")
			}
		})
	}
}
