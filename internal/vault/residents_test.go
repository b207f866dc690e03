package vault_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// server opens the same store as another server with the same home folder does.
func (h *house) server() *house { return h.serverOf(h.key) }

// serverOf is server with the home folder of another owner.
func (h *house) serverOf(home keys.Private) *house {
	h.t.Helper()
	s := &house{t: h.t, ctx: h.ctx, key: home, now: h.now, path: h.path, url: h.url, again: h.again}
	s.store = h.again(s.seal)
	h.t.Cleanup(func() { _ = s.store.Close() })
	s.Vault = vault.New(vault.Options{
		Store: s.store, Now: func() time.Time { return s.now }, Release: "test", Bindings: []string{"http"},
		Key: s.holds, Signed: true, Tokens: true, Owner: s.key.DID(), Via: "http", Producer: "satchel-test",
	})
	return s
}

// shared opens a fresh store as a server.
func (open opener) shared(t *testing.T) *house {
	t.Helper()
	h := open(t)
	_ = h.store.Close()
	return h.server()
}

// inPerson is the owner of a key in person.
func inPerson(k keys.Private) memory.Caller { return memory.Caller{Owner: k.DID(), Role: memory.Owner} }

// add lets an owner in whose key is kept.
func (h *house) add(k keys.Private, q store.Quota) vault.OwnerInfo {
	h.t.Helper()
	label := "ada"
	owners, err := h.Owners(h.ctx, h.owner())
	if err != nil {
		h.t.Fatal(err)
	}
	if slices.ContainsFunc(owners, func(o vault.OwnerInfo) bool { return o.Label == label && o.Owner != k.DID() }) {
		label = string(k.DID()[len(k.DID())-8:])
	}
	return h.order(vault.AccountOrder{Key: k, Label: label, Quota: q})
}

// order lets an owner in.
func (h *house) order(o vault.AccountOrder) vault.OwnerInfo {
	h.t.Helper()
	info, err := h.AddOwner(h.ctx, h.owner(), o)
	if err != nil {
		h.t.Fatalf("add owner: %v", err)
	}
	return info
}

// tokenOf returns a token that an owner signed.
func tokenOf(t testing.TB, k keys.Private, own bool) string {
	t.Helper()
	c := ump.Claims{Issuer: k.DID(), Verbs: memory.Verbs(), Expires: start.Add(240 * time.Hour), ID: "token-of-tests"}
	if own {
		c.Subject = string(k.DID())
	}
	token, err := ump.MintToken(c, k)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// admitted lets the owner in who signed a token.
func (h *house) admitted(k keys.Private) memory.Caller {
	h.t.Helper()
	c, err := h.Admit(h.ctx, tokenOf(h.t, k, true))
	if err != nil {
		h.t.Fatalf("admit: %v", err)
	}
	return c
}

// says remembers a text as somebody.
func (h *house) says(c memory.Caller, text string, more ...string) (memory.ID, error) {
	h.t.Helper()
	members := append([]string{`"body":{"text":` + quote(text) + `}`}, more...)
	v, err := h.call(ump.OpRemember, c, `{"record":{`+strings.Join(members, ",")+`}}`)
	if err != nil {
		return "", err
	}
	return memory.ID(v["id"].(string)), nil
}

// healthy wants the store to be in order.
func (h *house) healthy() {
	h.t.Helper()
	found, err := h.Health(h.ctx)
	if err != nil || len(found) > 0 {
		h.t.Errorf("health: %q, %v", found, err)
	}
}

// usage is what an owner takes up.
func (h *house) usage(owner memory.DID) vault.OwnerInfo {
	h.t.Helper()
	info, err := h.Owner(h.ctx, h.owner(), owner)
	if err != nil {
		h.t.Fatal(err)
	}
	return info
}

func TestOwnersWhoseKeysAreKept(t *testing.T) { onEach(t, testOwnersWhoseKeysAreKept) }

func testOwnersWhoseKeysAreKept(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := seeded(t, 21), seeded(t, 22)
	info := h.add(ada, store.Quota{Records: 100})
	if info.Owner != ada.DID() || info.Label != "ada" || !info.Held || !info.Added.Equal(start) || info.Quota.Records != 100 || info.Records != 0 {
		t.Errorf("added %+v", info)
	}
	h.order(vault.AccountOrder{Key: bob})
	h.tell("the home owner likes quinces")
	other := h.server()
	c := other.admitted(ada)
	if c.Owner != ada.DID() || c.Role != memory.Owner {
		t.Fatalf("let in %+v", c)
	}
	id, err := other.says(c, "ada likes quinces")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := other.Get(h.ctx, c, id, memory.CurrentView)
	if err != nil || rec.Scope.Owner != ada.DID() {
		t.Fatalf("got %+v, %v", rec.Scope, err)
	}
	verified(t, rec)
	quinces := memory.Query{Text: "who likes quinces?"}
	wantTexts(t, other.textsFor(c, quinces), "ada likes quinces")
	wantTexts(t, other.textsFor(other.admitted(bob), quinces))
	wantTexts(t, other.texts(quinces), "the home owner likes quinces")
	if _, err := other.Get(h.ctx, other.admitted(bob), id, memory.CurrentView); memory.KindOf(err) != memory.NotFound {
		t.Errorf("another owner: %v", err)
	}
	if got := h.usage(ada.DID()); got.Records != 1 || got.Bytes != int64(len(rec.Origin)) {
		t.Errorf("usage %+v, a record of %d bytes", got, len(rec.Origin))
	}
	token, _, err := other.MintToken(h.ctx, c, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.now.Add(time.Hour)})
	if err != nil {
		t.Fatalf("a token of an owner whose key is kept: %v", err)
	}
	if peer, err := h.Admit(h.ctx, token); err != nil || peer.Role != memory.Peer || peer.Owner != ada.DID() {
		t.Errorf("its bearer: %+v, %v", peer, err)
	}
	caps, err := other.Capabilities(h.ctx, c)
	if err != nil || caps.Conformance != "L3" {
		t.Errorf("capabilities %+v, %v", caps, err)
	}
	h.healthy()
	h.server().healthy() // opens the keys by itself
}

