package vault_test

import (
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestFailedRestoreLiftsNothing: an import with --restore that comes to no end lets
// nothing back in that was erased.
func TestFailedRestoreLiftsNothing(t *testing.T) { onEach(t, testFailedRestoreLiftsNothing) }

func testFailedRestoreLiftsNothing(t *testing.T, open opener) {
	h := open(t)
	erased := sealedBy(t, h.Key, memory.Private, "The garage code is in the blue book")
	whole := func() *vaulttest.Run {
		r := vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10)
		r.Records = append([]memory.Record{erased}, r.Records...)
		return r
	}
	h.MustTake(whole(), vault.ImportOptions{})
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: erased.ID, Reason: memory.UserRevoked, Hard: true}); err != nil {
		t.Fatal(err)
	}
	cutOff := whole()
	cutOff.Records = append(cutOff.Records, vaulttest.Drafts(h.Key.DID(), 2*vaulttest.Batch+20).Records[vaulttest.Batch+10:]...)
	cutOff.Fail = errors.New("the document ends here")
	if _, err := h.Import(h.Ctx, h.Me(), cutOff, vault.ImportOptions{Restore: true}); !errors.Is(err, cutOff.Fail) {
		t.Fatalf("%v, want %v", err, cutOff.Fail)
	}
	if r := h.MustTake(whole(), vault.ImportOptions{}); r.Created != 0 || r.Conflicting != 1 {
		t.Errorf("after a restore that failed: %d new, %d in conflict; want the erased one as a conflict", r.Created, r.Conflicting)
	}
	if r := h.MustTake(whole(), vault.ImportOptions{Restore: true}); r.Created != 1 {
		t.Errorf("restored: %+v, want the erased one", r)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: erased.ID, Reason: memory.Outdated}); err != nil {
		t.Errorf("what was restored cannot be forgotten: %v", err)
	}
}

// TestFailedImportDisplacesNothing: a record of another owner that has the id of one's own
// stays until the import that brings one's own comes to its end.
func TestFailedImportDisplacesNothing(t *testing.T) { onEach(t, testFailedImportDisplacesNothing) }

func testFailedImportDisplacesNothing(t *testing.T, open opener) {
	h := open(t)
	mira := vaulttest.Seeded(t, 21)
	named := func(r *memory.Record) { r.ID = "urn:ump:taken" }
	theirs := sealedBy(t, mira, memory.Shared, "Mira keeps this under an id of another's", named)
	own := sealedBy(t, h.Key, memory.Private, "This is what the id stands for", named)
	if r := h.MustTake(&vaulttest.Run{Records: []memory.Record{theirs}}, vault.ImportOptions{}); r.Foreign != 1 {
		t.Fatalf("%+v, want one that stays Mira's", r)
	}
	whole := func() *vaulttest.Run {
		r := vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10)
		r.Records = append([]memory.Record{own, own}, r.Records...)
		return r
	}
	cutOff := whole()
	cutOff.Fail = errors.New("the document ends here")
	if _, err := h.Import(h.Ctx, h.Me(), cutOff, vault.ImportOptions{}); !errors.Is(err, cutOff.Fail) {
		t.Fatalf("%v, want %v", err, cutOff.Fail)
	}
	if rec, err := h.Get(h.Ctx, h.Me(), theirs.ID, memory.CurrentView); err != nil || rec.Scope.Owner != mira.DID() {
		t.Errorf("after an import that failed: %q, %v; want Mira's", rec.Body.Text, err)
	}
	if r := h.MustTake(whole(), vault.ImportOptions{}); r.Created != vaulttest.Batch+11 || r.Displaced != 1 || r.Merged != 1 {
		t.Errorf("%d new, %d displaced, %d merged; want %d, 1 and 1", r.Created, r.Displaced, r.Merged, vaulttest.Batch+11)
	}
	if rec := h.MustGet(own.ID); rec.Scope.Owner != h.Key.DID() {
		t.Errorf("the id stands for %q", rec.Body.Text)
	}
	h.Healthy()
}
