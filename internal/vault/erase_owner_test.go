package vault_test

import (
	"context"
	"errors"
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

func TestEraseBrain(t *testing.T) { onEach(t, testEraseBrain) }

func testEraseBrain(t *testing.T, open opener) {
	h := open(t)
	prior := h.Tell("the office is in Basel")
	h.Must(ump.OpRevise, `{"id":"`+string(prior)+`","patch":{"body":{"text":"the office is in Bern"}}}`)
	h.Tell("perhaps it moves to Chur", `"lifecycle":{"status":"candidate"}`)
	h.Tell("it ended long ago", `"time":{"valid_from":"2020-01-01T00:00:00Z","valid_to":"2021-01-01T00:00:00Z"}`)
	gone := h.Tell("a word in passing")
	h.Must(ump.OpForget, `{"id":"`+string(gone)+`","reason":"user_revoked"}`)
	h.Pass(time.Hour)
	first, err := h.EraseBrain(h.Ctx, h.Me())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AIMEM-5.2-1 every chunk of the tenant is deleted and counted", func(t *testing.T) {
		if first.ChunksPurged != 1 || first.RecordsPurged != 5 || first.Pending == h.Clears() || !first.ErasedAt.Equal(h.Now) {
			t.Errorf("erased %+v, want 1 chunk of 5 records", first)
		}
		if n := h.Count(); n != 0 {
			t.Errorf("%d records are left", n)
		}
	})
	t.Run("AIMEM-5.2-6 the erasure stands in the audit log, which verifies", func(t *testing.T) {
		entries, err := h.Audit(h.Ctx, h.Me(), first.AuditSequence, 1)
		if err != nil || len(entries) != 1 || entries[0].Act != audit.EraseOwner || entries[0].Count != 5 {
			t.Fatalf("entry %d is %+v, %v", first.AuditSequence, entries, err)
		}
		report, err := h.VerifyAudit(h.Ctx, h.Me(), nil)
		if err != nil || len(report.Findings) != 0 {
			t.Errorf("the log has findings %v, %v", report.Findings, err)
		}
		if len(entries[0].Records) != 0 {
			t.Errorf("AIMEM-5.2-7: the entry names records: %v", entries[0].Records)
		}
	})
	t.Run("AIMEM-5.2-9 a second erasure purges nothing", func(t *testing.T) {
		second, err := h.EraseBrain(h.Ctx, h.Me())
		if err != nil || second.ChunksPurged != 0 || second.RecordsPurged != 0 {
			t.Errorf("erased %+v, %v", second, err)
		}
	})
	t.Run("nobody but the owner in person", func(t *testing.T) {
		h.Tell("a new beginning")
		for _, c := range []memory.Caller{h.Agent(), h.Peer(), {Owner: h.Me().Owner}} {
			_, err := h.EraseBrain(h.Ctx, c)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		if n := h.Count(); n != 1 {
			t.Errorf("%d records are left", n)
		}
	})
}

func TestEraseBrainOfOne(t *testing.T) { onEach(t, testEraseBrainOfOne) }

func testEraseBrainOfOne(t *testing.T, open opener) {
	t.Run("AIMEM-5.2-8 erasing one tenant leaves the others", func(t *testing.T) {
		h := open(t)
		h.Tell("mine stays")
		other := h.server()
		ada := vaulttest.Seeded(t, 21)
		other.Add(ada, store.Quota{})
		c := other.Admitted(ada)
		if _, err := other.Says(c, "hers goes"); err != nil {
			t.Fatal(err)
		}
		before := h.everything()
		done, err := other.EraseBrain(other.Ctx, c)
		if err != nil || done.RecordsPurged != 1 {
			t.Fatalf("erased %+v, %v", done, err)
		}
		if after := h.everything(); after != before {
			t.Errorf("another owner's records changed")
		}
	})
}

// gatekeeping is a store that notes when it was asked to be silent.
type gatekeeping struct {
	store.Store
	erased func() bool
	asked  []bool // each time: whether the owner had been erased by then
	fails  error
	hangs  bool // for as long as it is given
}

func (g *gatekeeping) Erasures(context.Context, memory.DID) (int64, error) { return 0, nil }

func (g *gatekeeping) Emit(_ context.Context, _ memory.DID, _ int64, write func() error) error {
	return write()
}

func (g *gatekeeping) Silence(ctx context.Context, _ memory.DID) error {
	g.asked = append(g.asked, g.erased())
	if _, ends := ctx.Deadline(); g.hangs && ends {
		return context.DeadlineExceeded
	}
	return g.fails
}

func TestEraseBrainWaits(t *testing.T) {
	h := open(t)
	h.Tell("on its way out")
	g := &gatekeeping{Store: h.Store, erased: func() bool { return h.Count() == 0 }}
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: g, Now: func() time.Time { return h.Now }, Owner: h.Key.DID(), Via: "cli", Signed: true,
		Key: func(did memory.DID) (keys.Private, bool) { return h.Holds(did) }})
	t.Run("AIMEM-5.2-4 it returns once nothing leaves any more", func(t *testing.T) {
		if _, err := v.EraseBrain(h.Ctx, h.Me()); err != nil {
			t.Fatal(err)
		}
		if len(g.asked) != 1 || !g.asked[0] {
			t.Errorf("the store was asked to be silent: %v", g.asked)
		}
	})
	t.Run("it does not claim what the store could not do", func(t *testing.T) {
		g.fails = store.ErrUnavailable
		_, err := v.EraseBrain(h.Ctx, h.Me())
		vaulttest.WantKind(t, err, memory.Internal)
	})
	t.Run("it does not wait for ever, and says what to do", func(t *testing.T) {
		g.hangs = true
		_, err := v.EraseBrain(h.Ctx, h.Me())
		vaulttest.WantKind(t, err, memory.Internal)
		if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "end that program") {
			t.Errorf("got %v", err)
		}
	})
}
