package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// lendReach is how many documents before and after it a match lends to.
const lendReach = 3

// lending is how much of a match reaches the documents learnt just before and just after
// it, since a question is answered in the next moment. It is .7 for the next and .55 for the
// one before, and .7 of that for every further one.
var lending = [2*lendReach + 1]float64{.2695, .385, .55, 1, .7, .49, .343}

// lent returns the part of a match that reaches a document learnt distance documents later;
// a negative distance is earlier.
func lent(distance Doc) float64 {
	if distance < -lendReach || distance > lendReach {
		return 0
	}
	return lending[distance+lendReach]
}

// Term frequency and length count as in BM25, but length counts little: memories are short,
// and a long one is no worse.
const (
	saturation  = .9
	lengthShare = .3
)

// occurrence returns the weight of a term's frequency in a document of the given length,
// relative to the average: about 1 for one occurrence.
func occurrence(frequency, length float64) float64 {
	return frequency * (saturation + 1) / (frequency + saturation*(1-lengthShare+lengthShare*length))
}

// lenders is how many of the best matches lend to neighbours that contain no term of the
// question.
const lenders = 512

// candidateHeap holds the documents that may answer. The best of them are in heap order, and
// are none only if there are no others.
type candidateHeap struct {
	heap      bestFirst
	others    []scoredDoc // in no order, each worse than all of heap; see refill
	read      int         // postings
	rest      float64     // the most that terms with unread postings may add to a score
	truncated bool        // some postings were not read, so there may be more documents
}

// overshoot is how far a term may count beyond its weight: it occurs several times in a
// short document.
const overshoot = 1.3

// gather reads the postings of a question's terms, rarest first. It stops when the budget
// is spent, or when depth documents have scores that no document with only the remaining
// terms can reach. Common terms say least and cost most, so the time hardly grows with the
// number of documents.
//
// If a question is confined to kinds with few records, gather goes through all of those.
func gather(ctx context.Context, idx Index, q question, average float64, budget, depth int, use *Scratch) (candidateHeap, error) {
	var g candidateHeap
	kinds, few, err := ofKinds(ctx, idx, q.only)
	if err != nil {
		return candidateHeap{}, err
	}
	sum := newSum(use, kinds, average)
	g.read = len(kinds)
	budget += len(kinds)
	order := rarestFirst(q.terms)
	for i, t := range order {
		g.rest = atMost(order[i:])
		if budget-g.read <= 0 || sum.hasGrown() && sum.reaches(depth, overshoot*g.rest) {
			g.truncated = true
			break
		}
		postings, err := idx.Postings(ctx, t.term, budget-g.read)
		if err != nil {
			return candidateHeap{}, err
		}
		g.rest = 0
		g.read += len(postings)
		g.truncated = g.truncated || len(postings) < t.df && g.read >= budget
		sum.add(postings, t.weight)
	}
	docs := sum.all()
	if q.turns > 0 {
		docs, use.spare = withNeighbours(use.spare, docs, use), docs
		docs, use.spare = lend(use.spare, docs), docs
	}
	use.docs = docs
	if few {
		g.truncated = false // all are there, whatever the terms say
		docs = slices.DeleteFunc(docs, func(d scoredDoc) bool { return !isAmong(kinds, d.doc) })
	}
	g.others = docs
	g.refill()
	return g, nil
}

// atMost returns the most that a document with all of terms may get: for each term of the
// question, its weight or that of one of its relatives.
func atMost(terms []queryTerm) float64 {
	var heaviest []float64 // by the place of the question's term
	for _, t := range terms {
		if missing := t.of + 1 - len(heaviest); missing > 0 {
			heaviest = append(heaviest, make([]float64, missing)...)
		}
		heaviest[t.of] = max(heaviest[t.of], t.weight)
	}
	sum := 0.0
	for _, w := range heaviest {
		sum += w
	}
	return sum
}

// fewOfKind bounds the number of documents of the requested kinds that counts as few.
const fewOfKind = 2048

// ofKinds returns the documents of some kinds, with score 0. It returns none if no kinds
// are requested, or if there are too many.
func ofKinds(ctx context.Context, idx Index, kinds []memory.Kind) (docs []scoredDoc, few bool, err error) {
	for _, k := range kinds {
		postings, err := idx.Postings(ctx, kindTerm(k), fewOfKind+1)
		if err != nil {
			return nil, false, err
		}
		if docs = merge(nil, docs, unscored(postings)); len(docs) > fewOfKind {
			return nil, false, nil
		}
	}
	return docs, len(kinds) > 0, nil
}

// isAmong reports whether doc is in docs.
func isAmong(docs []scoredDoc, doc Doc) bool {
	_, found := slices.BinarySearchFunc(docs, doc, func(d scoredDoc, doc Doc) int { return cmp.Compare(doc, d.doc) })
	return found
}

