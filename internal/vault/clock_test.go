package vault_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/memory"
)

const aDay = 24 * time.Hour

// fleeting tells something with a retention of two weeks.
func (h *house) fleeting() memory.ID {
	return h.tell("the code is 4711", `"consent":{"retention":"P14D"}`)
}

// sweeps expects a sweep to empty so many, and to hold so many back.
func (h *house) sweeps(swept, held int) {
	h.t.Helper()
	n, err := h.SweepAgreed(h.ctx, h.key.DID())
	if err != nil {
		h.t.Fatal(err)
	}
	hold, err := h.Held(h.ctx, h.key.DID())
	if err != nil || n != swept || hold.Count != held {
		h.t.Fatalf("%d are emptied and %d held back, not %d and %d: %v", n, hold.Count, swept, held, err)
	}
}

// TestClocks erases what has expired as far as the store bears the clock out.
func TestClocks(t *testing.T) { onEach(t, testClocks) }

func testClocks(t *testing.T, open opener) {
	for name, test := range map[string]func(h *house, id memory.ID){
		"one write ten years ahead erases nothing": func(h *house, id memory.ID) {
			right := h.now.Add(time.Hour)
			for range 2 { // nor does another such write, after the clock was right for long
				h.now = h.now.AddDate(10, 0, 0)
				h.tell("a write ten years ahead, " + h.now.String())
				h.sweeps(0, 1)
				h.sweeps(0, 1)
				if h.get(id).Body.Text == "the code is 4711" {
					h.t.Error("it is shown after it has expired")
				}
				h.now, right = right, right.Add(5*aDay)
				if h.get(id).Body.Text != "the code is 4711" {
					h.t.Error("it is not here again")
				}
				h.tell("the clock is right again, " + h.now.String())
				h.sweeps(0, 0)
			}
		},
		"three weeks away, it is erased a day later": func(h *house, id memory.ID) {
			h.pass(21 * aDay)
			h.sweeps(0, 1)
			h.pass(time.Hour)
			h.sweeps(0, 1)
			if held := h.heldBack(); held != 1 {
				h.t.Errorf("%d entries of the audit log tell of one hold", held)
			}
			h.pass(aDay)
			h.sweeps(1, 0)
		},
		"whoever is here once in three weeks waits for the next time": func(h *house, id memory.ID) {
			h.pass(21 * aDay)
			h.tell("here")
			h.sweeps(0, 1)
			h.pass(21 * aDay)
			h.tell("here again")
			h.sweeps(1, 0)
		},
		"used daily, it is erased at once": func(h *house, id memory.ID) {
			for range 15 {
				h.pass(23 * time.Hour)
				h.tell("daily " + h.now.String())
			}
			h.sweeps(1, 0)
		},
		"the owner says that the clock is right": func(h *house, id memory.ID) {
			h.pass(21 * aDay)
			h.sweeps(0, 1)
			if n, err := h.Sweep(h.ctx, h.key.DID()); err != nil || n != 1 {
				h.t.Errorf("%d, %v", n, err)
			}
		},
		"a clock that went back is told, and versions keep their order": func(h *house, id memory.ID) {
			h.pass(-30 * aDay)
			if held, err := h.Held(h.ctx, h.key.DID()); err != nil || !held.Newest.After(h.now) {
				h.t.Errorf("the newest write is of %s, %v", held.Newest, err)
			}
			next := h.changes(id, `{"body":{"text":"the code is 4712"}}`)
			versions, err := h.History(h.ctx, h.owner(), id)
			if err != nil || len(versions) != 2 || versions[0].ID != id || versions[1].ID != next {
				h.t.Errorf("the history is %v, %v", versions, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.t = t
			id := h.fleeting()
			h.healthy()
			test(h, id)
		})
	}
}

// heldBack counts the entries of the audit log that tell of a hold.
func (h *house) heldBack() (n int) {
	h.t.Helper()
	entries, err := h.Audit(h.ctx, h.owner(), 0, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Act == audit.Hold {
			n++
		}
	}
	return n
}

// TestClocksAndRekey changes the key while the clock is ten years ahead: what the new
// owner's store says bears that clock out no more than the old one's did.
func TestClocksAndRekey(t *testing.T) { onEach(t, testClocksAndRekey) }

func testClocksAndRekey(t *testing.T, open opener) {
	h := open(t)
	id := h.fleeting()
	h.now = h.now.AddDate(10, 0, 0)
	h.tell("a write ten years ahead")
	next, _ := h.rekey(seeded(t, 8))
	next.sweeps(0, 1)
	next.now = next.now.AddDate(-10, 0, 0)
	next.sweeps(0, 0)
	if got := next.get(id).Body.Text; got != "the code is 4711" {
		t.Errorf("once the clock is right again it says %q", got)
	}
}
