package rekey_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func (h *house) account(owner memory.DID) (a store.Account) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, owner, func(r store.Reader) (err error) {
		a, err = r.Account()
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return a
}

// goesOver carries an owner over to another key and ends the old one.
func (h *house) goesOver(from, to keys.Private) {
	h.T.Helper()
	if _, err := h.Rekey(h.Ctx, vaulttest.InPerson(from), to, nil); err != nil {
		h.T.Fatalf("rekey: %v", err)
	}
	if cleared, err := h.FinishRekey(h.Ctx, vaulttest.InPerson(from), to.DID()); err != nil || cleared != h.Clears() {
		h.T.Fatalf("finish: %v, %v", cleared, err)
	}
}

// TestRekeyOfAResident: an owner who was let in takes another key and stays in.
func TestRekeyOfAResident(t *testing.T) { onEach(t, testRekeyOfAResident) }

func testRekeyOfAResident(t *testing.T, open opener) {
	h := open.shared(t)
	ada, next := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 31)
	h.Add(ada, store.Quota{Records: 9})
	id, err := h.Says(h.Admitted(ada), "ada likes quinces")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Rekey(h.Ctx, vaulttest.InPerson(ada), next, nil); err != nil {
		t.Fatal(err)
	}
	other := h.server() // another server finishes what this one began
	if _, err := other.FinishRekey(h.Ctx, vaulttest.InPerson(ada), next.DID()); err != nil {
		t.Fatal(err)
	}
	rec, err := other.Get(h.Ctx, other.Admitted(next), id, memory.CurrentView)
	if err != nil || rec.Scope.Owner != next.DID() {
		t.Fatalf("%+v, %v", rec.Scope, err)
	}
	vaulttest.Verified(t, rec)
	if _, err := other.Says(other.Admitted(next), "and pears"); err != nil {
		t.Error(err)
	}
	if got := h.Usage(next.DID()); got.Label != "ada" || got.Quota.Records != 9 || !got.Held || !got.Added.Equal(vaulttest.Start()) || got.Records != 2 {
		t.Errorf("the new owner: %+v", got)
	}
	if got := h.account(ada.DID()); got.Key != nil || !got.Added.IsZero() {
		t.Errorf("the old owner's account is left: %+v", got)
	}
	if _, err := h.Admit(h.Ctx, vaulttest.TokenOf(t, ada, true)); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("a token of the old owner: %v", err)
	}
	h.server().Healthy()
}

// TestRekeyOfOneWhoSignsAlone: the new key is kept here, and signs what the old
// owner signed and what the engine made of it.
func TestRekeyOfOneWhoSignsAlone(t *testing.T) { onEach(t, testRekeyOfOneWhoSignsAlone) }

func testRekeyOfOneWhoSignsAlone(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	kept, forgotten := vaulttest.SignedBy(t, bob, "kept"), vaulttest.SignedBy(t, bob, "forgotten")
	h.Brings(c, kept)
	h.Brings(c, forgotten)
	if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: forgotten.ID, Reason: memory.Outdated}); err != nil {
		t.Fatal(err)
	}
	next := vaulttest.Seeded(t, 32)
	h.goesOver(bob, next)
	c = h.Admitted(next)
	for _, id := range []memory.ID{kept.ID, forgotten.ID} {
		rec, err := h.Get(h.Ctx, c, id, memory.CurrentView)
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.Verified(t, rec)
	}
	if !h.Usage(next.DID()).Held {
		t.Error("the new key is not kept")
	}
	h.Healthy()
}

// TestRekeyRefusesForgedForms: what the engine cannot have made of what was signed
// is not signed anew.
func TestRekeyRefusesForgedForms(t *testing.T) {
	h, bob, c := opener(open).alone(t)
	rec := vaulttest.SignedBy(t, bob, "the shop opens at nine")
	h.Brings(c, rec)
	vaulttest.Put(t, h.House, bob, rec.ID, func(r *store.Row) {
		r.Current = bytes.Replace(vaulttest.ClosedBy(t, rec, vaulttest.Start().Add(time.Hour)), []byte("nine"), []byte("six"), 1)
	})
	_, err := h.Rekey(h.Ctx, vaulttest.InPerson(bob), vaulttest.Seeded(t, 32), nil)
	vaulttest.WantKind(t, err, memory.SignatureInvalid)

	ada := vaulttest.Seeded(t, 21) // her key is kept: the engine signs what it changes
	h.Add(ada, store.Quota{})
	id, err := h.Says(h.Admitted(ada), "the shop opens at nine")
	if err != nil {
		t.Fatal(err)
	}
	born, err := h.Get(h.Ctx, h.Admitted(ada), id, memory.CurrentView)
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Put(t, h.House, ada, id, func(r *store.Row) { r.Current = vaulttest.ClosedBy(t, born, vaulttest.Start().Add(time.Hour)) })
	_, err = h.Rekey(h.Ctx, vaulttest.InPerson(ada), vaulttest.Seeded(t, 31), nil)
	vaulttest.WantKind(t, err, memory.SignatureInvalid)
}

