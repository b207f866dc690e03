package vault_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestReindex: records that an older release indexed are found by their old terms at once,
// and by those of this release when they are indexed anew, in batches and by several
// processes at once. Nothing else changes.
func TestReindex(t *testing.T) {
	const records = 150
	h := open(t)
	h.Tell("Never commit secrets", `"kind":"procedural"`) // protected from jobs
	for i := range records - 1 {
		h.Tell(fmt.Sprintf("Fact %d: the annual general meeting is at the dentist's", i))
	}
	byOld(t, h, func(terms []string, length int) ([]string, int) { return terms, length })
	ask := func(v *vault.Vault, question string) int {
		t.Helper()
		hits, err := v.Recall(h.Ctx, h.Agent(), memory.Query{Text: question, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	if dentist, secrets, short := ask(h.Vault, "dentist"), ask(h.Vault, "secrets"), ask(h.Vault, "AGM?"); dentist != 50 || secrets != 1 || short != 0 {
		t.Fatalf("by the old terms: %d, %d and %d", dentist, secrets, short)
	}
	before := h.Contents()
	t.Run("cut off, it goes on", func(t *testing.T) {
		ctx, cancel := context.WithCancel(h.Ctx)
		done, err := h.ReindexAll(ctx, func(int) { cancel() })
		if done == 0 || done >= records || err == nil || outdated(t, h) != records-done {
			t.Errorf("%d done, %d left, %v", done, outdated(t, h), err)
		}
	})
	t.Run("two processes share the work", func(t *testing.T) {
		left := outdated(t, h)
		other := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true})
		ends, total := make(chan error), new(atomic.Int64)
		for _, v := range []*vault.Vault{h.Vault, other} {
			go func() {
				done, err := v.ReindexAll(h.Ctx, func(int) {})
				total.Add(int64(done))
				ends <- err
			}()
		}
		if err := errors.Join(<-ends, <-ends); err != nil || left == 0 || outdated(t, h) != 0 || total.Load() != int64(left) {
			t.Errorf("%d done and %d left of %d, %v", total.Load(), outdated(t, h), left, err)
		}
	})
	if secrets, short := ask(h.Vault, "secrets"), ask(h.Vault, "AGM?"); secrets != 1 || short != 50 {
		t.Errorf("by the new terms: %d and %d", secrets, short)
	}
	if after := h.Contents(); after != before {
		t.Error("the records have changed")
	}
	if done, err := h.ReindexAll(h.Ctx, func(int) {}); done != 0 || err != nil {
		t.Errorf("once more: %d, %v", done, err)
	}
	for range 2 { // processes that come to the same record
		if err := vault.MarkIndexed(h.Ctx, h.Vault, h.Key.DID(), 100); err != nil {
			t.Errorf("how far it is: %v", err)
		}
	}
}

// byOld indexes the records as an older release did, by what it made of their words alone.
func byOld(t *testing.T, h *house, made func(terms []string, length int) ([]string, int)) {
	t.Helper()
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		numbers, _, err := w.Outdated(recall.Version+1, 0, 1000)
		if err != nil {
			return err
		}
		rows, err := w.Numbered(numbers)
		for _, row := range rows {
			rec, err := vault.Decoded(row)
			if err != nil {
				return err
			}
			terms, length := made(recall.TextTerms(rec.Body.Text))
			d := store.Document{Terms: make(map[string]int), Length: length, Version: recall.Version - 1}
			for _, term := range slices.Compact(terms) {
				d.Terms[term] = 1
			}
			if err := w.Reindex(row.Number, d); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// outdated counts the records that an older release indexed.
func outdated(t *testing.T, h *house) (n int) {
	t.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		numbers, _, err := r.Outdated(recall.Version, 0, 1000)
		n = len(numbers)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDueOfNobody takes the work of an owner who is not let in off the list, and files it when
// the owner is.
func TestDueOfNobody(t *testing.T) {
	h := open(t)
	ada := vaulttest.Seeded(t, 21)
	if err := h.Store.Update(h.Ctx, ada.DID(), func(w store.Writer) error { return w.Schedule(store.Sweep, h.Now) }); err != nil {
		t.Fatal(err)
	}
	due := func() bool {
		t.Helper()
		owners, err := h.Store.Due(h.Ctx, store.Sweep, h.Now.Add(time.Hour), 9)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(owners, ada.DID())
	}
	if !due() {
		t.Fatal("nothing is due")
	}
	if err := h.SweepAll(h.Ctx); err != nil || due() {
		t.Errorf("of an owner who is not let in: %v, due %v", err, due())
	}
	h.Add(ada, store.Quota{})
	if !due() {
		t.Error("nothing is due of an owner who is let in")
	}
	if err := h.SweepAll(h.Ctx); err != nil || due() {
		t.Errorf("of an owner without records: %v, due %v", err, due())
	}
}
