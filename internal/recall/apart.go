package recall

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// Whoever sees a part of an index only must not learn of the rest. So a search
// apart reads every record that may match, not the best by what all documents say;
// words weigh what they weigh among the records that were read and may be seen,
// and neighbours are counted among those. What is hidden takes no part in
// anything but the order of reading, which shows only beyond the bounds.
const (
	apartPostings = 4 * defaultPostings
	apartDepth    = 8192
)

// apartDocs is how many documents the words of a question are rare or common
// among, at least. How many there are in truth is nobody's business who sees a part
// of them, and among the matching ones alone every word would look common.
const apartDocs = 1000

// collectApart reads what may match, from what holds most of the rarest terms on,
// until there is no more, or the bounds are reached and enough is allowed.
func (s *search) collectApart(ctx context.Context, near []Doc) error {
	if err := s.fetch(ctx, near); err != nil {
		return err
	}
	s.question.lends = false // neighbours are read later
	for budget := s.opt.Postings; ; budget *= 4 {
		g, err := gather(ctx, s.idx, s.question, s.average, budget, math.MaxInt)
		if err != nil {
			return err
		}
		s.explanation.Rounds++
		s.explanation.Postings += g.read
		for g.Len() > 0 && (s.matching < s.query.Limit || s.mayRead() > 0) {
			if err := s.fetch(ctx, g.next(stage)); err != nil {
				return err
			}
		}
		if s.matching >= s.query.Limit || !g.truncated {
			break
		}
	}
	s.reweigh()
	if err := s.fetchNeighbours(ctx); err != nil {
		return err
	}
	s.placeApart()
	return nil
}

// mayRead returns how many more candidates may be read.
func (s *search) mayRead() int { return max(0, s.opt.Depth-len(s.asked)) }

// reweigh gives the question's terms the weights they have among the records that
// were read and match.
func (s *search) reweigh() {
	frequencies := make([]int, len(s.question.terms))
	matching, words := 0, 0.0
	for _, r := range s.readings {
		if !r.found {
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
	for i, r := range s.readings {
		again := s.stem.read(r.Candidate, r.seen, s.question)
		again.near = r.near
		s.readings[i] = again
	}
}

// fetchNeighbours reads what was learnt just before and just after the records of
// conversations that match: lendReach records on either side that may be seen,
// however many that may not lie between.
func (s *search) fetchNeighbours(ctx context.Context) error {
	var happened []scored // newest first
	for _, kind := range []memory.Kind{memory.Episodic, memory.Working} {
		postings, err := s.idx.Postings(ctx, kindTerm(kind), s.opt.Postings)
		if err != nil {
			return err
		}
		s.explanation.Postings += len(postings)
		happened = merge(nil, happened, postings, 0, 1)
	}
	for width := lendReach; ; width *= 2 {
		wanted := s.unread(happened, width)
		wanted = wanted[:min(len(wanted), s.mayRead())]
		if len(wanted) == 0 {
			return nil
		}
		for docs := range slices.Chunk(wanted, stage) {
			if err := s.fetch(ctx, docs); err != nil {
				return err
			}
		}
	}
}

// unread returns documents that were not read and may be among the neighbours of
// what matches: up to width on either side of each.
func (s *search) unread(happened []scored, width int) []Doc {
	seen := make(map[Doc]*reading, len(s.readings))
	for _, r := range s.readings {
		seen[r.Doc] = r
	}
	var wanted []Doc
	want := func(docs iter.Seq2[int, scored]) {
		missing, left := 0, 0 // neighbours, and documents to look for them in
		for _, d := range docs {
			switch r := seen[d.doc]; {
			case r != nil && r.found:
				missing, left = lendReach, width
			case r != nil:
				missing--
			case !s.asked[d.doc] && missing > 0 && left > 0:
				wanted = append(wanted, d.doc)
				left--
			}
		}
	}
	want(slices.All(happened))
	want(slices.Backward(happened))
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// placeApart numbers what was read without gaps for what was not, so that no
// number tells of it. What happened stands in one row; the rest, which neither
// lends nor borrows, behind it, out of reach of each other.
func (s *search) placeApart() {
	slices.SortFunc(s.readings, func(a, b *reading) int { return cmp.Compare(a.Doc, b.Doc) })
	last := Doc(0)
	for _, r := range s.readings {
		if happens(r.seen.Kind) {
			last++
			r.place = last
		}
	}
	for _, r := range s.readings {
		if !happens(r.seen.Kind) {
			last += lendReach + 1
			r.place = last
		}
	}
}
