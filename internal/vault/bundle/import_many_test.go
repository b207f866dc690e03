package bundle_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestImportAtOnce has many bring the same bundle at the same time, from two
// servers, in batches that meet.
func TestImportAtOnce(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImportAtOnce)
}

func testImportAtOnce(t *testing.T, open opener) {
	h := open(t)
	other := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Again(h.Seal), Now: func() time.Time { return vaulttest.Start() }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Batch: vaulttest.Batch})
	for _, c := range []struct {
		name     string
		size, at int
	}{{"AIMEM-5.4-4 a hundred of a small one", 3, 100}, {"some of one in batches", 2*vaulttest.Batch + 8, 6}} {
		t.Run(c.name, func(t *testing.T) {
			var b vaulttest.Bundle
			for i := range c.size {
				b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprintf("%d-%d", c.size, i), fmt.Sprintf("fact %d of %d", i, c.size)))
			}
			b.Entities, b.Links = []vaulttest.Object{vaulttest.Entity(fmt.Sprintf("e-%d", c.size), "PostgreSQL")}, []vaulttest.Object{vaulttest.Linked(fmt.Sprintf("%d-0", c.size), fmt.Sprintf("e-%d", c.size))}
			doc := b.Document(t)
			reports, errs := make([]aimem.Report, c.at), make([]error, c.at)
			var wait sync.WaitGroup
			for i := range c.at {
				opened := vaulttest.OpenBundle(t, doc, aimem.Options{})
				wait.Go(func() {
					v := h.Vault
					if i%2 == 1 {
						v = other
					}
					reports[i], errs[i] = bundles.New(v).ImportBrain(h.Ctx, h.Me(), opened, aimem.Import{})
				})
			}
			wait.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			inserted, skipped, entities := 0, 0, 0
			for _, r := range reports {
				inserted, skipped, entities = inserted+r.Inserted, skipped+r.Skipped, entities+r.Entities.Inserted
			}
			if inserted != c.size || skipped != c.size*(c.at-1) || entities != 1 {
				t.Errorf("inserted %d, skipped %d, entities %d", inserted, skipped, entities)
			}
		})
	}
	h.Healthy()
}

// TestImportThatFails leaves nothing, and a second run succeeds (AIMEM 3.2).
func TestImportThatFails(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	const all, most = 2*vaulttest.Batch + 60, 2*vaulttest.Batch + 40
	var b vaulttest.Bundle
	for i := range all {
		b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprint(i), fmt.Sprintf("fact %d", i)))
	}
	if err := h.SetQuota(h.Ctx, h.Me(), h.Key.DID(), store.Quota{Records: most}); err != nil {
		t.Fatal(err)
	}
	nothing := t.Run("AIMEM-3.2-6 a refusal in the last batch leaves nothing", func(t *testing.T) {
		_, err := h.ImportBrain(h.Ctx, h.Me(), b.Open(t), aimem.Import{})
		if !errors.Is(err, vault.ErrQuota) || h.Count() != 0 || h.Usage(h.Key.DID()).Records != 0 {
			t.Errorf("%v, %d records stay", err, h.Usage(h.Key.DID()).Records)
		}
	})
	if !nothing {
		return // the next import would wait for what this one left
	}
	if err := h.SetQuota(h.Ctx, h.Me(), h.Key.DID(), store.Quota{}); err != nil {
		t.Fatal(err)
	}
	t.Run("one that is cut off is tidied up by the next", func(t *testing.T) {
		opened := b.Open(t)
		cut := errors.New("cut off")
		func() {
			defer func() {
				if recover() != cut {
					t.Error("it was not cut off")
				}
			}()
			_, _ = h.ImportBrain(h.Ctx, h.Me(), opened, aimem.Import{Progress: func(done int) {
				if done >= 2*vaulttest.Batch {
					panic(cut)
				}
			}})
		}()
		if h.Count() != 0 || h.Usage(h.Key.DID()).Records == 0 {
			t.Fatalf("%d are visible, %d staged; the test could not fail", h.Count(), h.Usage(h.Key.DID()).Records)
		}
		h.Pass(16 * time.Second) // it renews its lease no more
		vaulttest.WantChunks(t, "second run", h.TakesIn(b, aimem.Import{}), all, 0, 0, 0)
		if n := h.Usage(h.Key.DID()).Records; n != all {
			t.Errorf("%d records are kept", n)
		}
	})
	h.Healthy()
}

// TestOwnersAreApart: a URN is somebody's own (AIMEM 2.9).
func TestOwnersAreApart(t *testing.T) {
	h := opener(open).shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	t.Run("AIMEM-2.9-8 two tenants, two chunks", func(t *testing.T) {
		vaulttest.WantChunks(t, "home", h.TakesIn(vaulttest.Brain(), aimem.Import{}), 3, 0, 0, 0)
		vaulttest.WantChunks(t, "ada", h.TakesInAs(h.Admitted(ada), vaulttest.Brain(), aimem.Import{}), 3, 0, 0, 0)
		if _, err := h.EraseOwner(h.Ctx, h.Admitted(ada)); err != nil {
			t.Fatal(err)
		}
		if got := h.Live(); len(got) != 3 {
			t.Errorf("left: %q", got)
		}
		vaulttest.WantChunks(t, "home again", h.TakesIn(vaulttest.Brain(), aimem.Import{}), 0, 0, 3, 0)
	})
}

// TestWhoBringsBundles: the verb write for all of the memory, and no more than that.
func TestWhoBringsBundles(t *testing.T) {
	h := open(t)
	write := memory.Grant{Verbs: []memory.Verb{memory.WriteVerb, memory.ReadVerb}}
	peer := h.Granted(write)
	narrow := write
	narrow.Scope.Project = "p"
	for name, c := range map[string]memory.Caller{
		"a stranger": {Owner: h.Key.DID(), Role: memory.Stranger}, "who may only read": h.Peer(), "a token for a project": h.Granted(narrow),
	} {
		if _, err := h.ImportBrain(h.Ctx, c, vaulttest.Brain().Open(t), aimem.Import{}); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []aimem.Import{{OnNewer: aimem.UpdateNewer}, {Restore: true}} {
		if _, err := h.ImportBrain(h.Ctx, peer, vaulttest.Brain().Open(t), o); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("%+v: %v", o, err)
		}
	}
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "the owner's own")}}, aimem.Import{})
	r := h.TakesInAs(peer, vaulttest.Brain(), aimem.Import{})
	vaulttest.WantChunks(t, "a peer", r, 2, 0, 0, 1)
	if r.Rejected[0].Stored != (aimem.ConflictSide{}) {
		t.Errorf("a peer learns of what it may not see: %+v", r.Rejected[0])
	}
	rec := h.MustGet(h.LiveSaying("Deploys on Fridays."))
	if rec.Scope.Visibility != memory.Private || !strings.Contains(string(rec.Form()), "token:t1") {
		t.Errorf("brought by a token: %s", rec.Form())
	}
	vaulttest.WantChunks(t, "an agent", h.TakesInAs(h.Agent(), vaulttest.Brain(), aimem.Import{}), 0, 0, 2, 1)
}
