package vault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// removing keeps two agents, and checkpoints of both.
func (h *house) removing() {
	h.t.Helper()
	for _, d := range []vault.AgentDraft{agentOf("a", "Zanzibarian pomelo"), agentOf("a", "Another of Zanzibarian"), agentOf("b", "other")} {
		if _, _, err := h.KeepAgent(h.ctx, h.owner(), d); err != nil {
			h.t.Fatal(err)
		}
	}
	for i, agent := range []string{"a", "b", "a"} {
		h.landing(vault.Landing{State: vault.KeptState{ID: fmt.Sprint("x", i), Agent: agent, Document: fmt.Appendf(nil, "Flumberwick %d", i)}}, fmt.Sprint(i))
	}
}

// logged returns the last entry of an act.
func (h *house) logged(act audit.Act) (last audit.Entry) {
	h.t.Helper()
	h.Flush(h.ctx)
	all, err := h.Audit(h.ctx, h.owner(), 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range all {
		if e.Act == act {
			last = e
		}
	}
	return last
}

func TestRemoveAgent(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.removing()
		t.Run("one checkpoint", func(t *testing.T) {
			done, err := h.RemoveState(h.ctx, h.owner(), "x0")
			if err != nil || done.States != 1 || done.Revisions != 0 {
				t.Fatalf("got %+v, %v", done, err)
			}
			if _, err := h.KeptState(h.ctx, h.owner(), "x0"); memory.KindOf(err) != memory.NotFound {
				t.Errorf("got %v", err)
			}
			if e := h.logged(audit.Remove); e.Agent != h.AuditMark(h.owner(), "a") || fmt.Sprint(e.Records) != fmt.Sprint([]string{h.AuditMark(h.owner(), "x0")}) {
				t.Errorf("logged %+v", e)
			}
			_, err = h.RemoveState(h.ctx, h.owner(), "x0")
			wantKind(t, err, memory.NotFound)
		})
		t.Run("AAIF-8.2-8 its token stays spent", func(t *testing.T) {
			if err := h.TokenSpent(h.ctx, h.owner(), vault.SpentToken{Issuer: "i", JTI: "0"}); !errors.Is(err, vault.ErrSpent) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("an agent with everything of it", func(t *testing.T) {
			done, err := h.RemoveAgent(h.ctx, h.owner(), "a")
			if err != nil || done.Revisions != 2 || done.States != 1 {
				t.Fatalf("got %+v, %v", done, err)
			}
			if left := h.keptOf(h.key.DID()); len(left) != 2 {
				t.Errorf("left: %q", left)
			}
			if h.path != "" && (done.Pending || h.liesIn("Zanzibarian") || h.liesIn("Flumberwick 0") || h.liesIn("Flumberwick 2") || !h.liesIn("Flumberwick 1")) {
				t.Error("it lies in the files")
			}
			if e := h.logged(audit.Remove); e.Agent != h.AuditMark(h.owner(), "a") || e.Count != 3 || len(e.Records) != 1 {
				t.Errorf("logged %+v", e)
			}
			_, err = h.RemoveAgent(h.ctx, h.owner(), "a")
			wantKind(t, err, memory.NotFound)
		})
		if findings, err := h.Health(h.ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
		for _, c := range []memory.Caller{h.agent(), h.peer()} {
			_, err := h.RemoveAgent(h.ctx, c, "b")
			wantKind(t, err, memory.ForbiddenScope)
			_, err = h.RemoveState(h.ctx, c, "x1")
			wantKind(t, err, memory.ForbiddenScope)
		}
	})
}

// TestRevisionsComeAgain keeps A, B and A, and A is the newest, wherever it goes.
func TestRevisionsComeAgain(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		for _, says := range []string{"A", "B", "A", "A"} {
			if _, _, err := h.KeepAgent(h.ctx, h.owner(), agentOf("a", says)); err != nil {
				t.Fatal(err)
			}
		}
		newest := func(h *house) string {
			a, err := h.KeptAgent(h.ctx, h.owner(), "a", 0)
			return fmt.Sprint(a.Revision, string(a.Document), err)
		}
		if got := newest(h); got != "3A<nil>" {
			t.Errorf("AAIF-4.1-6: the newest is %s", got)
		}
		next, _ := h.rekey(seeded(t, 8))
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
			h.edit(change)
			if _, err := h.Rekey(h.ctx, h.owner(), seeded(t, 8), nil); memory.KindOf(err) != memory.SignatureInvalid {
				t.Errorf("AAIF-12-10: rekey passes it over: %v", err)
			}
			seals := agentOf("a", "sealing")
			seals.Seal = true
			if _, _, err := h.KeepAgent(h.ctx, h.owner(), seals); memory.KindOf(err) != memory.SignatureInvalid {
				t.Errorf("AAIF-12-10: sealing passes it over: %v", err)
			}
			if found, err := h.Health(h.ctx); err != nil || len(found) == 0 {
				t.Errorf("doctor says %q, %v", found, err)
			}
			if done, err := h.RemoveAgent(h.ctx, h.owner(), "a"); err != nil || done.Revisions != 2 || done.States != 2 {
				t.Errorf("got %+v, %v", done, err)
			}
			if found, err := h.Health(h.ctx); err != nil || len(found) > 0 {
				t.Errorf("once it is removed doctor says %q, %v", found, err)
			}
		})
	}
}
