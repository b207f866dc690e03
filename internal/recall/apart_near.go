package recall

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// collectNeighbours reads what was learnt just before and just after the records
// of conversations that were chosen: lendReach records on either side that may be
// seen, however many that may not lie between. Nothing else is ranked.
func (s *search) collectNeighbours(ctx context.Context) error {
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
		wanted := s.unreadNeighbours(happened, width)
		if len(wanted) == 0 || !s.mayRead() {
			break
		}
		if err := s.fetchAll(ctx, wanted, s.mayRead); err != nil {
			return err
		}
	}
	s.readings = slices.DeleteFunc(s.readings, func(r *reading) bool { return !r.kept && !r.beside && r.near == 0 })
	s.placeApart()
	return nil
}

// unreadNeighbours returns documents that were not read and may be among the
// neighbours of what was chosen, up to width on either side of each; and marks the
// neighbours that were read.
func (s *search) unreadNeighbours(happened []scored, width int) []Doc {
	for _, r := range s.readings {
		r.beside = false
	}
	var wanted []Doc
	want := func(docs iter.Seq2[int, scored]) {
		missing, left := 0, 0 // neighbours, and documents to look for them in
		for _, d := range docs {
			switch r := s.read[d.doc]; {
			case r != nil && r.kept:
				missing, left = lendReach, width
			case r != nil:
				r.beside = r.beside || missing > 0
				missing--
			case !s.asked[d.doc] && missing > 0 && left > 0:
				wanted = append(wanted, d.doc)
				left--
			}
		}
	}
	want(slices.All(happened))
	want(slices.Backward(happened))
	return wanted
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
