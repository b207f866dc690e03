package recall

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// lendReach is how far a match lends: to so many documents before and after it.
const lendReach = 3

// lending is how much of a match reaches the documents learnt just before it and
// just after: what was asked in one moment is answered in the next. It is .7 to
// the next and .5 to the one before, and for every further one .7 of that.
var lending = [2*lendReach + 1]float64{.245, .35, .5, 1, .7, .49, .343}

// lent returns the part of a match that reaches a document that was learnt
// distance documents later; a negative distance is earlier.
func lent(distance Doc) float64 {
	if distance < -lendReach || distance > lendReach {
		return 0
	}
	return lending[distance+lendReach]
}

// Term frequency and length count as in BM25, length for little: memories are
// short, and a long one is not the worse for it.
const (
	saturation  = .9
	lengthShare = .3
)

// occurrence returns what a term's frequency says of a document of the given
// length, relative to the average: about 1 for one occurrence.
func occurrence(frequency, length float64) float64 {
	return frequency * (saturation + 1) / (frequency + saturation*(1-lengthShare+lengthShare*length))
}

// lenders is how many of the best matches lend to neighbours that hold no term
// of the question themselves.
const lenders = 512

// scored is a document with what its postings say.
type scored struct {
	doc   Doc
	score float64
}

// gathered are the documents that may answer, best first by heap order.
type gathered struct {
	heap      []scored
	read      int     // postings
	rest      float64 // what the terms whose postings were not read may add to a score
	truncated bool    // not all postings were read: there may be others
}

// overshoot is how far beyond its weight a term may count: it occurs several
// times, in a short document.
const overshoot = 1.3

// gather reads the postings of a question's terms, rarest first, until budget is
// spent or depth documents have scores that those which only hold what is left
// cannot reach. What is common among many documents tells least and costs most, so
// the time this takes hardly grows with the number of documents.
//
// A question confined to kinds with few records goes through all of those.
func gather(ctx context.Context, idx Index, q question, average float64, budget, depth int) (gathered, error) {
	var g gathered
	kinds, few, err := ofKinds(ctx, idx, q.only)
	if err != nil {
		return gathered{}, err
	}
	docs := slices.Clone(kinds)
	g.read = len(kinds)
	budget += len(kinds)
	var spare []scored
	order := rarestFirst(q.terms)
	for i, t := range order {
		g.rest = atMost(order[i:])
		if budget-g.read <= 0 || nth(docs, depth) > overshoot*g.rest {
			g.truncated = true
			break
		}
		postings, err := idx.Postings(ctx, t.term, budget-g.read)
		if err != nil {
			return gathered{}, err
		}
		g.rest = 0
		g.read += len(postings)
		g.truncated = g.truncated || len(postings) < t.df && g.read >= budget
		docs, spare = merge(spare, docs, postings, t.weight, average), docs
	}
	g.heap = docs
	if q.lends {
		g.heap = lend(docs)
	}
	if few {
		g.truncated = false // they are all there, whatever the terms say
		g.heap = slices.DeleteFunc(g.heap, func(d scored) bool { return !isAmong(kinds, d.doc) })
	}
	heap.Init(&g)
	return g, nil
}

// atMost returns what a document may get for holding all of terms: for each
// that was asked, what it or one of its relatives weighs.
func atMost(terms []wanted) float64 {
	heaviest := make(map[int]float64, len(terms))
	for _, t := range terms {
		heaviest[t.of] = max(heaviest[t.of], t.weight)
	}
	sum := 0.0
	for _, w := range heaviest {
		sum += w
	}
	return sum
}

// fewOfKind is how many documents of the kinds asked for are few.
const fewOfKind = 2048

// ofKinds returns the documents of some kinds, at no score; or none when no kinds
// are asked for, or there are not few of them.
func ofKinds(ctx context.Context, idx Index, kinds []memory.Kind) (docs []scored, few bool, err error) {
	for _, k := range kinds {
		postings, err := idx.Postings(ctx, kindTerm(k), fewOfKind+1)
		if err != nil {
			return nil, false, err
		}
		if docs = merge(nil, docs, postings, 0, 1); len(docs) > fewOfKind {
			return nil, false, nil
		}
	}
	return docs, len(kinds) > 0, nil
}

// isAmong reports whether doc is in docs.
func isAmong(docs []scored, doc Doc) bool {
	_, found := slices.BinarySearchFunc(docs, doc, func(d scored, doc Doc) int { return cmp.Compare(doc, d.doc) })
	return found
}