// rarestFirst returns the terms that occur in some document: first the question's terms by
// rarity, then their relatives.
func rarestFirst(terms []queryTerm) []queryTerm {
	type ranked struct {
		queryTerm
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
	sorted := make([]queryTerm, len(order))
	for i, r := range order {
		sorted[i] = r.queryTerm
	}
	return sorted
}

// lend adds to each document what its neighbours lend it. Whether two documents really
// belong to one moment shows later, when the records are read. It writes the sums into spare
// if that has room.
func lend(spare, docs []scoredDoc) []scoredDoc {
	sum := room(spare, len(docs))
	first := 0 // of the documents that reach the present one
	for i, d := range docs {
		for docs[first].doc > d.doc+lendReach {
			first++
		}
		sum[i] = scoredDoc{doc: d.doc}
		for j := first; j < len(docs) && docs[j].doc >= d.doc-lendReach; j++ {
			sum[i].score += docs[j].score * lending[d.doc-docs[j].doc+lendReach]
		}
	}
	return sum
}

// withNeighbours adds to docs the neighbours of the best documents that match nothing
// themselves, with score 0. It writes them into spare if that has room.
func withNeighbours(spare, docs []scoredDoc, use *Scratch) []scoredDoc {
	threshold, left := nth(docs, lenders, 1), lenders
	added := use.added[:0]
	for _, d := range docs {
		if d.score < threshold || left == 0 {
			continue
		}
		left--
		n := d.doc + lendReach
		if len(added) > 0 {
			n = min(n, added[len(added)-1].doc-1)
		}
		for ; n >= max(d.doc-lendReach, 1); n-- {
			added = append(added, scoredDoc{doc: n})
		}
	}
	use.added = added
	return merge(spare, docs, added)
}

// nth returns a score that about n of docs reach or exceed. It looks at one of step documents.
func nth(docs []scoredDoc, n, step int) float64 {
	const steps = 1024
	if len(docs) <= n {
		return 0
	}
	highest := 0.0
	for i := 0; i < len(docs); i += step {
		highest = max(highest, docs[i].score)
	}
	if highest == 0 {
		return 0
	}
	var counts [steps + 1]int
	for i := 0; i < len(docs); i += step {
		counts[int(docs[i].score/highest*steps)] += step
	}
	at := steps
	for left := n - counts[at]; left > 0 && at > 0; left -= counts[at] {
		at--
	}
	return float64(at) / steps * highest
}

// best returns the highest possible score of a document still on the heap.
func (g *candidateHeap) best() float64 {
	if len(g.heap) == 0 {
		return 0
	}
	return g.heap[0].score + g.rest
}

// next takes the best n documents off the heap.
func (g *candidateHeap) next(n int) []Doc {
	docs := make([]Doc, 0, min(n, len(g.heap)+len(g.others)))
	for len(docs) < n && len(g.heap) > 0 {
		if docs = append(docs, g.heap.pop().doc); len(g.heap) == 0 {
			g.refill()
		}
	}
	return docs
}

// refill orders the best of the other documents. Most searches take some dozens of thousands,
// and order no more.
func (g *candidateHeap) refill() {
	const sample = 2048
	threshold, best := nth(g.others, 4*stage, 1+len(g.others)/sample), 0
	for i, d := range g.others {
		if d.score >= threshold {
			g.others[i], g.others[best] = g.others[best], d
			best++
		}
	}
	g.heap, g.others = newBestFirst(g.others[:best:best]), g.others[best:]
}

// before reports whether a document is better than another; of equals it is the newer.
func (d scoredDoc) before(other scoredDoc) bool {
	if d.score != other.score {
		return d.score > other.score
	}
	return d.doc > other.doc
}

// bestFirst is a binary heap whose first document is the best. The heap of the standard
// library would allocate each document that is taken.
type bestFirst []scoredDoc

func newBestFirst(docs []scoredDoc) bestFirst {
	b := bestFirst(docs)
	for i := len(b)/2 - 1; i >= 0; i-- {
		b.sink(i)
	}
	return b
}

// pop takes the best document off the heap.
func (b *bestFirst) pop() scoredDoc {
	best, last := (*b)[0], len(*b)-1
	(*b)[0] = (*b)[last]
	*b = (*b)[:last]
	b.sink(0)
	return best
}

// sink moves the document at index i below those that are better.
func (b bestFirst) sink(i int) {
	for {
		next := 2*i + 1
		if next >= len(b) {
			return
		}
		if next+1 < len(b) && b[next+1].before(b[next]) {
			next++
		}
		if !b[next].before(b[i]) {
			return
		}
		b[i], b[next] = b[next], b[i]
		i = next
	}
}
