package recall

import (
	"cmp"
	"context"
	"slices"
)

// A caller who sees only a part of an index must not learn of the rest. A search apart
// therefore chooses the records to rank by rules that hidden records do not influence: for
// each word the newest records that contain it, and the records that contain most of the
// words. It weighs words, and counts neighbours, among these records only. Hidden records
// cost reading, and show only if that reaches its bound.
const (
	apartPostings = 8 * defaultPostings
	apartNewest   = 4  // for each word this many times fewer records are chosen than for containing most words
	apartReading  = 32 // at most this many times more candidates are read
)

// apartDocs is the least number of documents that the rarity of words is measured in. The
// true number is hidden from a caller who sees a part of them. Among the matching documents
// alone every word would look common.
const apartDocs = 1000

// collectApart reads the records that the rules choose, and their neighbours in time.
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

// respellApart adds to the question words that look like those that no visible record has,
// and collects again if there are any. A hidden record makes no word known.
func (s *search) respellApart(ctx context.Context, docs int) error {
	more, err := s.question.respell(ctx, s.idx, true, func(term int) bool {
		return !slices.ContainsFunc(s.readings, func(r *reading) bool { return r.hasReading(s.question, term) })
	})
	if err != nil || !more {
		return err
	}
	df, err := s.question.lookUp(ctx, s.idx)
	if err != nil {
		return err
	}
	s.question.weigh(df, docs, s.average*float64(docs))
	s.asked, s.read, s.readings, s.matching = make(map[Doc]bool), make(map[Doc]*reading), nil, 0
	return s.collect(ctx)
}

// hasReading reports whether a record has a term of the question, or another reading of it.
func (r *reading) hasReading(q question, term int) bool {
	for i, t := range q.terms {
		if t.of == term && r.frequency[i] > 0 && (i == term || t.share == 1) {
			return true
		}
	}
	return false
}

// mayRead reports whether more candidates may be read.
func (s *search) mayRead() bool { return len(s.asked) < apartReading*s.opt.Depth }

// mustRead is mayRead, and beyond the bound as long as too little was found.
func (s *search) mustRead() bool { return s.mayRead() || s.matching < s.query.Limit }

// fetchAll reads the documents of docs that were not requested before and are allowed,
// while more are wanted.
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

// holders returns for each of the question's terms the documents that contain it, newest
// first. If the budget of postings is too small for all, the rarest come first.
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

// readNewest reads for each term the newest records that contain it.
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

// newest is the number of records that each word counts for, however many others contain
// it.
func (s *search) newest() int { return max(1, s.opt.Depth/apartNewest) }

// unreadHolders returns up to width unread documents that may be among the newest that
// contain a term.
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

// keepNewest keeps for each term the newest records that contain it.
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

// readFullest reads the records that contain most of the words. Unread records contain
// fewer: hiding a part of a record only removes words.
func (s *search) readFullest(ctx context.Context, lists [][]Doc) error {
	g := candidateHeap{heap: newBestFirst(s.fullness(lists))}
	for len(g.heap) > 0 && s.mustRead() {
		if best := s.fullest(); len(best) >= s.opt.Depth && byFullness(best[s.opt.Depth-1].fullness(), g.heap[0]) < 0 {
			return nil
		}
		if err := s.fetch(ctx, g.next(min(stage, s.opt.Depth))); err != nil {
			return err
		}
	}
	return nil
}

// byFullness orders documents by how much of the question they contain, then the newest
// first.
func byFullness(a, b scoredDoc) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
}

// fullness returns how much of the question each document contains.
func (s *search) fullness(lists [][]Doc) []scoredDoc {
	var all []scoredDoc
	for term, docs := range lists {
		for _, d := range docs {
			all = append(all, scoredDoc{d, s.question.counts(term)})
		}
	}
	slices.SortFunc(all, func(a, b scoredDoc) int { return cmp.Compare(a.doc, b.doc) })
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

// fullest returns the records that match, those first that contain most.
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

// fullness returns how much of the question the visible part of a record contains.
func (r *reading) fullness() scoredDoc { return scoredDoc{r.Doc, r.holds} }

// counts returns the weight of a term of unknown rarity: 1 for a word, a half for its
// relative, so that every sum is exact.
func (q *question) counts(term int) float64 {
	if t := q.terms[term]; t.relative(term) && t.share < 1 {
		return .5
	}
	return 1
}

// reweigh gives the question's terms their weights among the chosen records.
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
	s.question.weigh(frequencies, max(matching, apartDocs), words)
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
