package vault_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// spending lets a checkpoint land, by a token that is good for some minutes more.
func (h *house) spending() vault.Landing {
	h.t.Helper()
	if _, _, err := h.KeepAgent(h.ctx, h.owner(), agentOf("a", "one")); err != nil {
		h.t.Fatal(err)
	}
	l := vault.Landing{State: vault.KeptState{ID: "x", Agent: "a", Document: []byte(`{}`)}, Revision: 1,
		Token: vault.SpentToken{Issuer: "Zanzibarian", JTI: "Flumberwick", Until: h.now.Add(time.Hour)}, Same: func([]byte) bool { return true }}
	if _, err := h.ReceiveState(h.ctx, h.owner(), l); err != nil {
		h.t.Fatal(err)
	}
	return l
}

// spentStill expects the token of a checkpoint to be refused, once its agent is there again.
func (h *house) spentStill(l vault.Landing) {
	h.t.Helper()
	if _, _, err := h.KeepAgent(h.ctx, h.owner(), agentOf("a", "one")); err != nil {
		h.t.Fatal(err)
	}
	if err := h.TokenSpent(h.ctx, h.owner(), l.Token); !errors.Is(err, vault.ErrSpent) {
		h.t.Errorf("asked for, it is %v", err)
	}
	if _, err := h.ReceiveState(h.ctx, h.owner(), l); !errors.Is(err, vault.ErrSpent) {
		h.t.Errorf("used, it is %v", err)
	}
}

func TestSpentStays(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		t.Run("AAIF-8.2-8 a rekey makes no token good again", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			if _, err := h.RemoveState(h.ctx, h.owner(), "x"); err != nil {
				t.Fatal(err)
			}
			next, _ := h.rekey(seeded(t, 8))
			next.spentStill(l)
			next.now = l.Token.Until.Add(time.Second)
			if _, err := next.ReceiveState(next.ctx, next.owner(), l); err != nil {
				t.Errorf("once nobody would take it any more: %v", err)
			}
		})
		t.Run("AAIF-8.2-8 an erasure makes no token good again, and names no issuer", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			if cleared, err := h.EraseOwner(h.ctx, h.owner()); err != nil || cleared != h.clears() {
				t.Fatalf("cleared %v, %v", cleared, err)
			}
			if h.path != "" && h.liesIn("Zanzibarian") {
				t.Error("it lies in the files")
			}
			h.spentStill(l)
			h.now = l.Token.Until.Add(time.Second)
			if _, err := h.EraseOwner(h.ctx, h.owner()); err != nil {
				t.Fatal(err)
			}
			h.marks(0)
			if findings, err := h.Health(h.ctx); err != nil || len(findings) > 0 {
				t.Errorf("the store has %q, %v", findings, err)
			}
		})
		t.Run("AAIF-8.2-8 what an earlier release filed counts", func(t *testing.T) {
			h := open(t)
			l := h.spending()
			clear := vault.SpentToken{Issuer: "Zanzibarian", JTI: "older", Until: l.Token.Until}
			if err := h.store.Update(h.ctx, h.key.DID(), func(w store.Writer) error { return w.Spend(clear, h.now) }); err != nil {
				t.Fatal(err)
			}
			l.Token = clear
			if err := h.TokenSpent(h.ctx, h.owner(), clear); !errors.Is(err, vault.ErrSpent) {
				t.Errorf("it is %v", err)
			}
			next, _ := h.rekey(seeded(t, 8))
			next.spentStill(l)
			next.marks(2)
		})
	})
}

// marks expects a number of tokens to be remembered as spent.
func (h *house) marks(want int) {
	h.t.Helper()
	var got []store.Spent
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) (err error) {
		got, err = r.SpentList(time.Time{})
		return err
	})
	if err != nil || len(got) != want {
		h.t.Errorf("remembered: %v, %v", got, err)
	}
}
