package belief_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestProposeAll(t *testing.T) {
	racing.Skip(t)
	onEach(t, testProposeAll)
}

func testProposeAll(t *testing.T, open opener) {
	h := open(t)
	style, diet := h.states(engram.Communication, "email_style", "short"), h.states(engram.Health, "diet", "no nuts")
	runtime := h.assistant(engram.Professional)
	list := []engram.Proposal{h.proposal(style, "long"), h.proposal(style, "long"), h.proposal(style, "longer"), h.proposal(diet, "nuts"), {Belief: style.ID}}
	t.Run("ENGRAM-12.4-1 atomic, one that is refused keeps all from being recorded", func(t *testing.T) {
		before := h.Contents()
		done, err := h.ProposeAll(h.Ctx, runtime, list, true)
		if err != nil || len(done) != 5 || done[0].Correction.ID != "" || done[0].Err != nil || faultOf(done[3].Err) != engram.BeliefNotFound || h.Contents() != before {
			t.Errorf("%+v, %v", done, err)
		}
	})
	t.Run("ENGRAM-12.4-1 otherwise each has its own result, and the same twice is one correction", func(t *testing.T) {
		done, err := h.ProposeAll(h.Ctx, runtime, list, false)
		if err != nil || len(done) != 5 {
			t.Fatalf("%+v, %v", done, err)
		}
		first, second, third := done[0].Correction, done[1].Correction, done[2].Correction
		if first.ID == "" || first.ID != second.ID || first.ID == third.ID || first.Old != "" {
			t.Errorf("%+v %+v %+v", first, second, third)
		}
		if faultOf(done[3].Err) != engram.BeliefNotFound || faultOf(done[4].Err) != engram.InvalidRequest {
			t.Errorf("%v, %v", done[3].Err, done[4].Err)
		}
		if len(h.waiting()) != 2 {
			t.Errorf("%+v", h.waiting())
		}
	})
	t.Run("ENGRAM-12.4-1 what waits for one belief is bounded within a batch", func(t *testing.T) {
		var many []engram.Proposal
		for i := range 70 {
			many = append(many, h.proposal(style, fmt.Sprint("variant ", i)))
		}
		done, err := h.ProposeAll(h.Ctx, runtime, many, false)
		if err != nil || done[61].Err != nil || faultOf(done[62].Err) != engram.RateLimited || len(h.waiting()) != 64 {
			t.Errorf("%v, %v, %d wait", err, done[61:63], len(h.waiting()))
		}
	})
	_, err := h.ProposeAll(h.Ctx, h.Granted(memory.Grant{Verbs: memory.Verbs()}), list, false)
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	h.Healthy()
}
