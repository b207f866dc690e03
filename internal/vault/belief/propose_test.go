package belief_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// states lets the owner state a belief that nothing contradicts.
func (h *house) states(c engram.Category, key, text string) engram.Belief {
	h.T.Helper()
	done, err := h.Believe(h.Ctx, h.Me(), engram.Belief{Category: c, Key: key, Text: text}, false)
	if err != nil || done.Contradicts != nil || done.Unchanged {
		h.T.Fatalf("believe %s: %+v, %v", key, done, err)
	}
	return done.Belief
}

// assistant is who holds a token that opens a part of the context, and may propose.
func (h *house) assistant(scope engram.Scope) memory.Caller {
	return h.Granted(memory.Grant{
		ID: "assistant", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb},
		Runtime: &memory.Runtime{Name: "Open Claw", Scope: string(scope)}, Expires: h.Now.Add(time.Hour),
	})
}

// proposal is what an assistant proposes for a belief.
func (h *house) proposal(b engram.Belief, value string) engram.Proposal {
	return engram.Proposal{Belief: b.ID, New: value, Context: "said in a session about investors", Runtime: "openclaw-v2026.4", ObservedAt: h.Now.Add(-time.Minute)}
}

func (h *house) proposes(b engram.Belief, value string) engram.Correction {
	h.T.Helper()
	k, err := h.Propose(h.Ctx, h.assistant(engram.Full), h.proposal(b, value))
	if err != nil {
		h.T.Fatalf("propose: %v", err)
	}
	return k
}

// waiting are the proposals that wait for the owner.
func (h *house) waiting() []engram.Case {
	h.T.Helper()
	list, err := h.Corrections(h.Ctx, h.Me(), true)
	if err != nil {
		h.T.Fatal(err)
	}
	return list
}

func TestPropose(t *testing.T) { onEach(t, testPropose) }

func testPropose(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short and direct")
	h.Pass(time.Minute)
	k := h.proposes(b, "longer for investors")
	t.Run("ENGRAM-3.9-CORR-1 ENGRAM-3.9-CORR-20 a proposal is a correction by runtime that waits", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		if len(view.Corrections) != 1 {
			t.Fatalf("%+v", view.Corrections)
		}
		got := view.Corrections[0]
		if got.ID != k.ID || !engram.IsID(k.ID) || got.By != engram.ByRuntime || got.Method != engram.Implicit || got.Status != engram.Pending ||
			got.Old != "short and direct" || got.New != "longer for investors" || got.Runtime != "openclaw-v2026.4" || got.Belief != b.ID {
			t.Errorf("%+v", got)
		}
		if !got.CorrectedAt.Equal(h.Now) || !got.ObservedAt.Equal(h.Now.Add(-time.Minute)) {
			t.Errorf("ENGRAM-3.9-CORR-8: corrected %v, observed %v", got.CorrectedAt, got.ObservedAt)
		}
		if k.Old != "" {
			t.Errorf("the runtime is told the old value: %+v", k)
		}
	})
	t.Run("ENGRAM-3.9-CORR-2 nothing of the belief changes", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		got, _ := beliefOf(view, b.ID)
		if got.Text != b.Text || got.Source != b.Source || got.Confidence != b.Confidence || !got.LastConfirmed.Equal(b.LastConfirmed) || len(view.Evolution) != 0 {
			t.Errorf("%+v was %+v; %+v", got, b, view.Evolution)
		}
	})
	t.Run("ENGRAM-3.9-CORR-3 no surface tells it as fact", func(t *testing.T) {
		for name, text := range h.Everywhere() {
			if strings.Contains(text, "longer") || !strings.Contains(text, "short and direct") {
				t.Errorf("%s tells: %s", name, text)
			}
		}
	})
	t.Run("ENGRAM-3.9-CORR-9 ENGRAM-3.9-CORR-6 the owner sees who proposes what and why", func(t *testing.T) {
		list := h.waiting()
		if len(list) != 1 || list[0].Runtime != "openclaw-v2026.4" || list[0].Key != "email_style" || list[0].Category != engram.Communication ||
			list[0].Now != "short and direct" || list[0].New != "longer for investors" || list[0].Context != "said in a session about investors" {
			t.Errorf("%+v", list)
		}
	})
	t.Run("E-11 the same proposal again is the same correction, another is another", func(t *testing.T) {
		if again := h.proposes(b, "longer for investors"); again.ID != k.ID {
			t.Errorf("%s and %s", k.ID, again.ID)
		}
		if len(h.waiting()) != 1 {
			t.Errorf("%+v", h.waiting())
		}
		if other := h.proposes(b, "longer for everybody"); other.ID == k.ID || len(h.waiting()) != 2 {
			t.Errorf("%+v", h.waiting())
		}
	})
	t.Run("the audit log says that it was proposed, and by which token", func(t *testing.T) {
		if e := h.LastAudit(); e.Act != "propose" || e.Who != "token:assistant" {
			t.Errorf("%+v", e)
		}
	})
	h.Healthy()
}

