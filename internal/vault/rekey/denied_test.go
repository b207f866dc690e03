package rekey_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// TestRekeyKeepsOutWhatWasErased: what was erased under a key does not come back
// under the next one, nor under the one after that (decision AD-29).
func TestRekeyKeepsOutWhatWasErased(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyKeepsOutWhatWasErased)
}

func testRekeyKeepsOutWhatWasErased(t *testing.T, open opener) {
	h := open(t)
	h.TakesIn(vaulttest.Brain(), aimem.Import{})
	h.Erases(h.Me(), h.LiveSaying("Prefers PostgreSQL."))
	second, _ := h.rekey(vaulttest.Seeded(t, 8))
	vaulttest.WantChunks(t, "under the second key", second.TakesIn(vaulttest.Brain(), aimem.Import{}), 0, 0, 3, 0)
	second.Erases(second.Me(), second.LiveSaying("Lives in Lisbon."))
	third, _ := second.rekey(vaulttest.Seeded(t, 9))
	r := third.TakesIn(vaulttest.Brain(), aimem.Import{})
	vaulttest.WantChunks(t, "under the third key", r, 0, 0, 3, 0)
	if n := count(vaulttest.Codes(r), aimem.DeletedByUser); n != 2 {
		t.Errorf("%d are said to be deleted: %v", n, vaulttest.Codes(r))
	}
	t.Run("nobody learns the keys of the marks from the store", func(t *testing.T) {
		err := third.Store.View(third.Ctx, third.Key.DID(), func(r store.Reader) error {
			some, err := r.Attachments(store.AttachmentFilter{Space: "aimem.denied.key"}, 0, 10)
			if len(some) != 2 {
				t.Errorf("%d keys were carried over", len(some))
			}
			for _, a := range some {
				for b := range byte(10) {
					if slices.Equal(a.Data, auditSecret(t, b)) {
						t.Error("a key lies open")
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	vaulttest.WantChunks(t, "restored", third.TakesIn(vaulttest.Brain(), aimem.Import{Restore: true}), 2, 0, 1, 0)
	vaulttest.WantChunks(t, "then", third.TakesIn(vaulttest.Brain(), aimem.Import{}), 0, 0, 3, 0)
	third.Healthy()
}

// TestRekeyKeepsNamesOfChunks: a bundle that came in before is known under the next
// key, and leaves under the same names.
func TestRekeyKeepsNamesOfChunks(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyKeepsNamesOfChunks)
}

func testRekeyKeepsNamesOfChunks(t *testing.T, open opener) {
	h := open(t)
	h.TakesIn(vaulttest.Brain(), aimem.Import{})
	h.Pass(time.Hour)
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("2", "Deploys on Mondays.", vaulttest.Object{"created_at": "2026-04-02T09:00:00Z"})}}, aimem.Import{OnNewer: aimem.UpdateNewer})
	before := h.Left(aimem.Export{OriginIDs: true})
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	t.Run("AIMEM-2.9-1 importing again changes nothing", func(t *testing.T) {
		b := vaulttest.Bundle{Chunks: slices.Clone(vaulttest.Brain().Chunks), Edges: vaulttest.Brain().Edges, Entities: vaulttest.Brain().Entities, Links: vaulttest.Brain().Links}
		b.Chunks[1] = vaulttest.Chunk("2", "Deploys on Mondays.", vaulttest.Object{"created_at": "2026-04-02T09:00:00Z"})
		r := next.TakesIn(b, aimem.Import{})
		vaulttest.WantChunks(t, "under the next key", r, 0, 0, 3, 0)
		if r.Entities.Inserted != 0 || len(next.Live()) != 3 {
			t.Errorf("%+v, live: %q", r, next.Live())
		}
	})
	t.Run("AIMEM-2.3-10 a chunk has the same name as before", func(t *testing.T) {
		after := next.Left(aimem.Export{OriginIDs: true})
		for i, c := range before.Get("chunks").Items() {
			if got := after.Get("chunks").Items()[i].Get("id").Text(); got != c.Get("id").Text() {
				t.Errorf("%s was %s", got, c.Get("id").Text())
			}
		}
	})
	next.Healthy()
}

// TestRekeyGivenUpTakesTheKeysBack: another key can be taken after that.
func TestRekeyGivenUpTakesTheKeysBack(t *testing.T) {
	h := open(t)
	h.TakesIn(vaulttest.Brain(), aimem.Import{})
	h.Erases(h.Me(), h.LiveSaying("Prefers PostgreSQL."))
	for _, to := range []keys.Private{vaulttest.Seeded(t, 8), vaulttest.Seeded(t, 9)} {
		if _, err := h.Rekey(h.Ctx, h.Me(), to, nil); err != nil {
			t.Fatal(err)
		}
		if err := h.AbandonRekey(h.Ctx, h.Me(), to.DID()); err != nil {
			t.Fatal(err)
		}
	}
	next, _ := h.rekey(vaulttest.Seeded(t, 8))
	vaulttest.WantChunks(t, "under the next key", next.TakesIn(vaulttest.Brain(), aimem.Import{}), 0, 0, 3, 0)
}

// TestRekeyOfTheHomeKeepsOutForOthers: for whom the home owner's key marks, its next
// key does.
func TestRekeyOfTheHomeKeepsOutForOthers(t *testing.T) {
	racing.Skip(t)
	h, bob, c := opener(open).alone(t)
	gone, kept := vaulttest.SignedBy(t, bob, "gone"), vaulttest.SignedBy(t, bob, "kept")
	h.Brings(c, gone)
	h.Brings(c, kept)
	h.Erases(c, gone.ID)
	for n, to := range []byte{8, 9} {
		h.More = append(h.More, vaulttest.Seeded(t, to))
		if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, to), nil); err != nil {
			t.Fatal(err)
		}
		next := h.serverOf(vaulttest.Seeded(t, to))
		next.More = append(h.More, h.Key)
		if _, err := next.FinishRekey(h.Ctx, h.Me(), next.Key.DID()); err != nil {
			t.Fatal(err)
		}
		h = next
		report, err := h.Import(h.Ctx, h.Admitted(bob), &vaulttest.Run{Records: []memory.Record{gone, kept}}, vault.ImportOptions{Digest: string(rune('a' + n))})
		if err != nil || report.Created != 0 || report.Conflicting != 1 {
			t.Fatalf("imported again under the home key %d: %+v, %v", to, report, err)
		}
	}
}

func auditSecret(t *testing.T, seed byte) []byte { return audit.Secret(vaulttest.Seeded(t, seed)) }

func count(all []aimem.Code, sought aimem.Code) (n int) {
	for _, code := range all {
		if code == sought {
			n++
		}
	}
	return n
}
