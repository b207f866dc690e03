package agentstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// spending lets a checkpoint land, by a token that is good for some minutes more.
func (h *house) spending() agentstore.Landing {
	h.T.Helper()
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "one")); err != nil {
		h.T.Fatal(err)
	}
	l := agentstore.Landing{State: agentstore.KeptState{ID: "x", Agent: "a", Document: []byte(`{}`)}, Revision: 1,
		Token: agentstore.SpentToken{Issuer: "Zanzibarian", JTI: "Flumberwick", Until: h.Now.Add(time.Hour)}, Same: func([]byte) bool { return true }}
	if _, err := h.ReceiveState(h.Ctx, h.Me(), l); err != nil {
		h.T.Fatal(err)
	}
	return l
}

// spentStill expects the token of a checkpoint to be refused, once its agent is there again.
func (h *house) spentStill(l agentstore.Landing) {
	h.T.Helper()
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "one")); err != nil {
		h.T.Fatal(err)
	}
	if err := h.TokenSpent(h.Ctx, h.Me(), l.Token); !errors.Is(err, agentstore.ErrSpent) {
		h.T.Errorf("asked for, it is %v", err)
	}
	if _, err := h.ReceiveState(h.Ctx, h.Me(), l); !errors.Is(err, agentstore.ErrSpent) {
		h.T.Errorf("used, it is %v", err)
	}
}

func TestSpentStays(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		t.Run("AAIF-8.2-8 a rekey makes no token good again", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			if _, err := h.RemoveState(h.Ctx, h.Me(), "x"); err != nil {
				t.Fatal(err)
			}
			next, _ := h.rekey(vaulttest.Seeded(t, 8))
			next.spentStill(l)
			next.Now = l.Token.Until.Add(time.Second)
			if _, err := next.ReceiveState(next.Ctx, next.Me(), l); err != nil {
				t.Errorf("once nobody would take it any more: %v", err)
			}
		})
		t.Run("AAIF-8.2-8 an erasure makes no token good again, and names no issuer", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			if cleared, err := h.EraseOwner(h.Ctx, h.Me()); err != nil || cleared != h.Clears() {
				t.Fatalf("cleared %v, %v", cleared, err)
			}
			if h.Path != "" && h.liesIn("Zanzibarian") {
				t.Error("it lies in the files")
			}
			h.spentStill(l)
			h.Now = l.Token.Until.Add(time.Second)
			if _, err := h.EraseOwner(h.Ctx, h.Me()); err != nil {
				t.Fatal(err)
			}
			h.marks(0)
			if findings, err := h.Health(h.Ctx); err != nil || len(findings) > 0 {
				t.Errorf("the store has %q, %v", findings, err)
			}
		})
		t.Run("AAIF-8.2-8 what an earlier release filed counts", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			clear := agentstore.SpentToken{Issuer: "Zanzibarian", JTI: "older", Until: l.Token.Until}
			if err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error { return w.AgentKeeper().Spend(clear, h.Now) }); err != nil {
				t.Fatal(err)
			}
			l.Token = clear
			if err := h.TokenSpent(h.Ctx, h.Me(), clear); !errors.Is(err, agentstore.ErrSpent) {
				t.Errorf("it is %v", err)
			}
			next, _ := h.rekey(vaulttest.Seeded(t, 8))
			next.spentStill(l)
			next.marks(2)
		})
	})
}

// marks expects a number of tokens to be remembered as spent.
func (h *house) marks(want int) {
	h.T.Helper()
	var got []store.Spent
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) (err error) {
		got, err = r.Agents().SpentList(time.Time{})
		return err
	})
	if err != nil || len(got) != want {
		h.T.Errorf("remembered: %v, %v", got, err)
	}
}
