package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestTrust(t *testing.T) { onEach(t, testTrust) }

func testTrust(t *testing.T, open opener) {
	h := open(t)
	one, two := aimem.PublicKey(vaulttest.Seeded(t, 31)), aimem.PublicKey(vaulttest.Seeded(t, 32))
	known := func(producer string) string {
		t.Helper()
		keys, err := h.Trusted(h.Ctx, h.Me(), producer)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(keys)
	}
	vouch := func(producer string, keys ...aimem.Key) {
		t.Helper()
		if err := h.TrustProducer(h.Ctx, h.Me(), producer, keys); err != nil {
			t.Fatal(err)
		}
	}
	if known("elsewhere") != "[]" {
		t.Fatal("somebody is trusted to begin with")
	}
	vouch("elsewhere", one)
	vouch("another", two)
	vouch("elsewhere", two, one)
	t.Run("AIMEM-5.3-1 a producer is known by the keys that were vouched for last", func(t *testing.T) {
		if got, want := known("elsewhere"), fmt.Sprint([]aimem.Key{two, one}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		all, err := h.Trusts(h.Ctx, h.Me())
		if err != nil || len(all) != 2 || all[0].Producer != "another" || all[1].Producer != "elsewhere" || len(all[1].Keys) != 2 {
			t.Errorf("%+v, %v", all, err)
		}
		if e := h.LastAudit(); e.Act != audit.Trust || e.Producer != "elsewhere" || e.Count != 2 {
			t.Errorf("the log says %+v", e)
		}
	})
	t.Run("what is no producer, or no key, is refused", func(t *testing.T) {
		for _, name := range []string{"", "Elsewhere", "a.b", strings.Repeat("a", 64)} {
			vaulttest.WantKind(t, h.TrustProducer(h.Ctx, h.Me(), name, []aimem.Key{one}), memory.InvalidRecord)
		}
		vaulttest.WantKind(t, h.TrustProducer(h.Ctx, h.Me(), "elsewhere", nil), memory.InvalidRecord)
		vaulttest.WantKind(t, h.TrustProducer(h.Ctx, h.Me(), "elsewhere", []aimem.Key{{Public: "none"}}), memory.InvalidRecord)
	})
	t.Run("only the owner in person says whom to trust", func(t *testing.T) {
		writer := h.Granted(memory.Grant{Verbs: []memory.Verb{memory.WriteVerb}})
		for _, c := range []memory.Caller{h.Agent(), writer, h.Peer()} {
			vaulttest.WantKind(t, h.TrustProducer(h.Ctx, c, "elsewhere", []aimem.Key{one}), memory.ForbiddenScope)
			vaulttest.WantKind(t, h.DistrustProducer(h.Ctx, c, "elsewhere"), memory.ForbiddenScope)
		}
		if keys, err := h.Trusted(h.Ctx, writer, "elsewhere"); err != nil || len(keys) != 2 {
			t.Errorf("who brings a bundle has it verified by %d keys, %v", len(keys), err)
		}
		_, err := h.Trusted(h.Ctx, h.Peer(), "elsewhere")
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Trusts(h.Ctx, writer)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		if got, want := known("elsewhere"), fmt.Sprint([]aimem.Key{two, one}); got != want {
			t.Errorf("it is %s now", got)
		}
	})
	t.Run("trust ends", func(t *testing.T) {
		if err := h.DistrustProducer(h.Ctx, h.Me(), "elsewhere"); err != nil {
			t.Fatal(err)
		}
		if known("elsewhere") != "[]" || known("another") == "[]" || h.LastAudit().Act != audit.Distrust {
			t.Errorf("known by %s", known("elsewhere"))
		}
		vaulttest.WantKind(t, h.DistrustProducer(h.Ctx, h.Me(), "elsewhere"), memory.NotFound)
	})
	t.Run("each owner trusts for themselves, and takes it along to another key", func(t *testing.T) {
		other := h.server()
		ada := vaulttest.Seeded(t, 21)
		other.Add(ada, store.Quota{})
		if keys, err := other.Trusted(other.Ctx, other.Admitted(ada), "another"); err != nil || len(keys) != 0 {
			t.Errorf("somebody else trusts it, too: %v, %v", keys, err)
		}
		next, _ := h.rekey(vaulttest.Seeded(t, 8))
		if keys, err := next.Trusted(next.Ctx, next.Me(), "another"); err != nil || fmt.Sprint(keys) != fmt.Sprint([]aimem.Key{two}) {
			t.Errorf("under the next key: %v, %v", keys, err)
		}
	})
}
