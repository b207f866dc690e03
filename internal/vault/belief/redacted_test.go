package belief_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

func TestRedactedBeliefs(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRedactedBeliefs)
}

// testRedactedBeliefs: whatever the owner has left out of a belief, what leaves is a valid
// belief.
func testRedactedBeliefs(t *testing.T, open opener) {
	h := open(t)
	const within = "body.structured.engram"
	paths := []string{"body.text", "body.structured", within, within + ".belief", within + ".id"}
	for _, member := range []string{"key", "category", "confidence", "source", "status", "created_at", "tags", "stale_after_days"} {
		paths = append(paths, within+".belief."+member)
	}
	for i, path := range paths {
		value := fmt.Sprintf("fine %c", 'a'+rune(i))
		h.states(engram.Values, "zq"+strings.ReplaceAll(path, ".", ""), value)
		h.Change(h.idOf(value), `{"consent":{"redact":["`+path+`"]}}`)
	}
	view := h.context(h.assistant(engram.Full), engram.Query{})
	text := issued(t, view, h.Now)
	if found := engram.Validate([]byte(text), true); len(found) != 0 || len(view.Beliefs) != len(paths) {
		t.Errorf("ENGRAM-3.4-5: %d beliefs, %+v", len(view.Beliefs), found)
	}
	hidden := slices.DeleteFunc(slices.Clone(view.Beliefs), func(b engram.Belief) bool { return !strings.HasPrefix(b.Key, "withheld-") })
	if len(hidden) == 0 || strings.Contains(text, "zq"+strings.ReplaceAll(within+".belief.key", ".", "")) {
		t.Errorf("ENGRAM-3.4-5: %+v in %s", hidden, text)
	}
	var since = vaulttest.Start().AddDate(-1, 0, 0)
	for _, b := range h.step(h.assistant(engram.Full), engram.Query{}, &since).Added {
		if b.Key == "" {
			t.Errorf("%+v", b)
		}
	}
}
