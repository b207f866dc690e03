package vault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestErasersWait lets something of an owner leave while the owner is erased, in each
// of the ways there are: who erases waits for it, and nothing leaves afterwards.
func TestErasersWait(t *testing.T) {
	racing.Skip(t)
	onEach(t, testErasersWait)
}

func testErasersWait(t *testing.T, open opener) {
	ada, eve := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	for name, prepare := range map[string]func(*testing.T) (*house, memory.DID, func(*house) error){
		"an erasure of everything": func(t *testing.T) (*house, memory.DID, func(*house) error) {
			h := open(t)
			h.Tell("it goes")
			return h, h.Key.DID(), func(h *house) error { _, err := h.EraseBrain(h.Ctx, h.Me()); return err }
		},
		"the removal of an owner": func(t *testing.T) (*house, memory.DID, func(*house) error) {
			h := open.shared(t)
			h.Add(ada, store.Quota{})
			if _, err := h.Says(h.Admitted(ada), "hers goes"); err != nil {
				t.Fatal(err)
			}
			return h, ada.DID(), func(h *house) error { _, err := h.RemoveOwner(h.Ctx, h.Me(), ada.DID()); return err }
		},
		"the end of a change of keys": func(t *testing.T) (*house, memory.DID, func(*house) error) {
			h := open(t)
			h.Tell("it goes over")
			if _, err := h.Rekey(h.Ctx, h.Me(), eve, nil); err != nil {
				t.Fatal(err)
			}
			return h, h.Key.DID(), func(h *house) error { _, err := h.under(eve).FinishRekey(h.Ctx, h.Me(), eve.DID()); return err }
		},
		"a change of keys that is given up": func(t *testing.T) (*house, memory.DID, func(*house) error) {
			h := open(t)
			h.Tell("it comes back")
			if _, err := h.Rekey(h.Ctx, h.Me(), eve, nil); err != nil {
				t.Fatal(err)
			}
			return h, eve.DID(), func(h *house) error { return h.AbandonRekey(h.Ctx, h.Me(), eve.DID()) }
		},
	} {
		t.Run("AIMEM-5.2-4 "+name+" waits for what leaves", func(t *testing.T) {
			h, owner, erase := prepare(t)
			k := h.Store.(store.Gatekeeper)
			before, finish := held(t, k, owner)
			ended := make(chan error, 1)
			go func() { ended <- erase(h) }()
			for begun := before; begun == before; time.Sleep(time.Millisecond) {
				var err error
				if begun, err = k.Erasures(context.Background(), owner); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-ended:
					t.Fatalf("it did not wait: %v", err)
				default:
				}
			}
			select {
			case err := <-ended:
				t.Fatalf("it did not wait: %v", err)
			case <-time.After(100 * time.Millisecond):
			}
			finish()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			err := k.Emit(t.Context(), owner, before, func() error { t.Error("something leaves afterwards"); return nil })
			if !errors.Is(err, store.ErrErased) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// held lets something of an owner leave until finish is called.
func held(t *testing.T, k store.Gatekeeper, owner memory.DID) (erasures int64, finish func()) {
	t.Helper()
	erasures, err := k.Erasures(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- k.Emit(context.Background(), owner, erasures, func() error { close(begun); <-end; return nil })
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatal(err)
	}
	return erasures, func() {
		close(end)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
