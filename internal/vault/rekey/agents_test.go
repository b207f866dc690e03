package rekey_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// keepAgents keeps two agents, one of two revisions, and a checkpoint.
func (h *house) keepAgents() {
	h.T.Helper()
	for _, d := range []agentstore.AgentDraft{vaulttest.AgentOf("a", "one"), vaulttest.AgentOf("a", "two"), vaulttest.AgentOf("b", "other")} {
		if _, _, err := h.KeepAgent(h.Ctx, h.Me(), d); err != nil {
			h.T.Fatal(err)
		}
	}
	h.land("x", "a", "1")
}

func (h *house) land(id, agent, jti string) {
	h.T.Helper()
	h.Landing(agentstore.Landing{State: agentstore.KeptState{ID: id, Agent: agent, Document: []byte("state " + id)}}, jti)
}

func TestRekeyCarriesAgents(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		l := vaulttest.Lived(t, open.suite())
		houseOf(l).keepAgents()
		own := vaulttest.AgentOf("own", "mine")
		own.Signer = string(l.Key.DID())
		if _, _, err := l.KeepAgent(l.Ctx, l.Me(), own); err != nil {
			t.Fatal(err)
		}
		want := l.KeptOf(l.Key.DID())
		next, _ := houseOf(l).rekey(vaulttest.Seeded(t, 8))
		if k, err := next.KeptAgent(next.Ctx, next.Me(), "own", 0); err != nil || k.Signer != string(next.Key.DID()) {
			t.Errorf("what the owner signed is signed by %s, %v", k.Signer, err)
		}
		if diff := cmp.Diff(want, next.KeptOf(next.Key.DID())); diff != "" || len(want) != 5 {
			t.Errorf("under the new key (-want +got):\n%s", diff)
		}
		if left := l.KeptOf(l.Key.DID()); len(left) > 0 {
			t.Errorf("left under the old key: %q", left)
		}
		if findings, err := next.Health(next.Ctx); err != nil || len(findings) > 0 {
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
		home := old.under(vaulttest.Seeded(t, 8))
		home.Pass(1)
		home.Now = home.Now.AddDate(0, 0, 1)
		for _, d := range []agentstore.AgentDraft{vaulttest.AgentOf("a", "mine"), vaulttest.AgentOf("b", "other")} {
			if _, _, err := home.KeepAgent(home.Ctx, home.Me(), d); err != nil {
				t.Fatal(err)
			}
		}
		want := home.KeptOf(home.Key.DID())
		if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(home.KeptOf(home.Key.DID()), "\n"); !strings.Contains(got, "a1 mine") || !strings.Contains(got, "a2 one") || !strings.Contains(got, "a3 two") {
			t.Errorf("carried over:\n%s", got)
		}
		if err := home.AbandonRekey(home.Ctx, old.Me(), home.Key.DID()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, home.KeptOf(home.Key.DID())); diff != "" {
			t.Errorf("once it is given up (-want +got):\n%s", diff)
		}
		if kept := home.KeptOf(old.Key.DID()); len(kept) != 4 {
			t.Errorf("the old owner has %q", kept)
		}
	})
}
