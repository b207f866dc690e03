package belief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

func TestRejected(t *testing.T) { onEach(t, testRejected) }

// testRejected: what the owner rejected stays in the trail, and is told to the owner and to
// whoever proposed it.
func testRejected(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short")
	h.Pass(time.Minute)
	proposer, other := h.assistant(engram.Full), h.runtime(memory.Runtime{Name: "Other", Scope: "full"})
	before := h.Now
	k := h.proposes(b, "longer")
	pending := h.Now
	h.Pass(time.Minute)
	if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, false, "never that"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		who  memory.Caller
		told string
	}{"owner": {h.Me(), "longer"}, "proposer": {proposer, "longer"}, "other": {other, ""}} {
		t.Run("ENGRAM-3.9-CORR-13 E-11 rejected, to the "+name, func(t *testing.T) {
			view := h.context(want.who, engram.Query{})
			if len(view.Corrections) != 1 || view.Corrections[0].ID != k.ID || view.Corrections[0].Status != engram.Rejected || view.Corrections[0].New != want.told {
				t.Errorf("%+v", view.Corrections)
			}
			text := issued(t, view, h.Now)
			if got := strings.Contains(text, "longer"); got != (want.told != "") {
				t.Error(text)
			}
			if found := engram.Validate([]byte(text), true); len(found) != 0 {
				t.Errorf("it is not valid: %v", found)
			}
			for _, since := range []time.Time{before.Add(-time.Second), pending} {
				if got := differs(h.step(want.who, engram.Query{}, &since)); got != "C "+want.told+" rejected" {
					t.Errorf("%q", got)
				}
			}
		})
	}
	h.Healthy()
}
