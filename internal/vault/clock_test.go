package vault_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

const aDay = 24 * time.Hour

// fleeting tells something with a retention of two weeks.
func (h *house) fleeting() memory.ID {
	return h.Tell("the code is 4711", `"consent":{"retention":"P14D"}`)
}

// sweeps expects a sweep to empty so many, and to hold so many back.
func (h *house) sweeps(swept, held int) {
	h.T.Helper()
	n, err := h.SweepAgreed(h.Ctx, h.Key.DID())
	if err != nil {
		h.T.Fatal(err)
	}
	hold, err := h.Held(h.Ctx, h.Key.DID())
	if err != nil || n != swept || hold.Count != held {
		h.T.Fatalf("%d are emptied and %d held back, not %d and %d: %v", n, hold.Count, swept, held, err)
	}
}

// TestClocks erases what has expired as far as the store bears the clock out.
func TestClocks(t *testing.T) { onEach(t, testClocks) }

func testClocks(t *testing.T, open opener) {
	for name, test := range map[string]func(h *house, id memory.ID){
		"one write ten years ahead erases nothing": func(h *house, id memory.ID) {
			right := h.Now.Add(time.Hour)
			for range 2 { // nor does another such write, after the clock was right for long
				h.Now = h.Now.AddDate(10, 0, 0)
				h.Tell("a write ten years ahead, " + h.Now.String())
				h.sweeps(0, 1)
				h.sweeps(0, 1)
				if h.MustGet(id).Body.Text == "the code is 4711" {
					h.T.Error("it is shown after it has expired")
				}
				h.Now, right = right, right.Add(5*aDay)
				if h.MustGet(id).Body.Text != "the code is 4711" {
					h.T.Error("it is not here again")
				}
				h.Tell("the clock is right again, " + h.Now.String())
				h.sweeps(0, 0)
			}
		},
		"three weeks away, it is erased a day later": func(h *house, id memory.ID) {
			h.Pass(21 * aDay)
			h.sweeps(0, 1)
			h.Pass(time.Hour)
			h.sweeps(0, 1)
			if held := h.heldBack(); held != 1 {
				h.T.Errorf("%d entries of the audit log tell of one hold", held)
			}
			h.Pass(aDay)
			h.sweeps(1, 0)
		},
		"whoever is here once in three weeks waits for the next time": func(h *house, id memory.ID) {
			h.Pass(21 * aDay)
			h.Tell("here")
			h.sweeps(0, 1)
			h.Pass(21 * aDay)
			h.Tell("here again")
			h.sweeps(1, 0)
		},
		"used daily, it is erased at once": func(h *house, id memory.ID) {
			for range 15 {
				h.Pass(23 * time.Hour)
				h.Tell("daily " + h.Now.String())
			}
			h.sweeps(1, 0)
		},
		"the owner says that the clock is right": func(h *house, id memory.ID) {
			h.Pass(21 * aDay)
			h.sweeps(0, 1)
			if n, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil || n != 1 {
				h.T.Errorf("%d, %v", n, err)
			}
		},
		"a clock that went back is told, and versions keep their order": func(h *house, id memory.ID) {
			h.Pass(-30 * aDay)
			if held, err := h.Held(h.Ctx, h.Key.DID()); err != nil || !held.Newest.After(h.Now) {
				h.T.Errorf("the newest write is of %s, %v", held.Newest, err)
			}
			next := h.Change(id, `{"body":{"text":"the code is 4712"}}`)
			versions, err := h.History(h.Ctx, h.Me(), id)
			if err != nil || len(versions) != 2 || versions[0].ID != id || versions[1].ID != next {
				h.T.Errorf("the history is %v, %v", versions, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.T = t
			id := h.fleeting()
			h.Healthy()
			test(h, id)
		})
	}
}

// heldBack counts the entries of the audit log that tell of a hold.
func (h *house) heldBack() (n int) {
	h.T.Helper()
	entries, err := h.Audit(h.Ctx, h.Me(), 0, 100)
	if err != nil {
		h.T.Fatal(err)
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
	h.Now = h.Now.AddDate(10, 0, 0)
	h.Tell("a write ten years ahead")
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	next.sweeps(0, 1)
	next.Now = next.Now.AddDate(-10, 0, 0)
	next.sweeps(0, 0)
	if got := next.MustGet(id).Body.Text; got != "the code is 4711" {
		t.Errorf("once the clock is right again it says %q", got)
	}
}