func TestOwnersAreTheOperators(t *testing.T) { onEach(t, testOwnersAreTheOperators) }

func testOwnersAreTheOperators(t *testing.T, open opener) {
	h := open.shared(t)
	ada := seeded(t, 21)
	h.add(ada, store.Quota{})
	for name, c := range map[string]memory.Caller{
		"another owner in person": inPerson(ada), "an agent": h.agent(), "a peer": h.peer(), "nobody": {}, "a stranger": {Owner: h.key.DID()},
	} {
		calls := map[string]error{}
		_, calls["add"] = h.AddOwner(h.ctx, c, vault.AccountOrder{Key: seeded(t, 30)})
		calls["quota"] = h.SetQuota(h.ctx, c, ada.DID(), store.Quota{})
		_, calls["remove"] = h.RemoveOwner(h.ctx, c, ada.DID())
		_, calls["list"] = h.Owners(h.ctx, c)
		_, calls["tell of the home owner"] = h.Owner(h.ctx, memory.Caller{Owner: c.Owner + "x", Role: c.Role}, h.key.DID())
		for what, err := range calls {
			if k := memory.KindOf(err); k != memory.ForbiddenScope && k != memory.Unauthorized {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	if info, err := h.Owner(h.ctx, inPerson(ada), ada.DID()); err != nil || info.Label != "ada" {
		t.Errorf("an owner of herself: %+v, %v", info, err)
	}
	owners, err := h.Owners(h.ctx, h.owner())
	if err != nil || len(owners) != 2 || !slices.ContainsFunc(owners, func(w vault.OwnerInfo) bool { return w.Owner == ada.DID() && w.Held }) {
		t.Errorf("owners %+v, %v", owners, err)
	}
}

func TestAddOwnerRefuses(t *testing.T) {
	h := opener(open).shared(t)
	ada := seeded(t, 21)
	h.add(ada, store.Quota{})
	for name, o := range map[string]vault.AccountOrder{
		"nobody":                {},
		"a DID of another kind": {Public: "did:web:example.com"},
		"no DID":                {Public: "alice"},
		"a fragment":            {Public: seeded(t, 31).DID() + "#key"},
		"key and owner differ":  {Public: seeded(t, 31).DID(), Key: seeded(t, 32)},
		"the home owner":        {Key: h.key},
		"again":                 {Key: ada},
		"again by public key":   {Public: ada.DID()},
		"a label of two lines":  {Key: seeded(t, 31), Label: "a\nb"},
		"a long label":          {Key: seeded(t, 31), Label: strings.Repeat("x", 101)},
		"less than nothing":     {Key: seeded(t, 31), Quota: store.Quota{Bytes: -1}},
	} {
		_, err := h.AddOwner(h.ctx, h.owner(), o)
		if memory.KindOf(err) != memory.InvalidRecord || err.(*memory.Error).Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.AddOwner(h.ctx, h.owner(), vault.AccountOrder{Key: ada}); !errors.Is(err, store.ErrExists) {
		t.Errorf("again: %v", err)
	}
	if !h.usage(ada.DID()).Held {
		t.Error("the owner who was there lost her key")
	}
	if _, err := h.says(h.admitted(ada), "still here"); err != nil {
		t.Error(err)
	}
}

func TestWhoIsLetIn(t *testing.T) { onEach(t, testWhoIsLetIn) }

func testWhoIsLetIn(t *testing.T, open opener) {
	h := open.shared(t)
	ada, former := seeded(t, 21), seeded(t, 23)
	h.add(ada, store.Quota{})
	held := vault.New(vault.Options{Store: h.store, Key: func(did memory.DID) (keys.Private, bool) { return former, did == former.DID() }})
	if _, err := held.Remember(h.ctx, inPerson(former), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "once upon a time"}}}); err != nil {
		t.Fatal(err)
	}
	refused := func(v *house, k keys.Private) {
		t.Helper()
		_, err := v.Admit(h.ctx, tokenOf(t, k, true))
		wantKind(t, err, memory.Unauthorized)
		if !errors.Is(err, ump.ErrTokenIssuer) {
			t.Fatalf("got %v", err)
		}
	}
	refused(h, former) // rows alone let nobody in
	refused(h, seeded(t, 24))
	other := h.server()
	c := other.admitted(ada)
	if _, err := other.says(c, "a canary named Quince"); err != nil {
		t.Fatal(err)
	}
	other.Flush(h.ctx)
	cleared, err := h.RemoveOwner(h.ctx, h.owner(), ada.DID())
	if err != nil || cleared != h.clears() {
		t.Fatalf("remove: %v, %v", cleared, err)
	}
	refused(h, ada)
	refused(other, ada)
	if got := h.usage(ada.DID()); got.Records != 0 || got.Bytes != 0 || !got.Added.IsZero() || got.Held || got.Label != "" {
		t.Errorf("left of the owner: %+v", got)
	}
	if _, err := h.RemoveOwner(h.ctx, h.owner(), ada.DID()); memory.KindOf(err) != memory.NotFound {
		t.Errorf("removed again: %v", err)
	}
	if _, err := h.server().says(memory.Caller{Owner: ada.DID(), Role: memory.Owner}, "after the end"); memory.KindOf(err) != memory.ForbiddenScope {
		t.Errorf("written for the owner afterwards: %v", err)
	}
	if err := h.SetQuota(h.ctx, h.owner(), ada.DID(), store.Quota{}); memory.KindOf(err) != memory.NotFound {
		t.Errorf("quota of nobody: %v", err)
	}
	if _, err := h.RemoveOwner(h.ctx, h.owner(), h.key.DID()); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("the home owner: %v", err)
	}
	h.add(ada, store.Quota{}) // may come back
	wantTexts(t, other.textsFor(other.admitted(ada), memory.Query{Text: "canary"}))
	h.healthy()
}

