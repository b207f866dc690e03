package vault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// wantFull makes sure of a refusal because of the quota, which says how much is
// used of how much.
func wantFull(t *testing.T, what string, err error, says string) {
	t.Helper()
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || e.Kind != memory.ForbiddenScope || !errors.Is(err, vault.ErrQuota) || !strings.Contains(e.Message, says) {
		t.Errorf("%s: got %v, want a refusal that says %q", what, err, says)
	}
}

func TestQuotaOfRecords(t *testing.T) { onEach(t, testQuotaOfRecords) }

func testQuotaOfRecords(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	h.Add(ada, store.Quota{Records: 3})
	h.Order(vault.AccountOrder{Key: bob})
	c := h.Admitted(ada)
	var ids []memory.ID
	for i := range 3 {
		id, err := h.Says(c, fmt.Sprintf("fact number %d", i))
		if err != nil {
			t.Fatalf("within the quota: %v", err)
		}
		ids = append(ids, id)
	}
	before := h.Usage(ada.DID())
	_, err := h.Says(c, "one too many")
	wantFull(t, "remember", err, "3 of 3 records")
	_, err = h.Call(ump.OpRevise, c, `{"id":"`+string(ids[0])+`","patch":{"body":{"text":"revised"}}}`)
	wantFull(t, "revise", err, "3 of 3 records")
	_, err = h.Import(h.Ctx, c, vaulttest.Drafts(ada.DID(), 2), vault.ImportOptions{Digest: "small"})
	wantFull(t, "a small import", err, "3 of 3 records")
	_, err = h.Import(h.Ctx, c, vaulttest.Drafts(ada.DID(), vaulttest.Batch+10), vault.ImportOptions{Digest: "large"})
	wantFull(t, "an import", err, "3 of 3 records")
	if after := h.Usage(ada.DID()); after != before {
		t.Errorf("the refusals left %+v, it was %+v", after, before)
	}
	if _, err := h.Says(h.Admitted(bob), "another owner is not concerned"); err != nil {
		t.Error(err)
	}
	if _, err := h.Says(c, "fact number 0"); err != nil {
		t.Errorf("what is known already: %v", err)
	}
	if err := h.SetQuota(h.Ctx, h.Me(), ada.DID(), store.Quota{Records: 1}); err != nil {
		t.Fatal(err)
	}
	if err := h.Feedback(h.Ctx, c, ids[0], "followed", "s"); err != nil {
		t.Errorf("what takes no room, above the quota: %v", err)
	}
	if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: ids[0], Reason: memory.Outdated}); err != nil {
		t.Errorf("forget above the quota: %v", err)
	}
	for _, id := range ids[1:] {
		if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: id, Reason: memory.Outdated, Hard: true}); err != nil {
			t.Errorf("erase above the quota: %v", err)
		}
	}
	_, err = h.Says(c, "still full")
	wantFull(t, "at the quota", err, "1 of 1 records")
	if err := h.SetQuota(h.Ctx, h.Me(), ada.DID(), store.Quota{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Says(c, "as much as there is room for"); err != nil {
		t.Error(err)
	}
	h.Healthy()
}

// TestQuotaMidway has an import reach the quota when it has staged a batch already.
func TestQuotaMidway(t *testing.T) {
	racing.Skip(t)
	onEach(t, testQuotaMidway)
}

func testQuotaMidway(t *testing.T, open opener) {
	h := open.shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{Records: 50})
	c := h.Admitted(ada)
	_, err := h.Import(h.Ctx, c, vaulttest.Drafts(ada.DID(), 80), vault.ImportOptions{Digest: "large"})
	wantFull(t, "import", err, "32 of 50 records")
	if got := h.Usage(ada.DID()); got.Records != 0 || got.Bytes != 0 {
		t.Errorf("the refusal left %+v", got)
	}
	if report, err := h.Import(h.Ctx, c, vaulttest.Drafts(ada.DID(), 50), vault.ImportOptions{Digest: "fits"}); err != nil || report.Created != 50 {
		t.Errorf("what just fits: %+v, %v", report, err)
	}
	if done, err := h.Undo(h.Ctx, c, 2); err != nil || done.Removed != 50 {
		t.Errorf("undo at the quota: %+v, %v", done, err)
	}
}

func TestQuotaOfBytes(t *testing.T) { onEach(t, testQuotaOfBytes) }

func testQuotaOfBytes(t *testing.T, open opener) {
	h := open.shared(t)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	c := h.Admitted(ada)
	id, err := h.Says(c, "how long is a record?")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := h.Says(c, "for a day", `"consent":{"retention":"P1D"}`)
	if err != nil {
		t.Fatal(err)
	}
	used := h.Usage(ada.DID()).Bytes
	if err := h.SetQuota(h.Ctx, h.Me(), ada.DID(), store.Quota{Bytes: used}); err != nil {
		t.Fatal(err)
	}
	says := fmt.Sprintf("%d of %d bytes", used, used)
	_, err = h.Says(c, "more")
	wantFull(t, "remember", err, says)
	evidence := `"provenance":{"actor":"` + string(ada.DID()) + `","actor_kind":"user","method":"x","evidence":[{"ref":"elsewhere"}]}`
	_, err = h.Says(c, "how long is a record?", evidence)
	wantFull(t, "evidence of what is known", err, says)
	if err := h.Feedback(h.Ctx, c, id, "followed", "s"); err != nil {
		t.Errorf("what takes no room: %v", err)
	}
	if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: id, Reason: memory.Outdated}); err != nil {
		t.Errorf("a tombstone says more than the record, and is let through: %v", err)
	}
	if got := h.Usage(ada.DID()).Bytes; got <= used {
		t.Errorf("the tombstone took no room: %d bytes, it was %d; the test could not fail", got, used)
	}
	if err := h.Feedback(h.Ctx, c, kept, "ignored", "s"); err != nil {
		t.Errorf("what takes no room, above the quota: %v", err)
	}
	h.Pass(48 * time.Hour)
	if n, err := h.Sweep(h.Ctx, ada.DID()); n != 1 || err != nil {
		t.Errorf("sweep above the quota: %d, %v", n, err)
	}
	if rec, err := h.Get(h.Ctx, c, kept, memory.CurrentView); err != nil || rec.Body.Text != ump.ErasedExpired {
		t.Errorf("swept to %q, %v", rec.Body.Text, err)
	}
	if _, err := h.EraseOwner(h.Ctx, c); err != nil {
		t.Error(err)
	}
	if got := h.Usage(ada.DID()); got.Bytes != 0 || got.Quota.Bytes != used || got.Added.IsZero() {
		t.Errorf("an erased owner stays in: %+v", got)
	}
}

// TestQuotaOfTheHomeOwner: it may have one as well, and stays what it is.
func TestQuotaOfTheHomeOwner(t *testing.T) {
	h := opener(open).shared(t)
	if err := h.SetQuota(h.Ctx, h.Me(), h.Key.DID(), store.Quota{Records: 1}); err != nil {
		t.Fatal(err)
	}
	h.Tell("one")
	_, err := h.Says(h.Me(), "two")
	wantFull(t, "the home owner", err, "1 of 1 records")
	if err := h.SetQuota(h.Ctx, h.Me(), h.Key.DID(), store.Quota{Records: -1}); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("less than nothing: %v", err)
	}
}