// rarestFirst returns the terms some document holds: what was asked by rarity,
// then its relatives.
func rarestFirst(terms []wanted) []wanted {
	type ranked struct {
		wanted
		relative int
	}
	var order []ranked
	for i, t := range terms {
		if t.df > 0 {
			order = append(order, ranked{t, min(1, max(i-t.of, t.of-i))})
		}
	}
	slices.SortFunc(order, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.relative, b.relative), cmp.Compare(a.df, b.df), cmp.Compare(a.term, b.term))
	})
	sorted := make([]wanted, len(order))
	for i, r := range order {
		sorted[i] = r.wanted
	}
	return sorted
}

// merge adds a term's postings to docs; both descend by number. The sum is laid
// into spare where that has room.
func merge(spare, docs []scored, postings []Posting, weight, average float64) []scored {
	sum := slices.Grow(spare[:0], len(docs)+len(postings))
	i := 0
	for _, p := range postings {
		for i < len(docs) && docs[i].doc > p.Doc {
			sum = append(sum, docs[i])
			i++
		}
		score := weight * occurrence(float64(p.Frequency), float64(p.Length)/average)
		if i < len(docs) && docs[i].doc == p.Doc {
			score += docs[i].score
			i++
		}
		sum = append(sum, scored{p.Doc, score})
	}
	return append(sum, docs[i:]...)
}

// lend adds to each document what its neighbours lend it. Whether two documents
// really belong to one moment shows later, when their records are read.
func lend(docs []scored) []scored {
	docs = withNeighbours(docs)
	sum := make([]scored, len(docs))
	for i, d := range docs {
		sum[i].doc = d.doc
		for _, near := range docs[max(0, i-lendReach):min(len(docs), i+lendReach+1)] {
			sum[i].score += near.score * lent(d.doc-near.doc)
		}
	}
	return sum
}

// withNeighbours adds to docs the neighbours of the best that match nothing
// themselves, at no score.
func withNeighbours(docs []scored) []scored {
	var near []Doc
	threshold, left := nth(docs, lenders), lenders
	for _, d := range docs {
		if d.score < threshold || left == 0 {
			continue
		}
		left--
		for n := d.doc + lendReach; n >= max(d.doc-lendReach, 1); n-- {
			near = append(near, n)
		}
	}
	slices.SortFunc(near, func(a, b Doc) int { return cmp.Compare(b, a) })
	added := make([]Posting, 0, len(near))
	for _, n := range slices.Compact(near) {
		added = append(added, Posting{Doc: n})
	}
	return merge(nil, docs, added, 0, 1)
}

// nth returns a score that about n of docs reach or exceed.
func nth(docs []scored, n int) float64 {
	const steps = 1024
	if len(docs) <= n {
		return 0
	}
	highest := 0.0
	for _, d := range docs {
		highest = max(highest, d.score)
	}
	if highest == 0 {
		return 0
	}
	var counts [steps + 1]int
	for _, d := range docs {
		counts[int(d.score/highest*steps)]++
	}
	step := steps
	for left := n - counts[step]; left > 0 && step > 0; left -= counts[step] {
		step--
	}
	return float64(step) / steps * highest
}

// best returns the most that a document still on the heap can score.
func (g *gathered) best() float64 {
	if len(g.heap) == 0 {
		return 0
	}
	return g.heap[0].score + g.rest
}

// next takes the best n documents off the heap.
func (g *gathered) next(n int) []Doc {
	docs := make([]Doc, 0, n)
	for len(docs) < n && len(g.heap) > 0 {
		docs = append(docs, heap.Pop(g).(scored).doc)
	}
	return docs
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (g *gathered) Len() int { return len(g.heap) }
func (g *gathered) Less(i, j int) bool {
	if a, b := g.heap[i].score, g.heap[j].score; a != b {
		return a > b
	}
	return g.heap[i].doc > g.heap[j].doc
}
func (g *gathered) Swap(i, j int) { g.heap[i], g.heap[j] = g.heap[j], g.heap[i] }
func (g *gathered) Push(x any)    { g.heap = append(g.heap, x.(scored)) }
func (g *gathered) Pop() any {
	last := g.heap[len(g.heap)-1]
	g.heap = g.heap[:len(g.heap)-1]
	return last
}
