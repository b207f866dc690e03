package agentstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

const sealedText = `{"say":"Quixotrovian flumberwicks"}`

// sealing keeps an agent and a checkpoint of it that lies sealed.
func (h *house) sealing() {
	h.T.Helper()
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "one")); err != nil {
		h.T.Fatal(err)
	}
	h.Landing(agentstore.Landing{State: agentstore.KeptState{ID: "x", Agent: "a", Document: []byte(sealedText)}, Seal: true}, "1")
}

// stateHere is a checkpoint as the store has it.
func (h *house) stateHere(owner memory.DID, id string) (s store.State) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, owner, func(r store.Reader) (err error) {
		s, err = r.Agents().State(id)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return s
}

// misfile puts another document into the place of a checkpoint, with a row that fits.
func (h *house) misfile(id string, document []byte) {
	h.T.Helper()
	s := h.stateHere(h.Key.DID(), id)
	s.Document = document
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		return errors.Join(w.AgentKeeper().DropState(id), w.AgentKeeper().PutState(s))
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

func TestSealedStates(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.sealing()
		here := h.stateHere(h.Key.DID(), "x").Document
		if bytes.Contains(here, []byte("Quixotrovian")) || h.Path != "" && h.liesIn("Quixotrovian") {
			t.Error("AAIF-12-10: it lies in the clear")
		}
		if s, err := h.KeptState(h.Ctx, h.Me(), "x"); err != nil || string(s.Document) != sealedText {
			t.Errorf("got %+v, %v", s, err)
		}
		t.Run("AAIF-12-10 without the key it does not open", func(t *testing.T) {
			closed := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Owner: h.Key.DID(), Signed: true})
			_, err := agentstore.New(closed).KeptState(h.Ctx, h.Me(), "x")
			if !errors.Is(err, vault.ErrKeyClosed) || memory.KindOf(err) != memory.Unsupported {
				t.Errorf("got %v", err)
			}
		})
		h.Landing(agentstore.Landing{State: agentstore.KeptState{ID: "y", Agent: "a", Document: []byte(`{}`)}, Seal: true}, "2")
		flipped := bytes.Clone(here)
		flipped[len(flipped)/2] ^= 1
		for name, document := range map[string][]byte{"a changed byte": flipped, "cut off": here[:20], "no more than its version": here[:1],
			"another's": h.stateHere(h.Key.DID(), "y").Document} {
			t.Run("AAIF-12-10 a broken seal is told apart: "+name, func(t *testing.T) {
				h.misfile("x", document)
				_, err := h.KeptState(h.Ctx, h.Me(), "x")
				if !errors.Is(err, vault.ErrSealBroken) || memory.KindOf(err) != memory.SignatureInvalid {
					t.Errorf("got %v", err)
				}
				if found, err := h.Health(h.Ctx); err != nil || len(found) != 1 || !strings.Contains(found[0], "checkpoint x") {
					t.Errorf("doctor says %q, %v", found, err)
				}
				if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil); !errors.Is(err, vault.ErrSealBroken) {
					t.Errorf("rekey: %v", err)
				}
				if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("b", "another")); err != nil {
					t.Errorf("a rekey was begun: %v", err)
				}
			})
		}
	})
}

// liesIn reports whether a text lies in the files of a store.
func (h *house) liesIn(text string) bool {
	h.T.Helper()
	files, err := filepath.Glob(h.Path + "*")
	if err != nil || len(files) == 0 {
		h.T.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			h.T.Fatal(err)
		}
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

func TestSealedStatesGoAlong(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		t.Run("AAIF-12-10 a rekey seals them under the new key", func(t *testing.T) {
			h := open(t)
			h.sealing()
			was := h.stateHere(h.Key.DID(), "x").Document
			next, _ := h.rekey(vaulttest.Seeded(t, 8))
			is := next.stateHere(next.Key.DID(), "x").Document
			if bytes.Equal(was, is) || bytes.Contains(is, []byte("Quixotrovian")) {
				t.Error("not sealed anew")
			}
			if s, err := next.KeptState(next.Ctx, next.Me(), "x"); err != nil || string(s.Document) != sealedText {
				t.Errorf("got %+v, %v", s, err)
			}
			if found, err := next.Health(next.Ctx); err != nil || len(found) > 0 {
				t.Errorf("the store has %q, %v", found, err)
			}
		})
		t.Run("AAIF-12-10 a rekey that is given up leaves none", func(t *testing.T) {
			old := open(t)
			old.sealing()
			home := old.under(vaulttest.Seeded(t, 8))
			home.More = []keys.Private{old.Key}
			if _, _, err := home.KeepAgent(home.Ctx, home.Me(), vaulttest.AgentOf("b", "mine")); err != nil {
				t.Fatal(err)
			}
			want := home.KeptOf(home.Key.DID())
			if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); err != nil {
				t.Fatal(err)
			}
			if s, err := home.KeptState(home.Ctx, home.Me(), "x"); err != nil || string(s.Document) != sealedText {
				t.Errorf("got %+v, %v", s, err)
			}
			if err := home.AbandonRekey(home.Ctx, old.Me(), home.Key.DID()); err != nil {
				t.Fatal(err)
			}
			if got := home.KeptOf(home.Key.DID()); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("once it is given up: %q", got)
			}
			if s, err := old.KeptState(old.Ctx, old.Me(), "x"); err != nil || string(s.Document) != sealedText {
				t.Errorf("got %+v, %v", s, err)
			}
		})
		t.Run("AAIF-12-10 without the old key nothing is begun", func(t *testing.T) {
			old := open(t)
			old.sealing()
			home := old.under(vaulttest.Seeded(t, 8))
			if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); !errors.Is(err, vault.ErrKeyClosed) {
				t.Errorf("got %v", err)
			}
			if _, _, err := old.KeepAgent(old.Ctx, old.Me(), vaulttest.AgentOf("b", "other")); err != nil {
				t.Errorf("a rekey was begun: %v", err)
			}
		})
		t.Run("AAIF-12-10 erasing the owner erases them", func(t *testing.T) {
			h := open(t)
			h.sealing()
			if cleared, err := h.EraseOwner(h.Ctx, h.Me()); err != nil || cleared != h.Clears() {
				t.Fatalf("cleared %v, %v", cleared, err)
			}
			if left := h.KeptOf(h.Key.DID()); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	})
}

func TestRevisedMeanwhile(t *testing.T) {
	h := open(t)
	h.sealing()
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "two")); err != nil {
		t.Fatal(err)
	}
	l := agentstore.Landing{State: agentstore.KeptState{ID: "z", Agent: "a", Document: []byte(`{}`)}, Revision: 1,
		Token: agentstore.SpentToken{Issuer: "i", JTI: "9", Until: h.Now}, Same: func([]byte) bool { return false }}
	t.Run("AAIF-12-10 a policy that is not in force any more lets nothing in", func(t *testing.T) {
		if _, err := h.ReceiveState(h.Ctx, h.Me(), l); !errors.Is(err, agentstore.ErrRevised) {
			t.Errorf("got %v", err)
		}
		l.Revision = 2
		if _, err := h.ReceiveState(h.Ctx, h.Me(), l); err != nil {
			t.Errorf("by the one in force, with the same token: %v", err)
		}
	})
}
