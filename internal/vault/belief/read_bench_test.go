package belief_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// BenchmarkContext tells 1,000 beliefs, beside signing that document alone: the first
// is what a change costs, the second what every context costs at least. What is served
// while nothing changes was signed before.
func BenchmarkContext(b *testing.B) {
	h := open(b)
	for i := range 1000 {
		h.believes(engram.Belief{Category: engram.Categories()[i%10], Key: fmt.Sprintf("key_%d", i), Text: fmt.Sprintf("what is believed of number %d, in some words", i)})
	}
	h.Pass(time.Minute)
	view := h.context(h.Me(), engram.Query{})
	signer := engram.Signer{Issuer: engram.Issuer{Name: "here", URL: "https://here.example"}, Kid: "key-2026-06", Key: vaulttest.Seeded(b, 5), Lifetime: time.Hour}
	b.Run("sign", func(b *testing.B) {
		for b.Loop() {
			if _, err := signer.Issue(view, h.Now); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tell", func(b *testing.B) {
		for b.Loop() {
			h.context(h.Me(), engram.Query{})
		}
	})
	b.Run("state", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := h.State(h.Ctx, h.Me()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("diff of nothing", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Diff(h.Ctx, h.Me(), engram.Query{}, h.Now.Add(time.Hour)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
