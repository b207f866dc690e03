package belief_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

func TestTwins(t *testing.T) { onEach(t, testTwins) }

// testTwins: of two memories that claim one belief, the first is told, and the owner is
// told of the other.
func testTwins(t *testing.T, open opener) {
	h := open(t)
	b := engram.Belief{ID: engram.IDFrom("twin"), Category: engram.Values, Key: "fruit", Text: "pears"}
	first := h.believes(b)
	b.Text = "plums"
	second := h.believes(b)
	found, err := h.Twins(h.Ctx, h.Me())
	if err != nil || len(found) != 1 || found[0].Belief != b.ID || found[0].Told != first || found[0].LeftOut != second {
		t.Fatalf("ENGRAM-3.4-1: %+v, %v", found, err)
	}
	for range 3 {
		if got, _ := beliefOf(h.context(h.Me(), engram.Query{}), b.ID); got.Text != "pears" {
			t.Errorf("told: %+v", got)
		}
	}
	health, err := h.Health(h.Ctx)
	if err != nil || len(health) != 1 || !strings.Contains(health[0], string(second)) || !strings.Contains(health[0], "satchel belief correct") {
		t.Errorf("doctor says %q, %v", health, err)
	}
	if _, err := h.Correct(h.Ctx, h.Me(), b.ID, "plums", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: second, Reason: memory.Duplicate}); err != nil {
		t.Fatal(err)
	}
	if got, _ := beliefOf(h.context(h.Me(), engram.Query{}), b.ID); got.Text != "plums" || got.Status != engram.Active {
		t.Errorf("mended: %+v", got)
	}
	h.Healthy()
}
