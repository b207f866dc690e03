package rekey_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// placeBeside files what stands beside two records, more than fits a page, and returns it.
func (h *house) placeBeside(from, to memory.ID, imp int64) []store.Attachment {
	h.T.Helper()
	list := []store.Attachment{
		{Space: "edge", Key: "a\x00b", From: from, To: to, Import: imp, Data: []byte("an edge")},
		{Space: "trust", Key: "producer", Data: []byte("a key")},
	}
	for n := range vaulttest.Batch + 10 {
		list = append(list, store.Attachment{Space: "vector", Key: fmt.Sprint(n), From: from, Data: []byte{byte(n)}})
	}
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		_, err := w.AttachAll(list)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return list
}

// standsBeside returns what stands beside the records of an owner, as it was filed.
func (h *house) standsBeside(owner memory.DID) (list []store.Attachment) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, owner, func(r store.Reader) error {
		list = nil
		for _, space := range []string{"edge", "trust", "vector"} {
			some, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
			if err != nil {
				return err
			}
			for _, a := range some {
				a.Number, a.Document = 0, 0
				list = append(list, a)
			}
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return list
}

func TestRekeyCarriesWhatStandsBeside(t *testing.T) { onEach(t, testRekeyCarriesWhatStandsBeside) }

func testRekeyCarriesWhatStandsBeside(t *testing.T, open opener) {
	l := vaulttest.Lived(t, open.suite())
	want := houseOf(l).placeBeside(l.First, l.Linked, l.Number)
	next, _ := houseOf(l).rekey(vaulttest.Seeded(t, 8))
	if diff := cmp.Diff(want, next.standsBeside(next.Key.DID())); diff != "" {
		t.Errorf("under the new key (-want +got):\n%s", diff)
	}
	if left := houseOf(l).standsBeside(l.Key.DID()); len(left) > 0 {
		t.Errorf("%d are left under the old key", len(left))
	}
	if findings, err := next.Health(next.Ctx); err != nil || len(findings) > 0 {
		t.Errorf("the store has %q, %v", findings, err)
	}
}

// TestRekeyLeavesMachines: the machines of the old owner are not the new one's. They pair again.
func TestRekeyLeavesMachines(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.MustTake(vaulttest.Drafts(h.Key.DID(), 1), vault.ImportOptions{Digest: "d"})
		var list []store.Attachment
		for _, space := range []string{vault.MachineSpace, vault.ErasureMarkSpace, vault.ItemSpace, vault.MachineStateSpace, "replica.remote", "replica.log"} {
			list = append(list, store.Attachment{Space: space, Key: "key", Data: []byte("data")})
		}
		err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
			_, err := w.AttachAll(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		next, _ := h.rekey(vaulttest.Seeded(t, 8))
		err = next.Store.View(next.Ctx, next.Key.DID(), func(r store.Reader) error {
			spaces, err := r.Spaces()
			for _, space := range spaces {
				if strings.HasPrefix(space, "replica.") {
					t.Errorf("%s was carried over", space)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestRekeyAbandonedLeavesNothingBeside(t *testing.T) {
	onEach(t, testRekeyAbandonedLeavesNothingBeside)
}

func testRekeyAbandonedLeavesNothingBeside(t *testing.T, open opener) {
	h := open(t)
	h.MustTake(vaulttest.Drafts(h.Key.DID(), 3), vault.ImportOptions{Digest: "d"})
	want := h.placeBeside(h.Tell("here"), h.Tell("there"), 0)
	to := vaulttest.Seeded(t, 8)
	if _, err := h.Rekey(h.Ctx, h.Me(), to, nil); err != nil {
		t.Fatal(err)
	}
	if got := h.standsBeside(to.DID()); !cmp.Equal(got, want) {
		t.Errorf("%d were carried over, %d are to be", len(got), len(want))
	}
	if err := h.AbandonRekey(h.Ctx, h.Me(), to.DID()); err != nil {
		t.Fatal(err)
	}
	if left := h.standsBeside(to.DID()); len(left) > 0 {
		t.Errorf("%d are left under the other key", len(left))
	}
	if got := h.standsBeside(h.Key.DID()); !cmp.Equal(got, want) {
		t.Errorf("%d are left under the key, %d were there", len(got), len(want))
	}
}

// TestRekeyIntoOneThatIsThere takes back what went to an owner who had things of its
// own: these stay.
func TestRekeyIntoOneThatIsThere(t *testing.T) { onEach(t, testRekeyIntoOneThatIsThere) }

func testRekeyIntoOneThatIsThere(t *testing.T, open opener) {
	old := open(t)
	old.placeBeside(old.Tell("here"), old.Tell("there"), 0)
	home := old.under(vaulttest.Seeded(t, 8))
	own := store.Attachment{Space: "trust", Key: "producer", Data: []byte("another key")}
	err := home.Store.Update(home.Ctx, home.Key.DID(), func(w store.Writer) error {
		_, err := store.Attach(w, own)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); err != nil {
		t.Fatal(err)
	}
	got := home.standsBeside(home.Key.DID())
	if len(got) != vaulttest.Batch+12 || !slices.ContainsFunc(got, func(a store.Attachment) bool { return cmp.Equal(a, own) }) {
		t.Errorf("%d stand beside, the own one among them? %v", len(got), got[:min(3, len(got))])
	}
	if err := home.AbandonRekey(context.WithoutCancel(home.Ctx), old.Me(), home.Key.DID()); err != nil {
		t.Fatal(errors.Unwrap(err), err)
	}
	if diff := cmp.Diff([]store.Attachment{own}, home.standsBeside(home.Key.DID())); diff != "" {
		t.Errorf("once it is given up (-want +got):\n%s", diff)
	}
}
