package recall

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Candidates come in the order of their scores, however many there are, and newer ones first
// among equals.
func TestCandidatesInOrder(t *testing.T) {
	for _, n := range []int{0, 1, stage, 4 * stage, 4*stage + 1, 5000} {
		for _, levels := range []int{1, 7, 1 << 30} { // different scores
			r := rand.New(rand.NewPCG(uint64(n), uint64(levels)))
			var docs []scoredDoc
			for i := range n {
				docs = append(docs, scoredDoc{Doc(n - i), float64(r.IntN(levels)) / 8})
			}
			want := slices.Clone(docs)
			slices.SortFunc(want, func(a, b scoredDoc) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			g := candidateHeap{others: docs}
			g.refill()
			for taken := 0; taken < n; {
				if g.best() != want[taken].score {
					t.Fatalf("%d of %d, %d levels: the best has %v, want %v", taken, n, levels, g.best(), want[taken].score)
				}
				next := g.next(stage)
				if len(next) != min(stage, n-taken) {
					t.Fatalf("%d of %d: %d come next", taken, n, len(next))
				}
				for _, doc := range next {
					if doc != want[taken].doc {
						t.Fatalf("%d of %d, %d levels: document %d, want %d", taken, n, levels, doc, want[taken].doc)
					}
					taken++
				}
			}
			if len(g.heap) != 0 || len(g.next(stage)) != 0 {
				t.Fatalf("of %d, some remain", n)
			}
		}
	}
}
