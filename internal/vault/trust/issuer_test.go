package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestTrustedIssuers(t *testing.T) { onEach(t, testTrustedIssuers) }

func testTrustedIssuers(t *testing.T, open opener) {
	h := open(t)
	key := func(n byte, kid string) engram.Key {
		return engram.NewKey(kid, vaulttest.Seeded(t, n).Public(), vaulttest.Start())
	}
	one, two := key(31, "key-1"), key(32, "key-2")
	known := func() string {
		t.Helper()
		all, err := h.TrustedIssuers(h.Ctx, h.Me())
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, i := range all {
			for _, k := range i.Keys {
				out = append(out, i.URL+" "+k.Kid)
			}
		}
		return strings.Join(out, ", ")
	}
	vouch := func(url string, keys ...engram.Key) {
		t.Helper()
		if err := h.TrustIssuer(h.Ctx, h.Me(), url, keys); err != nil {
			t.Fatal(err)
		}
	}
	if known() != "" {
		t.Fatal("somebody is trusted to begin with")
	}
	vouch("https://Memory.Example/", one)
	vouch("https://other.example", two)
	vouch("https://memory.example", two, one)
	t.Run("ENGRAM-3.8-26 an issuer is known by its address in any spelling, and by the keys that were vouched for last", func(t *testing.T) {
		if got, want := known(), "https://other.example key-2, https://memory.example key-2, https://memory.example key-1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if e := h.LastAudit(); e.Act != audit.Trust || e.Format != "engram" || e.Producer != "https://memory.example" || e.Count != 2 {
			t.Errorf("the log says %+v", e)
		}
	})
	t.Run("what is no issuer, or no key, is refused", func(t *testing.T) {
		for _, url := range []string{"", "memory.example", "http://memory.example", "https://a@memory.example", "https://" + strings.Repeat("a", 2000)} {
			vaulttest.WantKind(t, h.TrustIssuer(h.Ctx, h.Me(), url, []engram.Key{one}), memory.InvalidRecord)
		}
		weak := engram.NewKey("weak", make([]byte, 32), vaulttest.Start())
		for _, keys := range [][]engram.Key{nil, {weak}, {one, one}, {{Kid: "short", Public: []byte("x")}}} {
			vaulttest.WantKind(t, h.TrustIssuer(h.Ctx, h.Me(), "https://memory.example", keys), memory.InvalidRecord)
		}
	})
	t.Run("an address that is no code stands in the log by its beginning", func(t *testing.T) {
		vouch("https://memory.example/~ada/"+strings.Repeat("a", 90), one)
		if e := h.LastAudit(); e.Producer != "https://memory.example/" {
			t.Errorf("the log says %+v", e)
		}
		if err := h.DistrustIssuer(h.Ctx, h.Me(), "https://memory.example/~ada/"+strings.Repeat("a", 90)); err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-7-4 only the owner in person says whom to trust", func(t *testing.T) {
		writer := h.Granted(memory.Grant{Verbs: []memory.Verb{memory.WriteVerb}})
		for _, c := range []memory.Caller{h.Agent(), writer, h.Peer()} {
			vaulttest.WantKind(t, h.TrustIssuer(h.Ctx, c, "https://memory.example", []engram.Key{one}), memory.ForbiddenScope)
			vaulttest.WantKind(t, h.DistrustIssuer(h.Ctx, c, "https://memory.example"), memory.ForbiddenScope)
		}
		_, err := h.TrustedIssuers(h.Ctx, writer)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		if _, err := h.TrustedIssuers(h.Ctx, h.Agent()); err != nil {
			t.Errorf("an agent of the owner's may not see it: %v", err)
		}
	})
	t.Run("who is known no more is not listed", func(t *testing.T) {
		if err := h.DistrustIssuer(h.Ctx, h.Me(), "https://OTHER.example/"); err != nil {
			t.Fatal(err)
		}
		if got := known(); strings.Contains(got, "other") {
			t.Error(got)
		}
		if e := h.LastAudit(); e.Act != audit.Distrust || fmt.Sprint(e.Producer) != "https://other.example" {
			t.Errorf("the log says %+v", e)
		}
		vaulttest.WantKind(t, h.DistrustIssuer(h.Ctx, h.Me(), "https://other.example"), memory.NotFound)
	})
}
