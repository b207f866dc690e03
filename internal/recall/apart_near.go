package recall

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// collectNeighbours reads the records learnt just before and just after the chosen records
// of conversations: lendReach visible records on either side, however many hidden ones lie
// between. Nothing else is ranked.
func (s *search) collectNeighbours(ctx context.Context) error {
	var happened []scoredDoc // newest first
	for _, kind := range []memory.Kind{memory.Episodic, memory.Working} {
		postings, err := s.idx.Postings(ctx, kindTerm(kind), s.opt.Postings)
		if err != nil {
			return err
		}
		s.explanation.Postings += len(postings)
		happened = merge(nil, happened, unscored(postings))
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

// unreadNeighbours returns unread documents that may be among the neighbours of the chosen
// records, up to width on either side of each. It marks the neighbours that were read.
func (s *search) unreadNeighbours(happened []scoredDoc, width int) []Doc {
	for _, r := range s.readings {
		r.beside = false
	}
	var wanted []Doc
	want := func(docs iter.Seq2[int, scoredDoc]) {
		missing, left := 0, 0 // neighbours still missing, and documents left to search
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

// placeApart numbers the read records without gaps, so that no number reveals an unread
// one. Events form one row. The other records, which neither lend nor borrow, follow it,
// out of reach of each other.
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
