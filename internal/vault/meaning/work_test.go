package meaning_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestErased: the vector of an erased or emptied record leaves the store and its files.
func TestErased(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		id := h.Tell("A hound named Bella")
		h.Tell("A poodle for a month", `"consent":{"retention":"P30D"}`)
		h.Tell("Trout")
		h.use(meaning.Settings{All: true})
		x := make([]float32, embedtest.Dim)
		for i, f := range embedtest.Vector("A hound named Bella") {
			x[i] = float32(f)
		}
		raw := func() bool {
			found := false
			for _, ending := range []string{"", "-wal"} {
				data, err := os.ReadFile(h.Path + ending)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				found = found || bytes.Contains(data, codes(x))
			}
			return found
		}
		if h.Clears() && !raw() {
			t.Fatal("the vector is not in the file: this test looks for the wrong bytes")
		}
		h.finds(h.Me(), "Bella the dog", "A hound named Bella")
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Hard: true, Reason: "user_revoked"}); err != nil {
			t.Fatal(err)
		}
		if n := vectorsOf(h); n != 2 || h.Clears() && raw() {
			t.Errorf("%d vectors are left, want 2; or the file holds the erased one", n)
		}
		h.finds(h.Me(), "my dog", "A poodle for a month")
		if status, _, err := h.meaning.Status(h.Ctx, h.Me()); err != nil || status.Vectors != 2 {
			t.Errorf("%d vectors are in memory, want 2; %v", status.Vectors, err)
		}
		h.Pass(31 * 24 * time.Hour)
		if _, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil {
			t.Fatal(err)
		}
		if n := vectorsOf(h); n != 1 {
			t.Errorf("%d vectors are left after the retention, want 1", n)
		}
		h.finds(h.Me(), "my dog", "Trout")
		last := h.Tell("A hound again")
		h.catchUp()
		h.finds(h.Me(), "my dog", "A hound again")
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: last, Reason: "outdated"}); err != nil {
			t.Fatal(err)
		}
		if n := vectorsOf(h); n != 1 {
			t.Errorf("%d vectors are left after a forgetting, want 1", n)
		}
		h.finds(h.Me(), "my dog", "Trout")
	})
}

// codes are the bytes of a quantised vector.
func codes(x []float32) []byte {
	var largest float32
	for _, f := range x {
		largest = max(largest, max(f, -f))
	}
	out := make([]byte, len(x))
	for i, f := range x {
		code := float64(f) / float64(largest) * 127
		out[i] = byte(int8(code + map[bool]float64{true: .5, false: -.5}[code >= 0]))
	}
	return out
}

// TestCutOff: work that was cut off goes on where it stopped, and sends nothing twice.
func TestCutOff(t *testing.T) {
	racing.Skip(t)
	h := open(t, vaulttest.Open)
	for i := range 100 {
		h.Tell(fmt.Sprintf("note number%d", i))
	}
	h.use(meaning.Settings{})
	if err := h.meaning.Off(h.Ctx, h.Me(), false); err != nil {
		t.Fatal(err)
	}
	s := meaning.Settings{URL: h.server.URL, Model: "table"}
	if _, err := h.meaning.Use(h.Ctx, h.Me(), s); err != nil {
		t.Fatal(err)
	}
	before := len(h.server.Texts())
	ctx, stop := context.WithCancel(h.Ctx)
	if _, err := h.meaning.Backfill(ctx, h.Me(), func(meaning.Report) { stop() }); err == nil {
		t.Fatal("a stopped backfill succeeds")
	}
	if n := vectorsOf(h); n != embed.MostTexts {
		t.Errorf("%d vectors after a batch", n)
	}
	far := 0
	r, err := h.meaning.Backfill(h.Ctx, h.Me(), func(r meaning.Report) { far = r.Considered() })
	if err != nil || r != (meaning.Report{Embedded: 100 - embed.MostTexts, Before: embed.MostTexts}) || far != 100 {
		t.Errorf("went on with %+v up to %d, %v", r, far, err)
	}
	sent := h.server.Texts()[before:]
	slices.Sort(sent)
	if n := len(slices.Compact(slices.Clone(sent))); n != 100 || len(sent) != 100 {
		t.Errorf("sent %d texts, %d of them different", len(sent), n)
	}
}

