package replicate_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkNewMachine brings 20,000 memories to a new machine.
func BenchmarkNewMachine(b *testing.B) {
	const n = 20_000
	for range b.N {
		b.StopTimer()
		all := machines(b, 2, embedded)
		run := &vaulttest.Run{}
		for i := range n {
			run.Records = append(run.Records, memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: vaulttest.Fact(i)},
				Scope: memory.Scope{Owner: all[0].own.Owner}, Provenance: &memory.Provenance{Actor: "x", ActorKind: memory.ByImport, Method: "test", Source: &memory.Source{Provider: "elsewhere", Ref: fmt.Sprint("elsewhere/", i)}}})
		}
		b.StartTimer()
		all[0].MustTake(run, vault.ImportOptions{Name: "n", Format: "test", Digest: "d"})
		b.ReportMetric(b.Elapsed().Seconds(), "import-s")
		began, used := b.Elapsed(), cpu(b)
		all[1].hear(b, all[0], 8<<20)
		b.ReportMetric((b.Elapsed() - began).Seconds(), "join-s")
		b.ReportMetric((cpu(b) - used).Seconds(), "join-cpu-s")
		began = b.Elapsed()
		items, _, _, err := all[0].Since(all[0].Ctx, "x", all[1].seen[all[0]], 1<<20)
		if err != nil || len(items) > 0 {
			b.Fatal(len(items), err)
		}
		b.ReportMetric((b.Elapsed()-began).Seconds()*1e6, "nothing-new-us")
	}
}

// cpu returns the processor time that the program has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
