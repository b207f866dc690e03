package recall

// scoredDoc is a document and its score from postings.
type scoredDoc struct {
	doc   Doc
	score float64
}

// sum adds up the scores of documents, one term after the other.
type sum struct {
	*Scratch
	highest float64 // no score is higher
	near    float64 // at most so many documents have at least this score
	most    int
}

// newSum returns a sum that has some documents, which descend by number, with score 0.
func newSum(use *Scratch, docs []scoredDoc, average float64) sum {
	use.docs = append(use.docs[:0], docs...)
	use.occurs.learn(average)
	return sum{Scratch: use}
}

// add adds the scores of a term; postings descend by number.
func (s *sum) add(postings []Posting, weight float64) {
	docs, n, highest := s.docs, 0, 0.0
	all := room(s.spare, len(docs)+len(postings))
	for _, p := range postings {
		for len(docs) > 0 && docs[0].doc > p.Doc {
			all[n] = docs[0]
			docs = docs[1:]
			n++
		}
		score := weight * s.occurs.of(p)
		highest = max(highest, score)
		if len(docs) > 0 && docs[0].doc == p.Doc {
			score += docs[0].score
			docs = docs[1:]
		}
		all[n] = scoredDoc{p.Doc, score}
		n++
	}
	n += copy(all[n:], docs)
	s.docs, s.spare = all[:n], s.docs
	s.highest += highest
	s.most += len(postings)
}

// room returns room for n documents: spare, if that has it.
func room(spare []scoredDoc, n int) []scoredDoc {
	if cap(spare) < n {
		return make([]scoredDoc, n, n+n/2)
	}
	return spare[:n]
}

// reaches reports whether [nth] of the documents is more than a score. Mostly too few
// documents are near it, which is quickly seen.
func (s *sum) reaches(n int, score float64) bool {
	const rounding = 1e-9
	near := score * (1 - rounding)
	if s.highest < near || near >= s.near && s.most < n {
		return false
	}
	s.near, s.most = near, 0
	for _, d := range s.docs {
		if d.score >= near {
			s.most++
		}
	}
	return s.most >= n && nth(s.docs, n, 1) > score
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
