package runstore_test

import (
	"strings"
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
			due, err := h.runs.Due(h.Ctx, runstore.Look{Limit: 1})
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

// TestDueTaken has two servers look for runs at once. Each gets runs of its own, no more of an
// agent than are executed at once, and none that it skips.
func TestDueTaken(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.Now = time.Now()
		for _, id := range []string{"u", "v", "w", "x", "y", "z"} {
			d := draft(id)
			d.Slots = 4
			h.start(d, "a")
		}
		time.Sleep(5 * time.Millisecond)
		look := func(holder string, limit int, skip string) (ids string) {
			t.Helper()
			h.Now = time.Now()
			due, err := h.runs.Due(h.Ctx, runstore.Look{Limit: limit, Take: runstore.Hold{Holder: holder, Lease: time.Minute, Executes: true}, Skip: func(id string) bool { return id == skip }})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range due {
				if ids += d.ID; d.Holder != holder || d.Fence != 1 {
					t.Errorf("%s is held by %q with fence %d", d.ID, d.Holder, d.Fence)
				}
			}
			return ids
		}
		one, two, three := look("one", 2, ""), look("two", 9, ""), look("three", 9, "")
		if len(one) != 2 || len(two) != 2 || strings.ContainsAny(one, two) || three != "" {
			t.Fatalf("they got %q, %q and %q", one, two, three)
		}
		if _, err := h.runs.Append(h.Ctx, h.Me(), one[:1], 1, runstore.Append{Change: runstore.Change{Release: true, Status: "completed"}}); err != nil {
			t.Fatal(err)
		}
		left := "uvwxyz"
		for _, id := range one + two {
			left = strings.ReplaceAll(left, string(id), "")
		}
		if got := look("three", 9, left[:1]); got != left[1:] {
			t.Errorf("of %q it got %q", left, got)
		}
	})
}
