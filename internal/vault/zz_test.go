package vault_test
import ("testing";"fmt";"math/rand/v2";"strings";"time";"slices";"github.com/satchel-memory/satchel/memory")
func BenchmarkZZ(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		h := corpus(b, n)
		for _, who := range []string{"owner","peer"} {
		b.Run(fmt.Sprintf("%d-%s", n, who), func(b *testing.B) {
			c := h.owner()
			if who == "peer" { c = memory.Caller{Owner: h.key.DID(), Role: memory.Peer} }
			r := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			for b.Loop() {
				words := strings.Fields(fact(r.IntN(n)))
				r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
				q := memory.Query{Text: "what about " + strings.Join(words[:min(6, len(words))], " ") + "?", Limit: 10}
				begin := time.Now()
				hits, err := h.Recall(h.ctx, c, q)
				if err != nil { b.Fatal(err) }
				_ = hits
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
		}
	}
}
