package delegation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestExchange(t *testing.T) { onEach(t, testExchange) }

func testExchange(t *testing.T, open opener) {
	h := open(t)
	t.Run("a code becomes tokens of the grant, for an hour", func(t *testing.T) {
		got := h.tokens()
		h.good(got.Access)
		if c := got.Claims; !slices.Equal(c.Verbs, readWrite()) || !c.Expires.Equal(h.Now.Add(time.Hour)) || c.Audience != resource || len(h.inForce()) != 1 || h.inForce()[0].ID != c.ID {
			t.Errorf("%+v", c)
		}
		if _, err := h.AdmitAt(h.Ctx, got.Access, "https://other.example/mcp"); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("another part of the server takes it: %v", err)
		}
	})
	t.Run("a proof that is not the right one spends nothing", func(t *testing.T) {
		code := h.code()
		for name, change := range map[string]func(*delegation.Proof){
			"client": func(p *delegation.Proof) { p.Client = "reg_other" }, "redirect": func(p *delegation.Proof) { p.Redirect = back + "/" },
			"challenge": func(p *delegation.Proof) { p.Challenge = "" },
		} {
			p := proof()
			change(&p)
			_, err := h.Exchange(h.Ctx, code, p)
			if memory.KindOf(err) != memory.Unauthorized {
				t.Errorf("another %s: %v", name, err)
			}
		}
		p := proof()
		p.Resource = "https://other.example/mcp"
		_, err := h.Exchange(h.Ctx, code, p)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if got, err := h.Exchange(h.Ctx, code, proof()); err != nil {
			t.Error(err)
		} else {
			h.good(got.Access)
		}
	})
	t.Run("a code that comes again ends what came of it", func(t *testing.T) {
		code := h.code()
		got, err := h.Exchange(h.Ctx, code, proof())
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Exchange(h.Ctx, code, proof())
		vaulttest.WantKind(t, err, memory.Unauthorized)
		h.dead(got)
		h.ended("code_reused")
	})
	t.Run("a code is good for a minute", func(t *testing.T) {
		code := h.code()
		h.Pass(time.Minute)
		_, err := h.Exchange(h.Ctx, code, proof())
		vaulttest.WantKind(t, err, memory.Unauthorized)
	})
	t.Run("a code of a grant that was revoked meanwhile is good for nothing", func(t *testing.T) {
		before := h.inForce()
		code := h.code()
		for _, g := range h.inForce() {
			if !slices.ContainsFunc(before, func(b store.Grant) bool { return b.ID == g.ID }) {
				if err := h.RevokeToken(h.Ctx, h.Me(), g.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, err := h.Exchange(h.Ctx, code, proof())
		vaulttest.WantKind(t, err, memory.Unauthorized)
	})
	t.Run("what is no code writes nothing", func(t *testing.T) {
		for _, shown := range []string{"", ".", "x", strings.Repeat("x", 32), "x." + string(h.Key.DID()), "x.did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", "\xff"} {
			_, err := h.Exchange(h.Ctx, shown, proof())
			vaulttest.WantKind(t, err, memory.Unauthorized)
		}
	})
}

func TestRefresh(t *testing.T) { onEach(t, testRefresh) }

func testRefresh(t *testing.T, open opener) {
	h := open(t)
	t.Run("each secret is good once, and one that comes again ends all", func(t *testing.T) {
		first := h.tokens()
		second := h.renewed(first.Refresh)
		third := h.renewed(second.Refresh)
		h.good(third.Access)
		h.refused(first.Refresh)
		h.dead(third)
		h.ended("refresh_reused")
	})
	t.Run("a client that lost the answer gets the same secret again, for a minute", func(t *testing.T) {
		first := h.tokens()
		second := h.renewed(first.Refresh)
		h.Pass(59 * time.Second)
		again := h.renewed(first.Refresh, memory.ReadVerb)
		if again.Refresh != second.Refresh || again.Access == second.Access || !slices.Equal(again.Claims.Verbs, []memory.Verb{memory.ReadVerb}) {
			t.Errorf("%+v, then %+v", second, again)
		}
		h.Pass(time.Second)
		h.refused(first.Refresh)
		h.dead(again)
		h.ended("refresh_reused")
	})
	t.Run("the secret that follows from a spent one is no guess", func(t *testing.T) {
		first := h.tokens()
		second := h.renewed(first.Refresh)
		other := h.tokens()
		if h.renewed(other.Refresh).Refresh[32:] == second.Refresh[32:] || first.Refresh[32:] == second.Refresh[32:] {
			t.Error("two secrets are the same")
		}
	})
	t.Run("another client cannot use it, nor end it", func(t *testing.T) {
		got := h.tokens()
		_, err := h.Refresh(h.Ctx, got.Refresh, delegation.Renewal{Client: "reg_other"})
		vaulttest.WantKind(t, err, memory.Unauthorized)
		h.good(h.renewed(got.Refresh).Access)
	})
	t.Run("fewer verbs are for one token, more are refused and spend nothing", func(t *testing.T) {
		got := h.tokens()
		for _, n := range []delegation.Renewal{{Client: client, Verbs: []memory.Verb{memory.ExportVerb}}, {Client: client, Context: "full"}} {
			_, err := h.Refresh(h.Ctx, got.Refresh, n)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		_, err := h.Refresh(h.Ctx, got.Refresh, delegation.Renewal{Client: client, Resource: "https://other.example/mcp"})
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		narrow := h.renewed(got.Refresh, memory.ReadVerb)
		if !slices.Equal(narrow.Claims.Verbs, []memory.Verb{memory.ReadVerb}) {
			t.Errorf("%v", narrow.Claims.Verbs)
		}
		if again := h.renewed(narrow.Refresh); !slices.Equal(again.Claims.Verbs, readWrite()) {
			t.Errorf("the grant was narrowed: %v", again.Claims.Verbs)
		}
	})
	t.Run("a token never outlives its grant", func(t *testing.T) {
		end := h.Now.Add(90 * time.Minute)
		got := h.tokens(func(o *delegation.Order) { o.Token.Expires = end })
		h.Pass(50 * time.Minute)
		next := h.renewed(got.Refresh)
		if !next.Claims.Expires.Equal(end) {
			t.Errorf("until %v, want %v", next.Claims.Expires, end)
		}
		h.Pass(40 * time.Minute)
		h.refused(next.Refresh)
	})
	t.Run("a secret that nobody uses ends after 90 days", func(t *testing.T) {
		year := func(o *delegation.Order) { o.Token.Expires = o.Token.Expires.Add(300 * 24 * time.Hour) }
		used, unused := h.tokens(year), h.tokens(year)
		h.Pass(60 * 24 * time.Hour)
		used = h.renewed(used.Refresh)
		h.Pass(30*24*time.Hour + time.Second)
		h.refused(unused.Refresh)
		h.good(h.renewed(used.Refresh).Access)
	})
}

func TestRevoke(t *testing.T) { onEach(t, testRevoke) }

func testRevoke(t *testing.T, open opener) {
	h := open(t)
	gives := func(shown, who string, resources ...string) {
		t.Helper()
		if err := h.Revoke(h.Ctx, shown, who, resources); err != nil {
			t.Error(err)
		}
	}
	t.Run("by the secret or by the token, wholly", func(t *testing.T) {
		bySecret, byToken := h.tokens(), h.tokens()
		gives(bySecret.Refresh, client)
		h.dead(bySecret)
		h.ended("given_back")
		gives(byToken.Access, client, resource)
		h.dead(byToken)
		gives(byToken.Access, client, resource) // twice is once
	})
	t.Run("what is another's stays", func(t *testing.T) {
		got := h.tokens()
		gives(got.Refresh, "reg_other")
		gives(got.Access, client, "https://other.example/mcp")
		gives("nothing", client, resource)
		gives(strings.Repeat("x", 64), client)
		h.good(got.Access)
		h.good(h.renewed(got.Refresh).Access)
	})
	t.Run("a secret that was spent ends the grant here too", func(t *testing.T) {
		got := h.tokens()
		next := h.renewed(got.Refresh)
		gives(got.Refresh, client)
		h.dead(next)
	})
}

func TestReplaces(t *testing.T) { onEach(t, testReplaces) }

func testReplaces(t *testing.T, open opener) {
	h := open(t)
	narrow := h.tokens(func(o *delegation.Order) { o.Token.Verbs = []memory.Verb{memory.ReadVerb} })
	stranger := h.tokens(func(o *delegation.Order) { o.Client = "reg_other" })
	elsewhere := h.tokens(func(o *delegation.Order) { o.Token.Audience = "https://notes.example/v1/context" })
	code := h.code(func(o *delegation.Order) { o.Replaces = true })
	h.good(narrow.Access) // until the assistant takes the new one up
	wide, err := h.Exchange(h.Ctx, code, proof())
	if err != nil {
		t.Fatal(err)
	}
	h.dead(narrow)
	h.ended("replaced")
	h.good(wide.Access)
	h.good(stranger.Access)
	if _, err := h.AdmitAt(h.Ctx, elsewhere.Access, "https://notes.example/v1/context"); err != nil {
		t.Errorf("one for another resource has ended: %v", err)
	}
	beside := h.tokens()
	h.good(wide.Access)
	h.good(beside.Access)
	if n := len(h.inForce()); n != 4 {
		t.Errorf("%d grants are in force", n)
	}
}

func TestWhoGrants(t *testing.T) { onEach(t, testWhoGrants) }

func testWhoGrants(t *testing.T, open opener) {
	h := open(t)
	t.Run("the owner in person alone", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Agent(), h.Peer()} {
			_, err := h.Grant(h.Ctx, c, h.order())
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		if n := len(h.inForce()); n != 0 {
			t.Errorf("%d grants", n)
		}
	})
	t.Run("nobody with a key elsewhere", func(t *testing.T) {
		k := vaulttest.Seeded(t, 9)
		h.Order(vault.AccountOrder{Public: k.DID(), Label: "bo"})
		_, err := h.Grant(h.Ctx, vaulttest.InPerson(k), h.order())
		vaulttest.WantKind(t, err, memory.Unsupported)
	})
	t.Run("each owner their own: secrets name the owner", func(t *testing.T) {
		k := vaulttest.Seeded(t, 10)
		h.Add(k, store.Quota{})
		code, err := h.Grant(h.Ctx, vaulttest.InPerson(k), h.order())
		if err != nil {
			t.Fatal(err)
		}
		bare, named, _ := strings.Cut(code, ".")
		if named != string(k.DID()) {
			t.Fatalf("the code is of %q", named)
		}
		_, err = h.Exchange(h.Ctx, bare, proof()) // of the home's owner
		vaulttest.WantKind(t, err, memory.Unauthorized)
		got, err := h.Exchange(h.Ctx, code, proof())
		if err != nil || got.Claims.Issuer != k.DID() {
			t.Fatal(got.Claims, err)
		}
		if has, err := h.Has(h.Ctx, vaulttest.InPerson(k), client); !has || err != nil {
			t.Error(has, err)
		}
		if has, err := h.Has(h.Ctx, h.Me(), client); has || err != nil {
			t.Errorf("the other owner has it: %v", err)
		}
	})
	t.Run("an assistant has a grant until it ends", func(t *testing.T) {
		got := h.tokens(func(o *delegation.Order) { o.Client = "reg_third" })
		for range 2 {
			if has, err := h.Has(h.Ctx, h.Me(), "reg_third"); !has || err != nil {
				t.Error(has, err)
			}
		}
		if err := h.RevokeToken(h.Ctx, h.Me(), got.Claims.ID); err != nil {
			t.Fatal(err)
		}
		if has, err := h.Has(h.Ctx, h.Me(), "reg_third"); has || err != nil {
			t.Error(has, err)
		}
	})
}

// The store keeps nothing by which somebody who reads it could work as an assistant.
func TestKeepsDigests(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		code := h.code()
		got, err := h.Exchange(h.Ctx, code, proof())
		if err != nil {
			t.Fatal(err)
		}
		var rows []store.Session
		err = h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) (err error) { rows, err = r.Sessions().SessionList(); return err })
		if err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		half := len(got.Refresh) / 2
		for _, row := range rows {
			for _, secret := range []string{code, got.Refresh[:half], got.Refresh[half:], client} {
				if strings.Contains(row.Digest+row.Code, secret) {
					t.Errorf("a row holds %q: %+v", secret, row)
				}
			}
		}
	})
}

// After a restore no grant that an assistant works under is in force, while tokens that the
// owner minted are.
func TestEndAll(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		got, waits := h.tokens(), h.code()
		_, minted := h.Bearer(vault.TokenOrder{})
		err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error { return delegation.EndAll(w, vault.Instant(h.Now)) })
		if err != nil {
			t.Fatal(err)
		}
		h.dead(got)
		if _, err := h.Exchange(h.Ctx, waits, proof()); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("a code is good: %v", err)
		}
		if _, err := h.Admit(h.Ctx, minted); err != nil {
			t.Errorf("a token of the owner's: %v", err)
		}
		h.Healthy()
	})
}
