package recall

import (
	"math/bits"
	"slices"
)

// scoredDoc is a document and its score from postings.
type scoredDoc struct {
	doc   Doc
	score float64
}

// sum adds up the scores of documents. Those of a term wait until the sums are asked for; then
// all are added at once, in the order of the terms.
type sum struct {
	*Scratch
	highest float64 // no score is higher
	near    float64 // at most so many documents have at least this score
	most    int
}

// newSum returns a sum that has some documents, which descend by number, with score 0.
func newSum(use *Scratch, docs []scoredDoc, average float64) sum {
	use.docs = append(use.docs[:0], docs...)
	use.waiting, use.ends = use.waiting[:0], use.ends[:0]
	use.occurs.learn(average)
	return sum{Scratch: use}
}

// add adds the scores of a term; postings descend by number.
func (s *sum) add(postings []Posting, weight float64) {
	highest := 0.0
	s.waiting = slices.Grow(s.waiting, len(postings))
	for _, p := range postings {
		score := weight * s.occurs.of(p)
		highest = max(highest, score)
		s.waiting = append(s.waiting, scoredDoc{p.Doc, score})
	}
	s.ends = append(s.ends, len(s.waiting))
	s.highest += highest
	s.most += len(postings)
}

// all returns the documents with their sums, by descending number.
func (s *sum) all() []scoredDoc {
	if len(s.ends) == 0 {
		return s.docs
	}
	lists, start := [][]scoredDoc{s.docs}, 0
	for _, end := range s.ends {
		lists = append(lists, s.waiting[start:end])
		start = end
	}
	sums := room(s.spare, len(s.docs)+len(s.waiting))[:0]
	for {
		last := Doc(0)
		for _, l := range lists {
			if len(l) > 0 {
				last = max(last, l[0].doc)
			}
		}
		if last == 0 {
			break
		}
		least := last / windowSize * windowSize
		for i, l := range lists {
			lists[i] = s.window.add(l, least)
		}
		sums = s.window.take(sums, least)
	}
	s.docs, s.spare = sums, s.docs
	s.waiting, s.ends = s.waiting[:0], s.ends[:0]
	return s.docs
}

// window holds the scores of successive documents, few enough for the processor's cache.
type window struct {
	scores [windowSize]float64
	held   [windowSize / 64]uint64 // a bit for each document that has a score
}

const windowSize = 4096

// add adds the scores of the first documents of a list, down to the number least, which is that
// of the window. It returns the others.
func (w *window) add(docs []scoredDoc, least Doc) []scoredDoc {
	for i, d := range docs {
		if d.doc < least {
			return docs[i:]
		}
		at := uint(d.doc-least) % windowSize
		w.scores[at] += d.score
		w.held[at/64] |= 1 << (at % 64)
	}
	return nil
}

// take moves the documents to sums, by descending number, and leaves the window empty.
func (w *window) take(sums []scoredDoc, least Doc) []scoredDoc {
	for i := len(w.held) - 1; i >= 0; i-- {
		for held := w.held[i]; held != 0; {
			bit := bits.Len64(held) - 1
			held &^= 1 << bit
			at := i*64 + bit
			sums = append(sums, scoredDoc{least + Doc(at), w.scores[at]})
			w.scores[at] = 0
		}
		w.held[i] = 0
	}
	return sums
}

// room returns room for n documents: spare, if that has it.
func room(spare []scoredDoc, n int) []scoredDoc {
	if cap(spare) < n {
		return make([]scoredDoc, n, n+n/2)
	}
	return spare[:n]
}

// hasGrown reports whether so many scores wait that it pays to ask for the sums again.
func (s *sum) hasGrown() bool { return 2*len(s.waiting) >= len(s.docs) }

// reaches reports whether [nth] of the documents is more than a score. Mostly too few
// documents are near it, which is quickly seen.
func (s *sum) reaches(n int, score float64) bool {
	const rounding = 1e-9
	near := score * (1 - rounding)
	if s.highest < near || near >= s.near && s.most < n {
		return false
	}
	docs := s.all()
	s.near, s.most = near, 0
	for _, d := range docs {
		if d.score >= near {
			s.most++
		}
	}
	return s.most >= n && nth(docs, n, 1) > score
}

// merge adds documents to docs; both descend by number. It writes the sum into spare if that
// has room.
func merge(spare, docs, others []scoredDoc) []scoredDoc {
	sum, n := room(spare, len(docs)+len(others)), 0
	for _, d := range others {
		for len(docs) > 0 && docs[0].doc > d.doc {
			sum[n] = docs[0]
			docs = docs[1:]
			n++
		}
		if len(docs) > 0 && docs[0].doc == d.doc {
			d.score += docs[0].score
			docs = docs[1:]
		}
		sum[n] = d
		n++
	}
	return sum[:n+copy(sum[n:], docs)]
}

// unscored returns the documents of postings, with score 0.
func unscored(postings []Posting) []scoredDoc {
	docs := make([]scoredDoc, len(postings))
	for i, p := range postings {
		docs[i].doc = p.Doc
	}
	return docs
}

// occurrences knows the values of [occurrence] for most documents.
type occurrences struct {
	average float64 // number of words in a document; 0: nothing is known
	known   [fewTimes][fewWords]float64
}

// Most documents have a term at most fewTimes, and less than fewWords words.
const (
	fewTimes = 4
	fewWords = 256
)

// learn takes the values for an average length.
func (o *occurrences) learn(average float64) {
	if o.average == average {
		return
	}
	o.average = average
	for times := range o.known {
		for words := range o.known[times] {
			o.known[times][words] = occurrence(float64(times+1), float64(words)/average)
		}
	}
}

func (o *occurrences) of(p Posting) float64 {
	if times, words := p.Frequency-1, p.Length; times < fewTimes && words < fewWords {
		return o.known[times][words]
	}
	return occurrence(float64(p.Frequency), float64(p.Length)/o.average)
}
