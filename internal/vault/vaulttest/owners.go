package vaulttest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Server opens the same store as another server with the same home folder.
func (h *House) Server() *House { return h.ServerOf(h.Key) }

// ServerOf is Server with the home folder of another owner.
func (h *House) ServerOf(home keys.Private) *House {
	h.T.Helper()
	s := &House{T: h.T, Ctx: h.Ctx, Key: home, Now: h.Now, Path: h.Path, URL: h.URL, Again: h.Again}
	s.Store = h.Again(s.Seal)
	h.T.Cleanup(func() { _ = s.Store.Close() })
	s.Serve(vault.Options{
		Store: s.Store, Now: func() time.Time { return s.Now }, Release: "test", Bindings: []string{"http"},
		Key: s.Holds, Signed: true, Tokens: true, Owner: s.Key.DID(), Via: "http", Producer: "satchel-test",
	})
	return s
}

// Shared opens a fresh store as a server.
func (open Opener) Shared(t *testing.T) *House {
	t.Helper()
	h := open(t)
	_ = h.Store.Close()
	return h.Server()
}

// InPerson returns the owner of a key, in person.
func InPerson(k keys.Private) memory.Caller { return memory.Caller{Owner: k.DID(), Role: memory.Owner} }

// Add admits an owner, and keeps the owner's key.
func (h *House) Add(k keys.Private, q store.Quota) vault.OwnerInfo {
	h.T.Helper()
	label := "ada"
	owners, err := h.Owners(h.Ctx, h.Me(), "")
	if err != nil {
		h.T.Fatal(err)
	}
	if slices.ContainsFunc(owners, func(o vault.OwnerInfo) bool { return o.Label == label && o.Owner != k.DID() }) {
		label = string(k.DID()[len(k.DID())-8:])
	}
	return h.Order(vault.AccountOrder{Key: k, Label: label, Quota: q})
}

// Order admits an owner as ordered.
func (h *House) Order(o vault.AccountOrder) vault.OwnerInfo {
	h.T.Helper()
	info, err := h.AddOwner(h.Ctx, h.Me(), o)
	if err != nil {
		h.T.Fatalf("add owner: %v", err)
	}
	return info
}

// TokenOf returns a token signed with an owner's key.
func TokenOf(t testing.TB, k keys.Private, own bool) string {
	t.Helper()
	c := ump.Claims{Issuer: k.DID(), Verbs: memory.Verbs(), Expires: Start().Add(240 * time.Hour), ID: "token-of-tests"}
	if own {
		c.Subject = string(k.DID())
	}
	token, err := ump.MintToken(c, k)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Admitted returns the owner of a key, admitted with a token of the owner's own.
func (h *House) Admitted(k keys.Private) memory.Caller {
	h.T.Helper()
	c, err := h.Admit(h.Ctx, TokenOf(h.T, k, true))
	if err != nil {
		h.T.Fatalf("admit: %v", err)
	}
	return c
}

// Says remembers a text as caller c.
func (h *House) Says(c memory.Caller, text string, more ...string) (memory.ID, error) {
	h.T.Helper()
	members := append([]string{`"body":{"text":` + Quote(text) + `}`}, more...)
	v, err := h.Call(ump.OpRemember, c, `{"record":{`+strings.Join(members, ",")+`}}`)
	if err != nil {
		return "", err
	}
	return memory.ID(v["id"].(string)), nil
}

// Healthy fails the test unless the store is in order.
func (h *House) Healthy() {
	h.T.Helper()
	found, err := h.Health(h.Ctx)
	if err != nil || len(found) > 0 {
		h.T.Errorf("health: %q, %v", found, err)
	}
}

// Usage returns how much an owner keeps.
func (h *House) Usage(owner memory.DID) vault.OwnerInfo {
	h.T.Helper()
	info, err := h.Owner(h.Ctx, h.Me(), owner)
	if err != nil {
		h.T.Fatal(err)
	}
	return info
}

// SignedBy returns a record that a client made and signed.
func SignedBy(t testing.TB, k keys.Private, text string, change ...func(*memory.Record)) memory.Record {
	t.Helper()
	rec := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: k.DID(), Visibility: memory.Private},
		Time:       memory.Times{Created: Start(), Observed: Start(), ValidFrom: Start()},
		Provenance: &memory.Provenance{Actor: string(k.DID()), ActorKind: memory.ByUser, Method: "client"},
	}
	for _, c := range change {
		c(&rec)
	}
	rec, err := ump.Author(rec, &k)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// Brings remembers a signed record as caller c.
func (h *House) Brings(c memory.Caller, rec memory.Record) {
	h.T.Helper()
	v, err := h.Call(ump.OpRemember, c, `{"record":`+string(rec.Origin)+`}`)
	if err != nil || v["result"] != "created" {
		h.T.Fatalf("remember a signed record: %v, %v", v, err)
	}
}

// Alone opens a store with an owner who alone holds the key.
func (open Opener) Alone(t *testing.T) (*House, keys.Private, memory.Caller) {
	t.Helper()
	h, bob := open.Shared(t), Seeded(t, 22)
	if info := h.Order(vault.AccountOrder{Public: bob.DID(), Label: "bob"}); info.Held {
		t.Errorf("the key of %+v is said to be kept here", info)
	}
	return h, bob, h.Admitted(bob)
}

// Put changes a row as an attacker could who can write to the store and knows the
// secret of its seals.
func Put(t *testing.T, h *House, k keys.Private, id memory.ID, change func(*store.Row)) {
	t.Helper()
	err := h.Store.Update(h.Ctx, k.DID(), func(w store.Writer) error {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		change(&r)
		return w.Replace(r, store.Links{})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ClosedBy returns the form of a record that the engine closed at an instant.
func ClosedBy(t testing.TB, rec memory.Record, at time.Time, next ...memory.ID) []byte {
	t.Helper()
	rec.Time.ValidTo, rec.SupersededBy = at, next
	rec, err := ump.Amend(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Current
}
