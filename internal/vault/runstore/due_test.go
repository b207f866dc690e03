package runstore_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

// TestDueAtOnce has more runs due than a server has time for. Once it has, it finds the
// others, and not again those that it gave up.
func TestDueAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.Now = time.Now()
		for _, id := range []string{"x", "y", "z"} {
			h.start(draft(id), "a")
			h.Pass(time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond)
		seen := map[string]bool{}
		for range 3 {
			h.Now = time.Now()
			due, err := h.runs.Due(h.Ctx, 1, nil)
			if err != nil || len(due) != 1 || seen[due[0].ID] {
				t.Fatalf("due %+v after %v, %v", due, seen, err)
			}
			id := due[0].ID
			seen[id] = true
			run, err := h.runs.Hold(h.Ctx, h.Me(), id, runstore.Hold{Holder: "one", Lease: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if id == "x" { // it cannot go on here: the others get their turn all the same
				if err := h.runs.Release(h.Ctx, h.Me(), id, run.Fence); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
