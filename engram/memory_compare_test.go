package engram_test

import (
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// wantMemory requires the core objects of two memories to be JSON-equal, in order.
func wantMemory(t testing.TB, got, want engram.Memory) {
	t.Helper()
	wantWire(t, "identity", []engram.Identity{got.Identity}, []engram.Identity{want.Identity})
	wantWire(t, "beliefs", got.Beliefs, want.Beliefs)
	wantWire(t, "evolution", got.Evolution, want.Evolution)
	wantWire(t, "corrections", got.Corrections, want.Corrections)
	wantWire(t, "constraints", got.Constraints, want.Constraints)
}

func wantWire[T interface{ Wire() canon.Value }](t testing.TB, name string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if g, w := got[i].Wire(), want[i].Wire(); !canon.Equal(g, w) {
			t.Errorf("%s %d:\n got %s\nwant %s", name, i, g.AppendCanonical(nil), w.AppendCanonical(nil))
		}
	}
}
