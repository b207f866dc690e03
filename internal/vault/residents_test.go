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
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestOwnersWhoseKeysAreKept(t *testing.T) { onEach(t, testOwnersWhoseKeysAreKept) }

func testOwnersWhoseKeysAreKept(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	info := h.Add(ada, store.Quota{Records: 100})
	if info.Owner != ada.DID() || info.Label != "ada" || !info.Held || !info.Added.Equal(vaulttest.Start()) || info.Quota.Records != 100 || info.Records != 0 {
		t.Errorf("added %+v", info)
	}
	h.Order(vault.AccountOrder{Key: bob})
	h.Tell("the home owner likes quinces")
	other := h.server()
	c := other.Admitted(ada)
	if c.Owner != ada.DID() || c.Role != memory.Owner {
		t.Fatalf("let in %+v", c)
	}
	id, err := other.Says(c, "ada likes quinces")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := other.Get(h.Ctx, c, id, memory.CurrentView)
	if err != nil || rec.Scope.Owner != ada.DID() {
		t.Fatalf("got %+v, %v", rec.Scope, err)
	}
	vaulttest.Verified(t, rec)
	quinces := memory.Query{Text: "who likes quinces?"}
	vaulttest.WantTexts(t, other.TextsFor(c, quinces), "ada likes quinces")
	vaulttest.WantTexts(t, other.TextsFor(other.Admitted(bob), quinces))
	vaulttest.WantTexts(t, other.Texts(quinces), "the home owner likes quinces")
	if _, err := other.Get(h.Ctx, other.Admitted(bob), id, memory.CurrentView); memory.KindOf(err) != memory.NotFound {
		t.Errorf("another owner: %v", err)
	}
	if got := h.Usage(ada.DID()); got.Records != 1 || got.Bytes != int64(len(rec.Origin)) {
		t.Errorf("usage %+v, a record of %d bytes", got, len(rec.Origin))
	}
	token, _, err := other.MintToken(h.Ctx, c, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.Now.Add(time.Hour)})
	if err != nil {
		t.Fatalf("a token of an owner whose key is kept: %v", err)
	}
	if peer, err := h.Admit(h.Ctx, token); err != nil || peer.Role != memory.Peer || peer.Owner != ada.DID() {
		t.Errorf("its bearer: %+v, %v", peer, err)
	}
	caps, err := other.Capabilities(h.Ctx, c)
	if err != nil || caps.Conformance != "L3" {
		t.Errorf("capabilities %+v, %v", caps, err)
	}
	h.Healthy()
	h.server().Healthy() // opens the keys by itself
}

func TestOwnersAreTheOperators(t *testing.T) { onEach(t, testOwnersAreTheOperators) }