// TestRekeyOfAResidentGivenUp leaves the old owner as it was, and nobody new.
func TestRekeyOfAResidentGivenUp(t *testing.T) { onEach(t, testRekeyOfAResidentGivenUp) }

func testRekeyOfAResidentGivenUp(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob, next := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22), vaulttest.Seeded(t, 31)
	h.Add(ada, store.Quota{})
	h.Order(vault.AccountOrder{Key: bob, Label: "bob"})
	if _, err := h.Says(h.Admitted(ada), "ada likes quinces"); err != nil {
		t.Fatal(err)
	}
	h.Pass(time.Second)
	if _, err := h.Rekey(h.Ctx, vaulttest.InPerson(ada), bob, nil); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("onto an owner who was added: %v", err)
	}
	if _, err := h.Rekey(h.Ctx, vaulttest.InPerson(ada), next, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.server().AbandonRekey(h.Ctx, vaulttest.InPerson(ada), next.DID()); err != nil {
		t.Fatal(err)
	}
	if got := h.account(next.DID()); !got.Added.IsZero() || got.Key != nil {
		t.Errorf("the new owner is in: %+v", got)
	}
	if _, err := h.Admit(h.Ctx, vaulttest.TokenOf(t, next, true)); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("a token of the new owner: %v", err)
	}
	if _, err := h.Says(h.Admitted(ada), "still here"); err != nil {
		t.Error(err)
	}
	if got := h.Usage(bob.DID()); got.Label != "bob" || !got.Held {
		t.Errorf("the other owner: %+v", got)
	}
}

// TestRekeyOfTheHomeOwner: the keys of others open before, during and after.
func TestRekeyOfTheHomeOwner(t *testing.T) { onEach(t, testRekeyOfTheHomeOwner) }

func testRekeyOfTheHomeOwner(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob, next := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22), vaulttest.Seeded(t, 8)
	h.More = []keys.Private{next}
	h.Add(ada, store.Quota{})
	h.Order(vault.AccountOrder{Public: bob.DID()})
	h.Tell("the home owner likes quinces")
	if _, err := h.Says(h.Admitted(ada), "ada likes pears"); err != nil {
		t.Fatal(err)
	}
	opens := func(v *house, step string) {
		t.Helper()
		c := v.Admitted(ada)
		vaulttest.WantTexts(t, v.TextsFor(c, memory.Query{Text: "pears"}), "ada likes pears")
		if _, err := v.Says(c, "said "+step); err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	before := h.account(ada.DID()).Key
	if _, err := h.Rekey(h.Ctx, h.Me(), next, nil); err != nil {
		t.Fatal(err)
	}
	opens(h.serverOf(h.Key), "during, for the old home owner")
	opens(h.serverOf(next), "during, for the new one")
	if _, err := h.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: vaulttest.Seeded(t, 25)}); !errors.Is(err, vault.ErrMoved) {
		t.Errorf("an owner was added meanwhile: %v", err)
	}
	if err := h.AbandonRekey(h.Ctx, h.Me(), next.DID()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(h.account(ada.DID()).Key, before) {
		t.Error("giving up left the key wrapped otherwise")
	}
	if _, err := h.Rekey(h.Ctx, h.Me(), next, nil); err != nil {
		t.Fatal(err)
	}
	after := h.serverOf(next)
	after.More = []keys.Private{h.Key}
	if _, err := after.FinishRekey(h.Ctx, h.Me(), next.DID()); err != nil {
		t.Fatal(err)
	}
	opens(after.serverOf(next), "after")
	if got := len(h.account(ada.DID()).Key); got != keys.WrappedSize {
		t.Errorf("the key takes %d bytes: it is wrapped under the old key, too", got)
	}
	_, err := h.serverOf(h.Key).Admit(h.Ctx, vaulttest.TokenOf(t, ada, true))
	if !errors.Is(err, keys.ErrSecret) {
		t.Errorf("the old home owner's key opens it still: %v", err)
	}
	if rec := vaulttest.SignedBy(t, bob, "bob likes plums"); true {
		after.Brings(after.Admitted(bob), rec)
	}
	vaulttest.WantTexts(t, after.Texts(memory.Query{Text: "quinces"}), "the home owner likes quinces")
	if err := ump.Verify(after.dumpOne("quinces")); err != nil {
		t.Error(err)
	}
	after.Healthy()
}

// dumpOne is the form of the record that a question finds.
func (h *house) dumpOne(question string) []byte {
	h.T.Helper()
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: question})
	if err != nil || len(hits) != 1 {
		h.T.Fatalf("%d hits, %v", len(hits), err)
	}
	return hits[0].Record.Form()
}
