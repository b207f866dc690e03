package vault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestElsewhere finds that what an owner left behind on going to another store is
// neither read nor written.
func TestElsewhere(t *testing.T) {
	h := open(t)
	id := h.Tell("the meeting is on Monday")
	move := func(how string) {
		t.Helper()
		err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error { return w.SetMoved(how) })
		if err != nil {
			t.Fatal(err)
		}
	}
	move(store.Elsewhere + " postgres://db.example/memory")
	tests := []struct {
		name string
		call func() error
	}{
		{"get", func() error { _, err := h.Get(h.Ctx, h.Me(), id, memory.CurrentView); return err }},
		{"recall", func() error { _, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "meeting"}); return err }},
		{"remember", func() error {
			_, err := h.Call(ump.OpRemember, h.Me(), `{"record":{"body":{"text":"into the void"}}}`)
			return err
		}},
		{"forget", func() error {
			_, err := h.Call(ump.OpForget, h.Me(), `{"id":"`+string(id)+`","reason":"outdated"}`)
			return err
		}},
		{"rekey", func() error { _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil); return err }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.call()
			if !errors.Is(err, vault.ErrElsewhere) || memory.KindOf(err) != memory.Unsupported {
				t.Fatalf("got %v", err)
			}
			if e, ok := errors.AsType[*memory.Error](err); !ok || !strings.Contains(e.Message, "postgres://db.example/memory") {
				t.Errorf("the message does not say where: %v", err)
			}
		})
	}
	t.Run("over a network nobody is told where", func(t *testing.T) {
		_, err := h.server().Get(h.Ctx, h.Me(), id, memory.CurrentView)
		if !errors.Is(err, vault.ErrElsewhere) || memory.KindOf(err) != memory.Unsupported || strings.Contains(err.Error(), "db.example") {
			t.Errorf("got %v", err)
		}
	})
	owners, err := h.Owners(h.Ctx, h.Me(), "")
	if err != nil || len(owners) != 1 || owners[0].Store != "postgres://db.example/memory" || owners[0].MovedTo != "" {
		t.Errorf("owners: %+v, %v", owners, err)
	}
	move("")
	if _, err := h.Get(h.Ctx, h.Me(), id, memory.CurrentView); err != nil {
		t.Errorf("after coming back: %v", err)
	}
}
