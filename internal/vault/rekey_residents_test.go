package vault_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func (h *house) account(owner memory.DID) (a store.Account) {
	h.t.Helper()
	err := h.store.View(h.ctx, owner, func(r store.Reader) (err error) {
		a, err = r.Account()
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// goesOver carries an owner over to another key and ends the old one.
func (h *house) goesOver(from, to keys.Private) {
	h.t.Helper()
	if _, err := h.Rekey(h.ctx, inPerson(from), to, nil); err != nil {
		h.t.Fatalf("rekey: %v", err)
	}
	if cleared, err := h.FinishRekey(h.ctx, inPerson(from), to.DID()); err != nil || cleared != h.clears() {
		h.t.Fatalf("finish: %v, %v", cleared, err)
	}
}

// TestRekeyOfAResident: an owner who was let in takes another key and stays in.
func TestRekeyOfAResident(t *testing.T) { onEach(t, testRekeyOfAResident) }

func testRekeyOfAResident(t *testing.T, open opener) {
	h := open.shared(t)
	ada, next := seeded(t, 21), seeded(t, 31)
	h.add(ada, store.Quota{Records: 9})
	id, err := h.says(h.admitted(ada), "ada likes quinces")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Rekey(h.ctx, inPerson(ada), next, nil); err != nil {
		t.Fatal(err)
	}
	other := h.server() // another server finishes what this one began
	if _, err := other.FinishRekey(h.ctx, inPerson(ada), next.DID()); err != nil {
		t.Fatal(err)
	}
	rec, err := other.Get(h.ctx, other.admitted(next), id, memory.CurrentView)
	if err != nil || rec.Scope.Owner != next.DID() {
		t.Fatalf("%+v, %v", rec.Scope, err)
	}
	verified(t, rec)
	if _, err := other.says(other.admitted(next), "and pears"); err != nil {
		t.Error(err)
	}
	if got := h.usage(next.DID()); got.Label != "ada" || got.Quota.Records != 9 || !got.Held || !got.Added.Equal(start) || got.Records != 2 {
		t.Errorf("the new owner: %+v", got)
	}
	if got := h.account(ada.DID()); got.Key != nil || !got.Added.IsZero() {
		t.Errorf("the old owner's account is left: %+v", got)
	}
	if _, err := h.Admit(h.ctx, tokenOf(t, ada, true)); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("a token of the old owner: %v", err)
	}
	h.server().healthy()
}

// TestRekeyOfOneWhoSignsAlone: the new key is kept here, and signs what the old
// owner signed and what the engine made of it.
func TestRekeyOfOneWhoSignsAlone(t *testing.T) { onEach(t, testRekeyOfOneWhoSignsAlone) }

func testRekeyOfOneWhoSignsAlone(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	kept, forgotten := signedBy(t, bob, "kept"), signedBy(t, bob, "forgotten")
	h.brings(c, kept)
	h.brings(c, forgotten)
	if _, err := h.Forget(h.ctx, c, memory.Forgetting{ID: forgotten.ID, Reason: memory.Outdated}); err != nil {
		t.Fatal(err)
	}
	next := seeded(t, 32)
	h.goesOver(bob, next)
	c = h.admitted(next)
	for _, id := range []memory.ID{kept.ID, forgotten.ID} {
		rec, err := h.Get(h.ctx, c, id, memory.CurrentView)
		if err != nil {
			t.Fatal(err)
		}
		verified(t, rec)
	}
	if !h.usage(next.DID()).Held {
		t.Error("the new key is not kept")
	}
	h.healthy()
}

// TestRekeyRefusesForgedForms: what the engine cannot have made of what was signed
// is not signed anew.
func TestRekeyRefusesForgedForms(t *testing.T) {
	h, bob, c := opener(open).alone(t)
	rec := signedBy(t, bob, "the shop opens at nine")
	h.brings(c, rec)
	put(t, h, bob, rec.ID, func(r *store.Row) {
		r.Current = bytes.Replace(closedBy(t, rec, start.Add(time.Hour)), []byte("nine"), []byte("six"), 1)
	})
	_, err := h.Rekey(h.ctx, inPerson(bob), seeded(t, 32), nil)
	wantKind(t, err, memory.SignatureInvalid)

	ada := seeded(t, 21) // her key is kept: the engine signs what it changes
	h.add(ada, store.Quota{})
	id, err := h.says(h.admitted(ada), "the shop opens at nine")
	if err != nil {
		t.Fatal(err)
	}
	born, err := h.Get(h.ctx, h.admitted(ada), id, memory.CurrentView)
	if err != nil {
		t.Fatal(err)
	}
	put(t, h, ada, id, func(r *store.Row) { r.Current = closedBy(t, born, start.Add(time.Hour)) })
	_, err = h.Rekey(h.ctx, inPerson(ada), seeded(t, 31), nil)
	wantKind(t, err, memory.SignatureInvalid)
}

// TestRekeyOfAResidentGivenUp leaves the old owner as it was, and nobody new.
func TestRekeyOfAResidentGivenUp(t *testing.T) { onEach(t, testRekeyOfAResidentGivenUp) }

func testRekeyOfAResidentGivenUp(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob, next := seeded(t, 21), seeded(t, 22), seeded(t, 31)
	h.add(ada, store.Quota{})
	h.order(vault.AccountOrder{Key: bob, Label: "bob"})
	if _, err := h.says(h.admitted(ada), "ada likes quinces"); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Second)
	if _, err := h.Rekey(h.ctx, inPerson(ada), bob, nil); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("onto an owner who was added: %v", err)
	}
	if _, err := h.Rekey(h.ctx, inPerson(ada), next, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.server().AbandonRekey(h.ctx, inPerson(ada), next.DID()); err != nil {
		t.Fatal(err)
	}
	if got := h.account(next.DID()); !got.Added.IsZero() || got.Key != nil {
		t.Errorf("the new owner is in: %+v", got)
	}
	if _, err := h.Admit(h.ctx, tokenOf(t, next, true)); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("a token of the new owner: %v", err)
	}
	if _, err := h.says(h.admitted(ada), "still here"); err != nil {
		t.Error(err)
	}
	if got := h.usage(bob.DID()); got.Label != "bob" || !got.Held {
		t.Errorf("the other owner: %+v", got)
	}
}

