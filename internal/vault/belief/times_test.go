package belief_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

func TestTimesOfStrangers(t *testing.T) { onEach(t, testTimesOfStrangers) }

// testTimesOfStrangers offers times that no record can hold: what was stored of them
// could never be read again.
func testTimesOfStrangers(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short")
	for _, year := range []int{0, 10_000} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		p := h.proposal(b, "longer")
		p.ObservedAt = at
		_, err := h.Propose(h.Ctx, h.assistant(engram.Full), p)
		if f, ok := errors.AsType[*engram.Fault](err); !ok || f.Rule != "ENGRAM-3.9-CORR-8" {
			t.Errorf("the year %d: %v", year, err)
		}
		if len(h.waiting()) != 0 {
			t.Errorf("a proposal of the year %d waits", year)
		}
		doc := passportOfElsewhere()
		doc.Beliefs[1].CreatedAt = at
		_, _ = h.ImportContext(h.Ctx, h.Me(), doc, false) // whole or not at all, and never damaged
		h.Healthy()
	}
}
