package vault_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestPutBack puts the first form of records back in place of their present one,
// which the owner did sign once.
func TestPutBack(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	forgotten := h.Tell("the well is poisoned", shared)
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: forgotten, Reason: memory.Incorrect}); err != nil {
		t.Fatal(err)
	}
	h.Edit(`UPDATE records SET current = NULL, status = 'active', valid_to = NULL WHERE id = ?`, string(forgotten))
	q := memory.Query{Text: "well poisoned"}
	t.Run("UMP-7-7 what was forgotten does not come back", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Me(), h.Agent(), h.Peer()} {
			vaulttest.WantSet(t, h.TextsFor(c, q))
		}
		_, err := h.Get(h.Ctx, h.Me(), forgotten, memory.CurrentView)
		vaulttest.WantKind(t, err, memory.SignatureInvalid)
		if _, err := h.Call("revise", h.Me(), `{"id":"`+string(forgotten)+`","patch":{"body":{"text":"x"}}}`); memory.KindOf(err) != memory.SignatureInvalid {
			t.Errorf("revise: %v", err)
		}
	})
	t.Run("UMP-5.3-2 a frame lists it as dropped, for the owner's side alone", func(t *testing.T) {
		f, err := h.Rehydrate(h.Ctx, h.Me(), q)
		want := memory.DroppedRecord{ID: forgotten, Reason: "altered"}
		if err != nil || len(f.Injected) != 0 || !slices.Contains(f.Dropped, want) {
			t.Fatalf("%+v, %v", f, err)
		}
		if f, err = h.Rehydrate(h.Ctx, h.Peer(), q); err != nil || len(f.Dropped) != 0 {
			t.Fatalf("a peer: %+v, %v", f, err)
		}
	})
	t.Run("another key does not cover it up", func(t *testing.T) {
		_, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil)
		vaulttest.WantKind(t, err, memory.SignatureInvalid)
		if owners, err := h.Store.Owners(h.Ctx); err != nil || len(owners) != 1 {
			t.Fatalf("%v, %v", owners, err)
		}
	})
}

func TestChangesGoOnAfterARekey(t *testing.T) {
	h := open(t)
	for range 3 {
		id := h.Tell("again")
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
	}
	last := h.follow(h.Me(), memory.Subscription{})
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	next.Tell("the first of the new owner")
	got := told(next.follow(next.Me(), memory.Subscription{After: last[len(last)-1].Sequence}))
	if !slices.Equal(got, []string{"created the first of the new owner"}) {
		t.Fatalf("%q", got)
	}
	if found, err := next.Health(next.Ctx); err != nil || len(found) != 0 {
		t.Fatalf("%q, %v", found, err)
	}
}

func TestFlushWritesAllThatWasCounted(t *testing.T) {
	h := open(t)
	h.Tell("counted", shared)
	reader, _ := h.Bearer(vault.TokenOrder{Project: projectX})
	for range 20 {
		if _, err := h.Recall(h.Ctx, reader, memory.Query{Text: "counted"}); err != nil {
			t.Fatal(err)
		}
	}
	h.Flush(h.Ctx)
	entries, err := h.Audit(h.Ctx, h.Me(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if e.Act == audit.Read {
			n += e.Count
		}
	}
	if n != 20 || len(entries) > 3 {
		t.Fatalf("%d reads in %d entries", n, len(entries))
	}
}