// TestRekeyOfTheHomeOwner: the keys of others open before, during and after.
func TestRekeyOfTheHomeOwner(t *testing.T) { onEach(t, testRekeyOfTheHomeOwner) }

func testRekeyOfTheHomeOwner(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob, next := seeded(t, 21), seeded(t, 22), seeded(t, 8)
	h.more = []keys.Private{next}
	h.add(ada, store.Quota{})
	h.order(vault.AccountOrder{Public: bob.DID()})
	h.tell("the home owner likes quinces")
	if _, err := h.says(h.admitted(ada), "ada likes pears"); err != nil {
		t.Fatal(err)
	}
	opens := func(v *house, step string) {
		t.Helper()
		c := v.admitted(ada)
		wantTexts(t, v.textsFor(c, memory.Query{Text: "pears"}), "ada likes pears")
		if _, err := v.says(c, "said "+step); err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	before := h.account(ada.DID()).Key
	if _, err := h.Rekey(h.ctx, h.owner(), next, nil); err != nil {
		t.Fatal(err)
	}
	opens(h.serverOf(h.key), "during, for the old home owner")
	opens(h.serverOf(next), "during, for the new one")
	if _, err := h.AddOwner(h.ctx, h.owner(), vault.AccountOrder{Key: seeded(t, 25)}); !errors.Is(err, vault.ErrMoved) {
		t.Errorf("an owner was added meanwhile: %v", err)
	}
	if err := h.AbandonRekey(h.ctx, h.owner(), next.DID()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(h.account(ada.DID()).Key, before) {
		t.Error("giving up left the key wrapped otherwise")
	}
	if _, err := h.Rekey(h.ctx, h.owner(), next, nil); err != nil {
		t.Fatal(err)
	}
	after := h.serverOf(next)
	after.more = []keys.Private{h.key}
	if _, err := after.FinishRekey(h.ctx, h.owner(), next.DID()); err != nil {
		t.Fatal(err)
	}
	opens(after.serverOf(next), "after")
	if got := len(h.account(ada.DID()).Key); got != keys.WrappedSize {
		t.Errorf("the key takes %d bytes: it is wrapped under the old key, too", got)
	}
	_, err := h.serverOf(h.key).Admit(h.ctx, tokenOf(t, ada, true))
	if !errors.Is(err, keys.ErrSecret) {
		t.Errorf("the old home owner's key opens it still: %v", err)
	}
	if rec := signedBy(t, bob, "bob likes plums"); true {
		after.brings(after.admitted(bob), rec)
	}
	wantTexts(t, after.texts(memory.Query{Text: "quinces"}), "the home owner likes quinces")
	if err := ump.Verify(after.dumpOne("quinces")); err != nil {
		t.Error(err)
	}
	after.healthy()
}

// dumpOne is the form of the record that a question finds.
func (h *house) dumpOne(question string) []byte {
	h.t.Helper()
	hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: question})
	if err != nil || len(hits) != 1 {
		h.t.Fatalf("%d hits, %v", len(hits), err)
	}
	return hits[0].Record.Form()
}