func testOwnersAreTheOperators(t *testing.T, open opener) {
	h := open.shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	for name, c := range map[string]memory.Caller{
		"another owner in person": vaulttest.InPerson(ada), "an agent": h.Agent(), "a peer": h.Peer(), "nobody": {}, "a stranger": {Owner: h.Key.DID()},
	} {
		calls := map[string]error{}
		_, calls["add"] = h.AddOwner(h.Ctx, c, vault.AccountOrder{Key: vaulttest.Seeded(t, 30)})
		calls["quota"] = h.SetQuota(h.Ctx, c, ada.DID(), store.Quota{})
		_, calls["remove"] = h.RemoveOwner(h.Ctx, c, ada.DID())
		_, calls["list"] = h.Owners(h.Ctx, c, "")
		_, calls["tell of the home owner"] = h.Owner(h.Ctx, memory.Caller{Owner: c.Owner + "x", Role: c.Role}, h.Key.DID())
		for what, err := range calls {
			if k := memory.KindOf(err); k != memory.ForbiddenScope && k != memory.Unauthorized {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	if info, err := h.Owner(h.Ctx, vaulttest.InPerson(ada), ada.DID()); err != nil || info.Label != "ada" {
		t.Errorf("an owner of herself: %+v, %v", info, err)
	}
	owners, err := h.Owners(h.Ctx, h.Me(), "")
	if err != nil || len(owners) != 2 || !slices.ContainsFunc(owners, func(w vault.OwnerInfo) bool { return w.Owner == ada.DID() && w.Held }) {
		t.Errorf("owners %+v, %v", owners, err)
	}
}

func TestAddOwnerRefuses(t *testing.T) {
	h := opener(open).shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	for name, o := range map[string]vault.AccountOrder{
		"nobody":                {},
		"a DID of another kind": {Public: "did:web:example.com"},
		"no DID":                {Public: "alice"},
		"a fragment":            {Public: vaulttest.Seeded(t, 31).DID() + "#key"},
		"key and owner differ":  {Public: vaulttest.Seeded(t, 31).DID(), Key: vaulttest.Seeded(t, 32)},
		"the home owner":        {Key: h.Key},
		"again":                 {Key: ada},
		"again by public key":   {Public: ada.DID()},
		"a label of two lines":  {Key: vaulttest.Seeded(t, 31), Label: "a\nb"},
		"a long label":          {Key: vaulttest.Seeded(t, 31), Label: strings.Repeat("x", 101)},
		"less than nothing":     {Key: vaulttest.Seeded(t, 31), Quota: store.Quota{Bytes: -1}},
	} {
		_, err := h.AddOwner(h.Ctx, h.Me(), o)
		if memory.KindOf(err) != memory.InvalidRecord || err.(*memory.Error).Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: ada}); !errors.Is(err, store.ErrExists) {
		t.Errorf("again: %v", err)
	}
	if !h.Usage(ada.DID()).Held {
		t.Error("the owner who was there lost her key")
	}
	if _, err := h.Says(h.Admitted(ada), "still here"); err != nil {
		t.Error(err)
	}
}

func TestWhoIsLetIn(t *testing.T) { onEach(t, testWhoIsLetIn) }

func testWhoIsLetIn(t *testing.T, open opener) {
	h := open.shared(t)
	ada, former := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 23)
	h.Add(ada, store.Quota{})
	held := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Key: func(did memory.DID) (keys.Private, bool) { return former, did == former.DID() }})
	if _, err := held.Remember(h.Ctx, vaulttest.InPerson(former), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "once upon a time"}}}); err != nil {
		t.Fatal(err)
	}
	refused := func(v *house, k keys.Private) {
		t.Helper()
		_, err := v.Admit(h.Ctx, vaulttest.TokenOf(t, k, true))
		vaulttest.WantKind(t, err, memory.Unauthorized)
		if !errors.Is(err, ump.ErrTokenIssuer) {
			t.Fatalf("got %v", err)
		}
	}
	refused(h, former) // rows alone let nobody in
	refused(h, vaulttest.Seeded(t, 24))
	other := h.server()
	c := other.Admitted(ada)
	if _, err := other.Says(c, "a canary named Quince"); err != nil {
		t.Fatal(err)
	}
	other.Flush(h.Ctx)
	cleared, err := h.RemoveOwner(h.Ctx, h.Me(), ada.DID())
	if err != nil || cleared != h.Clears() {
		t.Fatalf("remove: %v, %v", cleared, err)
	}
	refused(h, ada)
	refused(other, ada)
	if got := h.Usage(ada.DID()); got.Records != 0 || got.Bytes != 0 || !got.Added.IsZero() || got.Held || got.Label != "" {
		t.Errorf("left of the owner: %+v", got)
	}
	if _, err := h.RemoveOwner(h.Ctx, h.Me(), ada.DID()); memory.KindOf(err) != memory.NotFound {
		t.Errorf("removed again: %v", err)
	}
	if _, err := h.server().Says(memory.Caller{Owner: ada.DID(), Role: memory.Owner}, "after the end"); memory.KindOf(err) != memory.ForbiddenScope {
		t.Errorf("written for the owner afterwards: %v", err)
	}
	if err := h.SetQuota(h.Ctx, h.Me(), ada.DID(), store.Quota{}); memory.KindOf(err) != memory.NotFound {
		t.Errorf("quota of nobody: %v", err)
	}
	if _, err := h.RemoveOwner(h.Ctx, h.Me(), h.Key.DID()); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("the home owner: %v", err)
	}
	h.Add(ada, store.Quota{}) // may come back
	vaulttest.WantTexts(t, other.TextsFor(other.Admitted(ada), memory.Query{Text: "canary"}))
	h.Healthy()
}

