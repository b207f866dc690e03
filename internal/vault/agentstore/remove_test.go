package agentstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// removing keeps two agents, and checkpoints of both.
func (h *house) removing() {
	h.T.Helper()
	for _, d := range []agentstore.AgentDraft{vaulttest.AgentOf("a", "Zanzibarian pomelo"), vaulttest.AgentOf("a", "Another of Zanzibarian"), vaulttest.AgentOf("b", "other")} {
		if _, _, err := h.KeepAgent(h.Ctx, h.Me(), d); err != nil {
			h.T.Fatal(err)
		}
	}
	for i, agent := range []string{"a", "b", "a"} {
		h.Landing(agentstore.Landing{State: agentstore.KeptState{ID: fmt.Sprint("x", i), Agent: agent, Document: fmt.Appendf(nil, "Flumberwick %d", i)}}, fmt.Sprint(i))
	}
}

func TestRemoveAgent(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.removing()
		t.Run("one checkpoint", func(t *testing.T) {
			done, err := h.RemoveState(h.Ctx, h.Me(), "x0")
			if err != nil || done.States != 1 || done.Revisions != 0 {
				t.Fatalf("got %+v, %v", done, err)
			}
			if _, err := h.KeptState(h.Ctx, h.Me(), "x0"); memory.KindOf(err) != memory.NotFound {
				t.Errorf("got %v", err)
			}
			if e := h.Logged(audit.Remove); e.Agent != h.AuditMark(h.Me(), "a") || fmt.Sprint(e.Records) != fmt.Sprint([]string{h.AuditMark(h.Me(), "x0")}) {
				t.Errorf("logged %+v", e)
			}
			_, err = h.RemoveState(h.Ctx, h.Me(), "x0")
			vaulttest.WantKind(t, err, memory.NotFound)
		})
		t.Run("AAIF-8.2-8 its token stays spent", func(t *testing.T) {
			if err := h.TokenSpent(h.Ctx, h.Me(), agentstore.SpentToken{Issuer: "i", JTI: "0"}); !errors.Is(err, agentstore.ErrSpent) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("an agent with everything of it", func(t *testing.T) {
			done, err := h.RemoveAgent(h.Ctx, h.Me(), "a")
			if err != nil || done.Revisions != 2 || done.States != 1 {
				t.Fatalf("got %+v, %v", done, err)
			}
			if left := h.KeptOf(h.Key.DID()); len(left) != 2 {
				t.Errorf("left: %q", left)
			}
			if h.Path != "" && (done.Pending || h.liesIn("Zanzibarian") || h.liesIn("Flumberwick 0") || h.liesIn("Flumberwick 2") || !h.liesIn("Flumberwick 1")) {
				t.Error("it lies in the files")
			}
			if e := h.Logged(audit.Remove); e.Agent != h.AuditMark(h.Me(), "a") || e.Count != 3 || len(e.Records) != 1 {
				t.Errorf("logged %+v", e)
			}
			_, err = h.RemoveAgent(h.Ctx, h.Me(), "a")
			vaulttest.WantKind(t, err, memory.NotFound)
		})
		if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
		for _, c := range []memory.Caller{h.Agent(), h.Peer()} {
			_, err := h.RemoveAgent(h.Ctx, c, "b")
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.RemoveState(h.Ctx, c, "x1")
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
	})
}

// TestRevisionsComeAgain keeps A, B and A, and A is the newest, wherever it goes.
func TestRevisionsComeAgain(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		for _, says := range []string{"A", "B", "A", "A"} {
			if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", says)); err != nil {
				t.Fatal(err)
			}
		}
		newest := func(h *house) string {
			a, err := h.KeptAgent(h.Ctx, h.Me(), "a", 0)
			return fmt.Sprint(a.Revision, string(a.Document), err)
		}
		if got := newest(h); got != "3A<nil>" {
			t.Errorf("AAIF-4.1-6: the newest is %s", got)
		}
		next, _ := h.rekey(vaulttest.Seeded(t, 8))
		if got := newest(next); got != "3A<nil>" {
			t.Errorf("under the new key the newest is %s", got)
		}
	})
}

// TestAlteredAgents changes rows of agents outside of satchel: none is passed over, and
// all can be removed.
func TestAlteredAgents(t *testing.T) {
	for name, change := range map[string]string{
		"a definition": `UPDATE agents SET document = CAST('Another of Zanzibarien' AS BLOB) WHERE id = 'a' AND revision = 2`,
		"a checkpoint": `UPDATE states SET document = CAST('Flumberwick 9' AS BLOB) WHERE id = 'x0'`,
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.removing()
			h.Edit(change)
			if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil); memory.KindOf(err) != memory.SignatureInvalid {
				t.Errorf("AAIF-12-10: rekey passes it over: %v", err)
			}
			seals := vaulttest.AgentOf("a", "sealing")
			seals.Seal = true
			if _, _, err := h.KeepAgent(h.Ctx, h.Me(), seals); memory.KindOf(err) != memory.SignatureInvalid {
				t.Errorf("AAIF-12-10: sealing passes it over: %v", err)
			}
			if found, err := h.Health(h.Ctx); err != nil || len(found) == 0 {
				t.Errorf("doctor says %q, %v", found, err)
			}
			if done, err := h.RemoveAgent(h.Ctx, h.Me(), "a"); err != nil || done.Revisions != 2 || done.States != 2 {
				t.Errorf("got %+v, %v", done, err)
			}
			if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
				t.Errorf("once it is removed doctor says %q, %v", found, err)
			}
		})
	}
}
