package vault_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// erases erases a record as somebody.
func (h *house) erases(c memory.Caller, id memory.ID) {
	h.t.Helper()
	if _, err := h.Forget(h.ctx, c, memory.Forgetting{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
		h.t.Fatal(err)
	}
}

// TestRekeyKeepsOutWhatWasErased: what was erased under a key does not come back
// under the next one, nor under the one after that (decision AD-29).
func TestRekeyKeepsOutWhatWasErased(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyKeepsOutWhatWasErased)
}

func testRekeyKeepsOutWhatWasErased(t *testing.T, open opener) {
	h := open(t)
	h.takesIn(brain, aimem.Import{})
	h.erases(h.owner(), h.liveSaying("Prefers PostgreSQL."))
	second, _ := h.rekey(seeded(t, 8))
	wantChunks(t, "under the second key", second.takesIn(brain, aimem.Import{}), 0, 0, 3, 0)
	second.erases(second.owner(), second.liveSaying("Lives in Lisbon."))
	third, _ := second.rekey(seeded(t, 9))
	r := third.takesIn(brain, aimem.Import{})
	wantChunks(t, "under the third key", r, 0, 0, 3, 0)
	if n := count(codes(r), aimem.DeletedByUser); n != 2 {
		t.Errorf("%d are said to be deleted: %v", n, codes(r))
	}
	t.Run("nobody learns the keys of the marks from the store", func(t *testing.T) {
		err := third.store.View(third.ctx, third.key.DID(), func(r store.Reader) error {
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
	wantChunks(t, "restored", third.takesIn(brain, aimem.Import{Restore: true}), 2, 0, 1, 0)
	wantChunks(t, "then", third.takesIn(brain, aimem.Import{}), 0, 0, 3, 0)
	third.healthy()
}

// TestRekeyKeepsNamesOfChunks: a bundle that came in before is known under the next
// key, and leaves under the same names.
func TestRekeyKeepsNamesOfChunks(t *testing.T) {
	racing.Skip(t)
	onEach(t, testRekeyKeepsNamesOfChunks)
}

func testRekeyKeepsNamesOfChunks(t *testing.T, open opener) {
	h := open(t)
	h.takesIn(brain, aimem.Import{})
	h.pass(time.Hour)
	h.takesIn(bundle{chunks: []object{chunk("2", "Deploys on Mondays.", object{"created_at": "2026-04-02T09:00:00Z"})}}, aimem.Import{OnNewer: aimem.UpdateNewer})
	before := h.left(aimem.Export{OriginIDs: true})
	next, _ := h.rekey(seeded(t, 8))
	t.Run("AIMEM-2.9-1 importing again changes nothing", func(t *testing.T) {
		b := bundle{chunks: slices.Clone(brain.chunks), edges: brain.edges, entities: brain.entities, links: brain.links}
		b.chunks[1] = chunk("2", "Deploys on Mondays.", object{"created_at": "2026-04-02T09:00:00Z"})
		r := next.takesIn(b, aimem.Import{})
		wantChunks(t, "under the next key", r, 0, 0, 3, 0)
		if r.Entities.Inserted != 0 || len(next.live()) != 3 {
			t.Errorf("%+v, live: %q", r, next.live())
		}
	})
	t.Run("AIMEM-2.3-10 a chunk has the same name as before", func(t *testing.T) {
		after := next.left(aimem.Export{OriginIDs: true})
		for i, c := range before.Get("chunks").Items() {
			if got := after.Get("chunks").Items()[i].Get("id").Text(); got != c.Get("id").Text() {
				t.Errorf("%s was %s", got, c.Get("id").Text())
			}
		}
	})
	next.healthy()
}

// TestRekeyGivenUpTakesTheKeysBack: another key can be taken after that.
func TestRekeyGivenUpTakesTheKeysBack(t *testing.T) {
	h := open(t)
	h.takesIn(brain, aimem.Import{})
	h.erases(h.owner(), h.liveSaying("Prefers PostgreSQL."))
	for _, to := range []keys.Private{seeded(t, 8), seeded(t, 9)} {
		if _, err := h.Rekey(h.ctx, h.owner(), to, nil); err != nil {
			t.Fatal(err)
		}
		if err := h.AbandonRekey(h.ctx, h.owner(), to.DID()); err != nil {
			t.Fatal(err)
		}
	}
	next, _ := h.rekey(seeded(t, 8))
	wantChunks(t, "under the next key", next.takesIn(brain, aimem.Import{}), 0, 0, 3, 0)
}

// TestRekeyOfTheHomeKeepsOutForOthers: for whom the home owner's key marks, its next
// key does.
func TestRekeyOfTheHomeKeepsOutForOthers(t *testing.T) {
	racing.Skip(t)
	h, bob, c := opener(open).alone(t)
	gone, kept := signedBy(t, bob, "gone"), signedBy(t, bob, "kept")
	h.brings(c, gone)
	h.brings(c, kept)
	h.erases(c, gone.ID)
	for n, to := range []byte{8, 9} {
		h.more = append(h.more, seeded(t, to))
		if _, err := h.Rekey(h.ctx, h.owner(), seeded(t, to), nil); err != nil {
			t.Fatal(err)
		}
		next := h.serverOf(seeded(t, to))
		next.more = append(h.more, h.key)
		if _, err := next.FinishRekey(h.ctx, h.owner(), next.key.DID()); err != nil {
			t.Fatal(err)
		}
		h = next
		report, err := h.Import(h.ctx, h.admitted(bob), &run{records: []memory.Record{gone, kept}}, vault.ImportOptions{Digest: string(rune('a' + n))})
		if err != nil || report.Created != 0 || report.Conflicting != 1 {
			t.Fatalf("imported again under the home key %d: %+v, %v", to, report, err)
		}
	}
}

func auditSecret(t *testing.T, seed byte) []byte { return audit.Secret(seeded(t, seed)) }

func count(all []aimem.Code, sought aimem.Code) (n int) {
	for _, code := range all {
		if code == sought {
			n++
		}
	}
	return n
}