func TestOperatorsActsAreLogged(t *testing.T) { onEach(t, testOperatorsActsAreLogged) }

func testOperatorsActsAreLogged(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	h.Add(ada, store.Quota{})
	h.Order(vault.AccountOrder{Public: bob.DID()})
	for _, k := range []keys.Private{ada, bob} {
		if err := h.SetQuota(h.Ctx, h.Me(), k.DID(), store.Quota{Records: 5}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.RemoveOwner(h.Ctx, h.Me(), k.DID()); err != nil {
			t.Fatal(err)
		}
	}
	acts := func(c memory.Caller) (out []string) {
		t.Helper()
		entries, err := h.Audit(h.Ctx, c, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, strings.TrimSpace(string(e.Act)+" "+e.Who+" "+e.Result))
		}
		return out
	}
	a, b := string(ada.DID()), string(bob.DID())
	vaulttest.WantTexts(t, acts(h.Me()), "owner_add owner "+a, "owner_add owner "+b,
		"owner_quota owner "+a, "owner_drop owner "+a, "owner_quota owner "+b, "owner_drop owner "+b)
	for _, k := range []keys.Private{ada, bob} {
		vaulttest.WantTexts(t, acts(vaulttest.InPerson(k)), "owner_add operator", "owner_quota operator", "owner_drop operator")
	}
	report, err := h.VerifyAudit(h.Ctx, h.Me(), nil)
	if err != nil || !report.Sound() || report.Signed != 6 {
		t.Errorf("the home owner's log: %+v, %v", report, err)
	}
	report, err = h.VerifyAudit(h.Ctx, vaulttest.InPerson(ada), nil)
	if err != nil || !report.Sound() || report.Signed != 3 {
		t.Errorf("the log of an owner whose key was kept: %+v, %v", report, err)
	}
	h.Healthy() // a log that nobody here could sign is no damage
	if !slices.Contains(audit.Acts(), audit.DropOwner) {
		t.Error("the act is not among those that are logged")
	}
}

func TestHomeFolderOfAnother(t *testing.T) { onEach(t, testHomeFolderOfAnother) }

func testHomeFolderOfAnother(t *testing.T, open opener) {
	h := open.shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	stranger := h.serverOf(vaulttest.Seeded(t, 40))
	_, err := stranger.Admit(h.Ctx, vaulttest.TokenOf(t, ada, true))
	vaulttest.WantKind(t, err, memory.Internal)
	if !errors.Is(err, keys.ErrSecret) {
		t.Errorf("got %v", err)
	}
	closed := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: func() time.Time { return vaulttest.Start() }, Signed: true, Owner: h.Key.DID()})
	if err := closed.Open(h.Ctx, ada.DID()); err != nil {
		t.Fatalf("reading needs no key: %v", err)
	}
	_, err = closed.Remember(h.Ctx, vaulttest.InPerson(ada), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "unsigned"}}})
	vaulttest.WantKind(t, err, memory.Unsupported)
	if h.Usage(ada.DID()).Records != 0 {
		t.Error("something was stored without the owner's key")
	}
	if _, err := closed.AddOwner(h.Ctx, h.Me(), vault.AccountOrder{Key: vaulttest.Seeded(t, 41)}); memory.KindOf(err) != memory.Unsupported {
		t.Errorf("a key kept without the home owner's: %v", err)
	}
}