func TestOperatorsActsAreLogged(t *testing.T) { onEach(t, testOperatorsActsAreLogged) }

func testOperatorsActsAreLogged(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := seeded(t, 21), seeded(t, 22)
	h.add(ada, store.Quota{})
	h.order(vault.AccountOrder{Public: bob.DID()})
	for _, k := range []keys.Private{ada, bob} {
		if err := h.SetQuota(h.ctx, h.owner(), k.DID(), store.Quota{Records: 5}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.RemoveOwner(h.ctx, h.owner(), k.DID()); err != nil {
			t.Fatal(err)
		}
	}
	acts := func(c memory.Caller) (out []string) {
		t.Helper()
		entries, err := h.Audit(h.ctx, c, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, strings.TrimSpace(string(e.Act)+" "+e.Who+" "+e.Result))
		}
		return out
	}
	a, b := string(ada.DID()), string(bob.DID())
	wantTexts(t, acts(h.owner()), "owner_add owner "+a, "owner_add owner "+b,
		"owner_quota owner "+a, "owner_drop owner "+a, "owner_quota owner "+b, "owner_drop owner "+b)
	for _, k := range []keys.Private{ada, bob} {
		wantTexts(t, acts(inPerson(k)), "owner_add operator", "owner_quota operator", "owner_drop operator")
	}
	report, err := h.VerifyAudit(h.ctx, h.owner(), nil)
	if err != nil || !report.Sound() || report.Signed != 6 {
		t.Errorf("the home owner's log: %+v, %v", report, err)
	}
	report, err = h.VerifyAudit(h.ctx, inPerson(ada), nil)
	if err != nil || !report.Sound() || report.Signed != 3 {
		t.Errorf("the log of an owner whose key was kept: %+v, %v", report, err)
	}
	h.healthy() // a log that nobody here could sign is no damage
	if !slices.Contains(audit.Acts(), audit.DropOwner) {
		t.Error("the act is not among those that are logged")
	}
}

func TestHomeFolderOfAnother(t *testing.T) { onEach(t, testHomeFolderOfAnother) }

func testHomeFolderOfAnother(t *testing.T, open opener) {
	h := open.shared(t)
	ada := seeded(t, 21)
	h.add(ada, store.Quota{})
	stranger := h.serverOf(seeded(t, 40))
	_, err := stranger.Admit(h.ctx, tokenOf(t, ada, true))
	wantKind(t, err, memory.Internal)
	if !errors.Is(err, keys.ErrSecret) {
		t.Errorf("got %v", err)
	}
	closed := vault.New(vault.Options{Store: h.store, Now: func() time.Time { return start }, Signed: true, Owner: h.key.DID()})
	if err := closed.Open(h.ctx, ada.DID()); err != nil {
		t.Fatalf("reading needs no key: %v", err)
	}
	_, err = closed.Remember(h.ctx, inPerson(ada), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "unsigned"}}})
	wantKind(t, err, memory.Unsupported)
	if h.usage(ada.DID()).Records != 0 {
		t.Error("something was stored without the owner's key")
	}
	if _, err := closed.AddOwner(h.ctx, h.owner(), vault.AccountOrder{Key: seeded(t, 41)}); memory.KindOf(err) != memory.Unsupported {
		t.Errorf("a key kept without the home owner's: %v", err)
	}
}
