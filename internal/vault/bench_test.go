package vault_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// fact makes the n-th text of a corpus: words follow Zipf's law over a
// vocabulary of their own, as words in people's notes do.
func fact(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	z := rand.NewZipf(r, 1.1, 4, 40_000)
	words := make([]string, 0, 18)
	for range 8 + r.IntN(16) {
		words = append(words, "w"+strconv.FormatUint(z.Uint64(), 36))
	}
	return strings.Join(words, " ") + " note " + strconv.Itoa(n)
}

func draft(text string) memory.Draft {
	return memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text},
		Origin: []byte(`{"kind":"semantic","body":{"text":` + quote(text) + `}}`)}}
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
	h := openAt(b, filepath.Join(dir, fmt.Sprintf("corpus-%d", n), "satchel.db"))
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	if page.Total < n {
		r := &run{}
		for i := range n {
			rec := draft(fact(i)).Record
			rec.Scope.Owner = h.key.DID()
			rec.Time.Created = h.now.Add(-time.Duration(i) * time.Minute)
			r.records = append(r.records, rec)
		}
		begin := time.Now()
		if _, err := h.Import(h.ctx, h.owner(), r, vault.ImportOptions{}); err != nil {
			b.Fatal(err)
		}
		b.Logf("imported %d records in %v", n, time.Since(begin).Round(time.Millisecond))
	}
	corpora.Store(n, h)
	return h
}

// BenchmarkRecall reports p50 and p99 at three sizes. p50 at 100 k should be at
// most 3 times p50 at 10 k, p99 at 100 k at most 10 times its p50.
func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			h := corpus(b, n)
			r := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			b.ResetTimer()
			for b.Loop() {
				words := strings.Fields(fact(r.IntN(n)))
				r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
				q := memory.Query{Text: "what about " + strings.Join(words[:min(6, len(words))], " ") + "?", Limit: 10}
				begin := time.Now()
				if _, err := h.Recall(h.ctx, h.owner(), q); err != nil {
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
	plain := vault.Unverify(vault.New(vault.Options{Store: h.store, Now: func() time.Time { return h.now }, Key: h.holds, Signed: true}))
	ask := func(v *vault.Vault, n int) time.Duration {
		began := time.Now()
		if _, err := v.Recall(h.ctx, h.owner(), memory.Query{Text: fact(n * 37 % 10_000)}); err != nil {
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
