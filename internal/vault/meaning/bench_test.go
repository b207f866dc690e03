package meaning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// benchDim is the number of components of a small model's vectors.
const benchDim = 384

// stub computes a random vector for each text.
type stub struct{ r *rand.Rand }

// Embed implements [meaning.Embedder].
func (s stub) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	all := make([]embed.Vector, len(texts))
	for i := range all {
		all[i] = embed.Vector{Scale: .001, Codes: make([]int8, benchDim)}
		for j := range all[i].Codes {
			all[i].Codes[j] = int8(s.r.IntN(255) - 127)
		}
	}
	return all, nil
}

// BenchmarkWarm reads an owner's vectors into memory, as a program does once.
func BenchmarkWarm(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := vaulttest.Open(b)
			random := stub{rand.New(rand.NewPCG(1, 2))}
			options := meaning.Options{Dial: func(memory.DID, meaning.Settings) (meaning.Embedder, error) { return random, nil }}
			used, err := h.Means(options).Use(h.Ctx, h.Me(), meaning.Settings{URL: "http://127.0.0.1", Model: "stub"})
			if err != nil {
				b.Fatal(err)
			}
			fill(b, h, n, random)
			b.ResetTimer()
			for b.Loop() {
				m := h.Means(options)
				if err := m.Warm(h.Ctx, h.Key.DID()); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			if status, _, err := h.Means(options).Status(h.Ctx, h.Me()); err != nil || status.Vectors != n+1 || status.Dim != used.Dim {
				b.Errorf("%+v, %v", status, err)
			}
		})
	}
}

// fill stores n rows with vectors.
func fill(b *testing.B, h *vaulttest.House, n int, random stub) {
	b.Helper()
	h.Tell("the first")
	if _, err := meaning.Of(h.Vault).CatchUp(h.Ctx, h.Key.DID()); err != nil {
		b.Fatal(err)
	}
	space := ""
	if err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		spaces, err := r.Spaces()
		for _, s := range spaces {
			if strings.HasPrefix(s, vault.MeaningSpace) {
				space = s
			}
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for start := 0; start < n; start += 1000 {
		err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
			list := make([]store.Attachment, 1000)
			for i := range list {
				id := memory.ID(fmt.Sprintf("urn:ump:%030d", start+i))
				row := store.Row{ID: id, Origin: []byte("{}"), Columns: store.Columns{Kind: memory.Semantic, Status: memory.Active, Created: h.Now}}
				if _, err := w.Insert(row, store.Document{}, store.Links{}); err != nil {
					return err
				}
				v, _ := random.Embed(h.Ctx, []string{""})
				list[i] = store.Attachment{Space: space, Key: string(id), From: id, Data: v[0].Bytes()}
			}
			_, err := w.AttachAll(list)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
