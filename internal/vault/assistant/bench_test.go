package assistant_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkJournal compares a recall by an assistant, which the journal notes, with the same
// recall by the owner, which it does not: noted/plain should be about 1. Beside it stands
// what the look for a pause takes.
func BenchmarkJournal(b *testing.B) {
	h := vaulttest.OpenAt(b, filepath.Join(b.TempDir(), "satchel.db"))
	service := assistant.New(h.Vault)
	for n := range 1000 {
		h.Tell(vaulttest.Fact(n))
	}
	took := func(do func() error) time.Duration {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	var noted, plain, admitted []time.Duration
	for n := 0; b.Loop(); n++ {
		q := memory.Query{Text: vaulttest.Fact(n * 37 % 1000)}
		noted = append(noted, took(func() error { _, err := h.Recall(h.Ctx, h.Agent(), q); return err }))
		plain = append(plain, took(func() error { _, err := h.Recall(h.Ctx, h.Me(), q); return err }))
		admitted = append(admitted, took(func() error { return service.AdmitHost(h.Ctx, h.Agent()) }))
	}
	h.Flush(h.Ctx)
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds())
	}
	b.ReportMetric(median(noted)/median(plain), "noted/plain")
	b.ReportMetric(median(plain), "plain-µs")
	b.ReportMetric(median(admitted), "admit-µs")
}
