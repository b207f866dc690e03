package recall

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
)

// Whoever sees a part of an index only must not learn of the rest. So a search
// apart chooses what it ranks by rules that hidden records have no part in: for
// each word the newest records that hold it, and the records that hold most of the
// words. A word weighs what it weighs among those, and neighbours are counted
// among what may be seen. Hidden records cost reading, and show only where that
// comes to its bound.
const (
	apartPostings = 4 * defaultPostings
	apartNewest   = 4  // so many times fewer records are chosen for each word than for holding most
	apartReading  = 32 // so many times more candidates are read at most
)

// apartDocs is how many documents the words of a question are rare or common
// among, at least. How many there are in truth is nobody's business who sees a part
// of them, and among the matching ones alone every word would look common.
const apartDocs = 1000

// collectApart reads what the rules choose, and what is learnt beside it.
func (s *search) collectApart(ctx context.Context, near []Doc) error {
	if err := s.fetch(ctx, near); err != nil {
		return err
	}
	for budget := s.opt.Postings; ; budget *= 4 {
		lists, truncated, err := s.holders(ctx, budget)
		if err != nil {
			return err
		}
		if err := s.readNewest(ctx, lists); err != nil {
			return err
		}
		if err := s.readFullest(ctx, lists); err != nil {
			return err
		}
		if s.matching >= s.query.Limit || !truncated {
			s.keepNewest(lists)
			break
		}
	}
	for i, r := range s.fullest() {
		r.kept = r.kept || i < s.opt.Depth
	}
	s.reweigh()
	return s.collectNeighbours(ctx)
}

// mayRead reports whether more candidates may be read.
func (s *search) mayRead() bool { return len(s.asked) < apartReading*s.opt.Depth }

// mustRead is mayRead, and beyond the bound as long as too little was found.
func (s *search) mustRead() bool { return s.mayRead() || s.matching < s.query.Limit }

// fetchAll reads those of docs that have not been asked for and are allowed, while
// more are wanted.
func (s *search) fetchAll(ctx context.Context, docs []Doc, more func() bool) error {
	for some := range slices.Chunk(docs, stage) {
		if !more() {
			return nil
		}
		if err := s.fetch(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// holders returns for each of the question's terms the documents that hold it,
// newest first. Where a budget of postings does not do for all, the rarest come
// first.
func (s *search) holders(ctx context.Context, budget int) (lists [][]Doc, truncated bool, err error) {
	kinds, few, err := ofKinds(ctx, s.idx, s.question.only)
	if err != nil {
		return nil, false, err
	}
	s.explanation.Rounds++
	lists = make([][]Doc, len(s.question.terms))
	for _, t := range rarestFirst(s.question.terms) {
		if budget <= 0 {
			return lists, true, nil
		}
		postings, err := s.idx.Postings(ctx, t.term, budget)
		if err != nil {
			return nil, false, err
		}
		budget -= len(postings)
		s.explanation.Postings += len(postings)
		truncated = truncated || budget <= 0 && len(postings) < t.df
		docs := make([]Doc, 0, len(postings))
		for _, p := range postings {
			if !few || isAmong(kinds, p.Doc) {
				docs = append(docs, p.Doc)
			}
		}
		lists[s.question.index[t.term]] = docs
	}
	return lists, truncated, nil
}

// readNewest reads for each term the newest records that hold it.
func (s *search) readNewest(ctx context.Context, lists [][]Doc) error {
	for width := s.newest(); s.mustRead(); width *= 2 {
		var wanted []Doc
		for term, docs := range lists {
			wanted = append(wanted, s.unreadHolders(term, docs, width)...)
		}
		if len(wanted) == 0 {
			return nil
		}
		if err := s.fetchAll(ctx, wanted, s.mustRead); err != nil {
			return err
		}
	}
	return nil
}

// newest is for how many records each word counts, however many others hold it.
func (s *search) newest() int { return max(1, s.opt.Depth/apartNewest) }

// unreadHolders returns up to width documents that were not read and may be among
// the newest that hold a term.
func (s *search) unreadHolders(term int, docs []Doc, width int) []Doc {
	var wanted []Doc
	missing := s.newest()
	for _, d := range docs {
		r := s.read[d]
		switch {
		case missing == 0 || len(wanted) == width:
			return wanted
		case !s.asked[d]:
			wanted = append(wanted, d)
		case r != nil && r.frequency[term] > 0:
			missing--
		}
	}
	return wanted
}

// keepNewest keeps for each term the newest records that hold it.
func (s *search) keepNewest(lists [][]Doc) {
	for term, docs := range lists {
		missing := s.newest()
		for _, d := range docs {
			if r := s.read[d]; missing > 0 && r != nil && r.frequency[term] > 0 {
				r.kept = true
				missing--
			}
		}
	}
}

// readFullest reads the records that hold most of the words. Those that are
// not read hold fewer: what is hidden in a record only takes words from it.
func (s *search) readFullest(ctx context.Context, lists [][]Doc) error {
	g := gathered{heap: s.fullness(lists)}
	heap.Init(&g)
	for g.Len() > 0 && s.mustRead() {
		if best := s.fullest(); len(best) >= s.opt.Depth && byFullness(best[s.opt.Depth-1].fullness(), g.heap[0]) < 0 {
			return nil
		}
		if err := s.fetch(ctx, g.next(min(stage, s.opt.Depth))); err != nil {
			return err
		}
	}
	return nil
}

// byFullness orders documents by how much they hold, then the newest first.
func byFullness(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
}

// fullness returns how much of the question each document holds.
func (s *search) fullness(lists [][]Doc) []scored {
	var all []scored
	for term, docs := range lists {
		for _, d := range docs {
			all = append(all, scored{d, s.question.counts(term)})
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.doc, b.doc) })
	sum := all[:0]
	for _, d := range all {
		if n := len(sum); n > 0 && sum[n-1].doc == d.doc {
			sum[n-1].score += d.score
		} else {
			sum = append(sum, d)
		}
	}
	return sum
}

// fullest returns the records that match, those first that hold most.
func (s *search) fullest() []*reading {
	var all []*reading
	for _, r := range s.readings {
		if r.found {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *reading) int { return byFullness(a.fullness(), b.fullness()) })
	return all
}

// fullness returns how much of the question a record holds that may be seen.
func (r *reading) fullness() scored { return scored{r.Doc, r.holds} }

// counts returns for how much a term counts that nothing is known of: a word for
// one, its relative for a half, so that every sum of them is exact.
func (q *question) counts(term int) float64 {
	if t := q.terms[term]; t.relative(term) && t.share < 1 {
		return .5
	}
	return 1
}

// reweigh gives the question's terms the weights they have among what was chosen.
func (s *search) reweigh() {
	frequencies := make([]int, len(s.question.terms))
	matching, words := 0, 0.0
	for _, r := range s.readings {
		if !r.kept {
			continue
		}
		matching++
		words += r.length
		for i, f := range r.frequency {
			if f > 0 {
				frequencies[i]++
			}
		}
	}
	s.average = max(1, words/float64(max(1, matching)))
	s.question.weigh(frequencies, max(matching, apartDocs))
	if !s.question.shorten() {
		return
	}
	s.stem.lookFor(s.question)
	for _, r := range s.readings {
		again := s.stem.read(r.Candidate, r.seen, s.question)
		again.near, again.kept = r.near, r.kept
		*r = *again
	}
}
