package vault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// agentOf is a draft of an agent.
func agentOf(id, says string) vault.AgentDraft {
	return vault.AgentDraft{KeptAgent: vault.KeptAgent{ID: id, Digest: says, Came: says, Name: id, Signer: "did:key:z", Document: []byte(says)}}
}

// keepAgents keeps two agents, one of two revisions, and a checkpoint.
func (h *house) keepAgents() {
	h.t.Helper()
	for _, d := range []vault.AgentDraft{agentOf("a", "one"), agentOf("a", "two"), agentOf("b", "other")} {
		if _, _, err := h.KeepAgent(h.ctx, h.owner(), d); err != nil {
			h.t.Fatal(err)
		}
	}
	h.land("x", "a", "1")
}

func (h *house) land(id, agent, jti string) {
	h.t.Helper()
	h.landing(vault.Landing{State: vault.KeptState{ID: id, Agent: agent, Document: []byte("state " + id)}}, jti)
}

// landing lets a checkpoint land by the definition that is in force.
func (h *house) landing(l vault.Landing, jti string) {
	h.t.Helper()
	agent, err := h.KeptAgent(h.ctx, h.owner(), l.State.Agent, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	l.Revision, l.Same = agent.Revision, func([]byte) bool { return false }
	l.Token = vault.SpentToken{Issuer: "i", JTI: jti, Until: h.now}
	if _, err := h.ReceiveState(h.ctx, h.owner(), l); err != nil {
		h.t.Fatal(err)
	}
}

// keptOf says what is kept of an owner's agents: every revision and every checkpoint.
func (h *house) keptOf(owner memory.DID) (all []string) {
	h.t.Helper()
	err := h.store.View(h.ctx, owner, func(r store.Reader) error {
		list, err := r.AgentList("", 99)
		for _, newest := range list {
			for n := int64(1); n <= newest.Revision; n++ {
				a, err := r.Agent(newest.ID, n)
				all = append(all, fmt.Sprint(a.ID, n, " ", string(a.Document), a.Received, err))
			}
		}
		states, err2 := r.StateList("", store.StatePlace{}, 99)
		for _, s := range states {
			full, err := r.State(s.ID)
			all = append(all, fmt.Sprint(full.ID, full.Agent, string(full.Document), full.Received, err))
		}
		if err == nil {
			err = err2
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func TestRekeyCarriesAgents(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		l := lived(t, open)
		l.keepAgents()
		own := agentOf("own", "mine")
		own.Signer = string(l.key.DID())
		if _, _, err := l.KeepAgent(l.ctx, l.owner(), own); err != nil {
			t.Fatal(err)
		}
		want := l.keptOf(l.key.DID())
		next, _ := l.rekey(seeded(t, 8))
		if k, err := next.KeptAgent(next.ctx, next.owner(), "own", 0); err != nil || k.Signer != string(next.key.DID()) {
			t.Errorf("what the owner signed is signed by %s, %v", k.Signer, err)
		}
		if diff := cmp.Diff(want, next.keptOf(next.key.DID())); diff != "" || len(want) != 5 {
			t.Errorf("under the new key (-want +got):\n%s", diff)
		}
		if left := l.keptOf(l.key.DID()); len(left) > 0 {
			t.Errorf("left under the old key: %q", left)
		}
		if findings, err := next.Health(next.ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
}

// TestRekeyOfAgentsTakenBack goes over to an owner who has agents of its own, and is
// given up: these stay, and nothing else does.
func TestRekeyOfAgentsTakenBack(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		old := open(t)
		old.keepAgents()
		home := old.under(seeded(t, 8))
		home.pass(1)
		home.now = home.now.AddDate(0, 0, 1)
		for _, d := range []vault.AgentDraft{agentOf("a", "mine"), agentOf("b", "other")} {
			if _, _, err := home.KeepAgent(home.ctx, home.owner(), d); err != nil {
				t.Fatal(err)
			}
		}
		want := home.keptOf(home.key.DID())
		if _, err := home.Rekey(home.ctx, old.owner(), home.key, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(home.keptOf(home.key.DID()), "\n"); !strings.Contains(got, "a1 mine") || !strings.Contains(got, "a2 one") || !strings.Contains(got, "a3 two") {
			t.Errorf("carried over:\n%s", got)
		}
		if err := home.AbandonRekey(home.ctx, old.owner(), home.key.DID()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, home.keptOf(home.key.DID())); diff != "" {
			t.Errorf("once it is given up (-want +got):\n%s", diff)
		}
		if kept := home.keptOf(old.key.DID()); len(kept) != 4 {
			t.Errorf("the old owner has %q", kept)
		}
	})
}