// meddler does something else while it is asked.
type meddler struct {
	meaning.Embedder
	meddle func()
}

// Embed implements [meaning.Embedder].
func (m meddler) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	vectors, err := m.Embedder.Embed(ctx, texts)
	m.meddle()
	return vectors, err
}

// TestMeanwhile: what is erased, or turned off, while the server computes leaves no vector.
func TestMeanwhile(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.use(meaning.Settings{})
		meddle := func() {}
		h.meaning = h.Means(meaning.Options{Patience: time.Minute, Dial: func(owner memory.DID, s meaning.Settings) (meaning.Embedder, error) {
			e, err := dial(owner, s)
			return meddler{e, func() { meddle() }}, err
		}})
		h.Tell("trout")
		gone := h.Tell("poodle")
		meddle = func() {
			meddle = func() {}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: gone, Hard: true, Reason: "user_revoked"}); err != nil {
				t.Error(err)
			}
		}
		if r := h.catchUp(); r != (meaning.Report{Embedded: 1}) || vectorsOf(h) != 1 {
			t.Errorf("%+v, and %d vectors", r, vectorsOf(h))
		}
		h.Tell("hound")
		meddle = func() {
			meddle = func() {}
			if err := h.meaning.Off(h.Ctx, h.Me(), false); err != nil {
				t.Error(err)
			}
		}
		if r := h.catchUp(); r != (meaning.Report{}) || vectorsOf(h) != 0 {
			t.Errorf("after off: %+v, and %d vectors", r, vectorsOf(h))
		}
	})
}

// TestRefusedTexts: a text that the server refuses stops no others.
func TestRefusedTexts(t *testing.T) {
	h := open(t, vaulttest.Open)
	h.Tell("hound " + strings.Repeat("long ", 40))
	h.Tell("poodle")
	h.Tell("trout")
	h.server.Limit(100)
	s := meaning.Settings{URL: h.server.URL, Model: "table"}
	if _, err := h.meaning.Use(h.Ctx, h.Me(), s); err != nil {
		t.Fatal(err)
	}
	if r := h.catchUp(); r != (meaning.Report{Embedded: 2, Refused: 1}) {
		t.Errorf("%+v", r)
	}
	h.server.Limit(1)
	h.Tell("another poodle")
	h.Tell("another trout")
	if r, err := h.meaning.Backfill(h.Ctx, h.Me(), func(meaning.Report) {}); !embed.IsRefused(err) {
		t.Errorf("a server that refuses everything: %+v, %v", r, err)
	}
}

// TestTogether: questions, writes, erasures and the work on vectors go on at once.
func TestTogether(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.Tell("A poodle named Rex")
		h.use(meaning.Settings{})
		var all sync.WaitGroup
		each := func(do func(i int) error) {
			all.Go(func() {
				for i := range 8 {
					if err := do(i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			each(func(int) error {
				hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "Rex the dog"})
				if err == nil && (len(hits) == 0 || hits[0].Record.Body.Text != "A poodle named Rex") {
					err = fmt.Errorf("found %v", hits)
				}
				return err
			})
			each(func(int) error { _, err := h.meaning.CatchUp(h.Ctx, h.Key.DID()); return err })
		}
		each(func(i int) error {
			made, err := h.Remember(h.Ctx, h.Me(), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("Trout number%d", i)}}})
			if err == nil && i%2 == 0 {
				_, err = h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: made.ID, Hard: true, Reason: "user_revoked"})
			}
			return err
		})
		all.Wait()
		h.catchUp()
		if status, _, err := h.meaning.Status(h.Ctx, h.Me()); err != nil || status.Vectors != 5 || vectorsOf(h) != 5 {
			t.Errorf("%d vectors in memory, %d stored, want 5; %v", status.Vectors, vectorsOf(h), err)
		}
	})
}
