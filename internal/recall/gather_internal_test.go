package recall

import (
	"context"
	"fmt"
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

// listsIndex is an index with postings only.
type listsIndex struct {
	Index
	lists map[string][]Posting
}

func (x listsIndex) Postings(_ context.Context, term string, most int) ([]Posting, error) {
	list := x.lists[term]
	return list[:min(len(list), most)], nil
}

// asked returns a question of terms that so many of a million documents have, and their index.
// A term is a relative of the first one from place own on.
func asked(own int, holders ...int) (question, listsIndex) {
	const documents = 1_000_000
	r := rand.New(rand.NewPCG(3, uint64(len(holders))))
	var q question
	x := listsIndex{lists: make(map[string][]Posting)}
	for i, n := range holders {
		t := queryTerm{term: fmt.Sprint("term", i), of: i, df: n, weight: rarity(float64(n), documents)}
		if i >= own {
			t.of, t.weight = 0, .45*t.weight
		}
		q.terms = append(q.terms, t)
		var list []Posting
		for doc := Doc(documents); doc > 0; doc -= 1 + Doc(r.ExpFloat64()*float64(documents)/float64(n)) {
			list = append(list, Posting{Doc: doc, Frequency: uint8(1 + r.IntN(9)/8*r.IntN(6)), Length: uint16(3 + r.IntN(40)*(1+r.IntN(99)/98*20))})
		}
		x.lists[t.term] = list
	}
	return q, x
}

// TestSumInTurn: however a term's scores join those of others, the sum is that of one term after
// the other, to the last digit.
func TestSumInTurn(t *testing.T) {
	for _, holders := range [][]int{{1000}, {50, 9000, 40_000}, {40_000, 3000, 2000, 4000, 10, 1, 5000, 7000, 300}, {9, 8, 7, 10_000}} {
		q, x := asked(len(holders), holders...)
		const average = 21.5
		want := make(map[Doc]float64)
		use := new(Scratch)
		for range 2 { // the second finds the room of the first
			clear(want)
			sum := newSum(use, []scoredDoc{{doc: 2_000_000}, {doc: 7}}, average)
			want[2_000_000], want[7] = 0, 0
			for i, term := range q.terms {
				for _, p := range x.lists[term.term] {
					want[p.Doc] = float64(term.weight*occurrence(float64(p.Frequency), float64(p.Length)/average)) + want[p.Doc]
				}
				sum.add(x.lists[term.term], term.weight)
				for _, score := range []float64{0, 3, 6, 9, 6.5, 12, 40} {
					var all []scoredDoc
					for doc, score := range want {
						all = append(all, scoredDoc{doc, score})
					}
					for _, n := range []int{1, 20, 300} {
						if got, reached := sum.reaches(n, score), nth(all, n, 1) > score; got != reached {
							t.Fatalf("%v, term %d: %d reach %v: %v, want %v", holders, i, n, score, got, reached)
						}
					}
				}
			}
			got := sum.all()
			if len(got) != len(want) {
				t.Fatalf("%v: %d documents, want %d", holders, len(got), len(want))
			}
			for i, d := range got {
				if i > 0 && d.doc >= got[i-1].doc || d.score != want[d.doc] {
					t.Fatalf("%v: document %d has %v, want %v; before it is %d", holders, d.doc, d.score, want[d.doc], got[max(0, i-1)].doc)
				}
			}
		}
	}
}

// BenchmarkGather gathers the documents of questions to a million memories.
func BenchmarkGather(b *testing.B) {
	for name, holders := range map[string][]int{
		"common words": {4500, 8000, 25_000},
		"relatives":    {4500, 16_000, 25_000, 180, 240, 420, 620, 640, 720, 1000, 1200, 1280, 1500, 1880, 2200, 2400},
	} {
		b.Run(name, func(b *testing.B) {
			q, x := asked(3, holders...)
			use := new(Scratch)
			for b.Loop() {
				if _, err := gather(b.Context(), x, q, 21.5, defaultPostings, 1<<20, use); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
