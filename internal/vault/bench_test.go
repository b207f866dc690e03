package vault_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func draft(text string) memory.Draft {
	return memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text},
		Origin: []byte(`{"kind":"semantic","body":{"text":` + vaulttest.Quote(text) + `}}`)}}
}

// corpora are stores filled once and used by every benchmark of a run.
var corpora sync.Map

// corpus returns a vault over n records. SATCHEL_BENCH_DIR keeps the stores
// between runs.
func corpus(b *testing.B, n int) *house {
	b.Helper()
	if h, ok := corpora.Load(n); ok {
		return h.(*house)
	}
	dir := os.Getenv("SATCHEL_BENCH_DIR")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "satchel-bench-"); err != nil {
			b.Fatal(err)
		}
	}
	folder := filepath.Join(dir, fmt.Sprintf("corpus-%d", n))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	h := openAt(b, filepath.Join(folder, "satchel.db"))
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	if page.Total < n {
		r := &vaulttest.Run{}
		for i := range n {
			rec := draft(vaulttest.Fact(i)).Record
			rec.Scope.Owner = h.Key.DID()
			rec.Time.Created = h.Now.Add(-time.Duration(i) * time.Minute)
			r.Records = append(r.Records, rec)
		}
		begin := time.Now()
		if _, err := h.Import(h.Ctx, h.Me(), r, vault.ImportOptions{}); err != nil {
			b.Fatal(err)
		}
		b.Logf("imported %d records in %v", n, time.Since(begin).Round(time.Millisecond))
	}
	corpora.Store(n, h)
	return h
}

// BenchmarkRecall reports p50 and p99 at two sizes, with SATCHEL_LONG also at a million
// records, which take many minutes to store. p50 at 100 k should be at most 3 times p50 at
// 10 k, p99 at 100 k at most 10 times its p50.
func BenchmarkRecall(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("SATCHEL_LONG") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			h := corpus(b, n)
			r := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			b.ResetTimer()
			for b.Loop() {
				words := strings.Fields(vaulttest.Fact(r.IntN(n)))
				r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
				q := memory.Query{Text: "what about " + strings.Join(words[:min(6, len(words))], " ") + "?", Limit: 10}
				begin := time.Now()
				if _, err := h.Recall(h.Ctx, h.Me(), q); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkVerifiedRecall measures what verification costs a recall, with the
// forms it meets verified before, on one store: verified ÷ unverified.
func BenchmarkVerifiedRecall(b *testing.B) {
	h := corpus(b, 10_000)
	plain := vault.Unverify(vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true}))
	ask := func(v *vault.Vault, n int) time.Duration {
		began := time.Now()
		if _, err := v.Recall(h.Ctx, h.Me(), memory.Query{Text: vaulttest.Fact(n * 37 % 10_000)}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	const questions = 64
	for n := range questions {
		ask(h.Vault, n)
		ask(plain, n)
	}
	var with, without time.Duration
	for n := 0; b.Loop(); n++ {
		with += ask(h.Vault, n%questions)
		without += ask(plain, n%questions)
	}
	b.ReportMetric(float64(with)/float64(without), "verified/unverified")
}