func TestProposeRefuses(t *testing.T) {
	racing.Skip(t)
	onEach(t, testProposeRefuses)
}

func testProposeRefuses(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Health, "allergy", "nuts")
	own := h.states(engram.Communication, "email_style", "short")
	kept := h.Tell("kept here", `"consent":{"exportable":false}`)
	gone := h.states(engram.Communication, "greeting", "hello")
	if _, err := h.Delete(h.Ctx, h.Me(), gone.ID); err != nil {
		t.Fatal(err)
	}
	before := h.Count()
	full := h.assistant(engram.Full)
	reading := h.runtime(memory.Runtime{Name: "r", Scope: "full"})
	for name, test := range map[string]struct {
		as   memory.Caller
		with func(*engram.Proposal)
		code engram.Code
		kind memory.ErrorKind
	}{
		"ENGRAM-3.9-CORR-4 without a belief":                      {full, func(p *engram.Proposal) { p.Belief = "" }, engram.InvalidRequest, ""},
		"ENGRAM-3.9-CORR-4 ENGRAM-3.9-ERR-12 of no belief":        {full, func(p *engram.Proposal) { p.Belief = "b_999" }, engram.BeliefNotFound, ""},
		"ENGRAM-3.9-CORR-5 without a value":                       {full, func(p *engram.Proposal) { p.New = " " }, engram.InvalidRequest, ""},
		"ENGRAM-3.9-CORR-5 with too long a value":                 {full, func(p *engram.Proposal) { p.New = strings.Repeat("x", 20_000) }, engram.InvalidRequest, ""},
		"ENGRAM-3.9-CORR-7 without a runtime":                     {full, func(p *engram.Proposal) { p.Runtime = "" }, engram.InvalidRequest, ""},
		"ENGRAM-3.9-CORR-8 without a time":                        {full, func(p *engram.Proposal) { p.ObservedAt = time.Time{} }, engram.InvalidRequest, ""},
		"ENGRAM-3.9-CORR-15 of a deleted belief":                  {full, func(p *engram.Proposal) { p.Belief = gone.ID }, engram.BeliefNotFound, ""},
		"ENGRAM-3.9-CORR-16 outside of the scope":                 {h.assistant(engram.Professional), func(p *engram.Proposal) { p.Belief = b.ID }, engram.BeliefNotFound, ""},
		"ENGRAM-3.9-CORR-16 of what leaves in no export":          {full, func(p *engram.Proposal) { p.Belief = engram.IDFrom("engram-ump:" + string(kept)) }, engram.BeliefNotFound, ""},
		"ENGRAM-3.9-AUTH-5 with a token that only reads":          {reading, func(*engram.Proposal) {}, "", memory.ForbiddenScope},
		"ENGRAM-3.9-AUTH-5 with a token that is for no runtime":   {h.Granted(memory.Grant{Verbs: memory.Verbs()}), func(*engram.Proposal) {}, "", memory.ForbiddenScope},
		"ENGRAM-3.9-AUTH-2 without a token":                       {memory.Caller{Owner: h.Key.DID(), Role: memory.Stranger}, func(*engram.Proposal) {}, "", memory.ForbiddenScope},
		"ENGRAM-3.9-ERR-5 in the memory of somebody else's owner": {memory.Caller{Role: memory.Agent}, func(*engram.Proposal) {}, "", memory.Unauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			p := h.proposal(own, "long")
			test.with(&p)
			_, err := h.Propose(h.Ctx, test.as, p)
			if test.code != "" && faultOf(err) != test.code || test.kind != "" && memory.KindOf(err) != test.kind || err == nil {
				t.Errorf("%v", err)
			}
			if strings.Contains(fmt.Sprint(err), "nuts") {
				t.Errorf("it tells: %v", err)
			}
		})
	}
	if h.Count() != before || len(h.waiting()) != 0 {
		t.Errorf("%d records, %d before; waiting %+v", h.Count(), before, h.waiting())
	}
	t.Run("ENGRAM-3.9-CORR-3 one belief has so many proposals at most", func(t *testing.T) {
		for i := range 64 {
			h.proposes(own, fmt.Sprint("variant ", i))
		}
		_, err := h.Propose(h.Ctx, full, h.proposal(own, "one more"))
		if faultOf(err) != engram.RateLimited {
			t.Error(err)
		}
	})
	t.Run("an agent of the owner's may propose", func(t *testing.T) {
		if _, err := h.Propose(h.Ctx, h.Agent(), h.proposal(b, "nuts and eggs")); err != nil {
			t.Error(err)
		}
	})
	h.Healthy()
}

func TestReadOnlyGoverns(t *testing.T) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short")
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Key: h.Holds, Now: func() time.Time { return h.Now }, ReadOnly: true, Owner: h.Key.DID()})
	_, err := belief.Of(v).Propose(h.Ctx, h.Agent(), h.proposal(b, "long"))
	vaulttest.WantKind(t, err, memory.Unsupported)
	_, err = belief.Of(v).Correct(h.Ctx, h.Me(), b.ID, "long", "")
	vaulttest.WantKind(t, err, memory.Unsupported)
}
