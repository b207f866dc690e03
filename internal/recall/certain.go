package recall

import (
	"math"
	"strings"
)

// The ranking orders records but says nothing about whether any of them answers the question.
// A logistic regression over the evidence for the first gives the probability of that, and
// every score is in proportion to it. Its weights are fitted to whether an answer is there,
// which carries over to other data better than whether it comes first. The bias is such that
// nine of ten questions with an answer reach [memory.Certain]. The probabilities are then right
// where two of five questions have one.

// evidence is what speaks for and against the first record as an answer.
type evidence struct {
	held    float64 // how many of the question's words and names it has
	lead    float64 // how far the next record is behind, as a part of its score
	focus   float64 // 1: it lacks the word for what is asked for
	other   float64 // 1: somebody says it, and it lacks a name of the question; .5: it has the name, but another says it
	amount  float64 // 1: the question asks for a number, and it has none
	date    float64 // 1: the question asks when, and it has no date
	unknown float64 // how many of the question's words no record has, up to manyUnknown
	long    float64 // how much longer than others it is: a logarithm, from veryShort to veryLong
	lacked  float64 // how many of the question's words other records have, and it has not, up to manyLacked
	asks    float64 // 1: it ends in a question itself
	bare    float64 // 1: it has nothing but names of the question, which has other words
}

func (e evidence) values() [11]float64 {
	return [...]float64{e.held, e.lead, e.focus, e.other, e.amount, e.date, e.unknown, e.long, e.lacked, e.asks, e.bare}
}

const (
	manyLacked   = 3   // what a longer question lacks may be beside the point
	unknownFocus = .75 // it counts as unknown, too
	manyUnknown  = 2   // a long question has unknown words, whatever it asks
	veryShort    = -.5 // beyond that a record is no more likely to answer
	veryLong     = 2.5 // a document may answer as well
)

// evidenceWeights are what each value of the evidence adds to the logarithm of the odds, and
// evidenceBias is the rest of it. TestQualityCertainty measures them, and fits them anew. How
// close the words stand and how rare they are helped on the sets that their weights were fitted
// to, and harmed on others. So did the length of a record by itself: a long one has words of
// the question by chance, but what is long depends on the owner's other records.
var evidenceWeights = [11]float64{.5, .8, -1, -1.8, -1.05, -.8, -.4, -.5, -.12, -1.1, -.8}

const evidenceBias = -.95

// A record that has no next one leads by much among many records. Among fewDocs it leads as
// far as it has the question's words.
const fewDocs = 50

// wholeLead is the least lead of a record with all of the question's words: several may
// answer it.
const wholeLead = .4

// probability returns the probability that an answer is there.
func (e evidence) probability() float64 {
	odds := evidenceBias
	for i, v := range e.values() {
		odds += evidenceWeights[i] * v
	}
	return 1 / (1 + math.Exp(-odds))
}

// evidence returns the evidence for the best of two records, the next of which may be
// missing.
func (s *search) evidence(best rankedReading, next *rankedReading) evidence {
	q := s.question
	parts := best.parts(q)
	covered := q.covered(parts)
	e := evidence{held: q.held(parts), unknown: min(q.unknownWords(), manyUnknown), long: best.longer(s.average)}
	spoken := happens(best.seen.Kind) && len(best.speakers) > 0 && !best.isUsers() && !best.assistant && !best.spokenBy(q)
	for i, part := range parts {
		t := q.terms[i]
		if part == 0 && t.isAsked(i) && t.known && !t.faint {
			e.lacked = min(e.lacked+1, manyLacked)
		}
		switch {
		case !t.isAsked(i) || !t.name || !spoken:
		case part < 1:
			e.other = 1
		default:
			e.other = max(e.other, .5)
		}
	}
	switch {
	case next == nil:
		e.lead = max(covered, s.docs/(s.docs+fewDocs))
	case covered == 1:
		e.lead = max(wholeLead, 1-next.score/best.score)
	default:
		e.lead = 1 - next.score/best.score
	}
	for _, terms := range q.focus {
		e.focus = max(e.focus, q.lacksFocus(terms, parts))
	}
	time, amount := false, false
	if q.dated || q.asking.is(asksNumber) {
		time, amount = s.tells(best.reading)
	}
	if q.isBare(parts) {
		e.bare = 1
	}
	for _, fit := range []struct {
		fits  bool
		value *float64
	}{
		{best.asks, &e.asks},
		{q.asking.is(asksNumber) && !best.amount && !amount, &e.amount},
		{q.dated && !best.dated && !best.amount && !time && !amount, &e.date},
	} {
		if fit.fits {
			*fit.value = 1
		}
	}
	return e
}

// lacksFocus returns how much a record with these parts lacks all of some terms.
func (q *question) lacksFocus(terms []string, parts []float64) float64 {
	lacks := 0.0
	for _, term := range terms {
		i, ok := q.index[term]
		switch {
		case !ok || !q.terms[i].isAsked(i):
		case parts[i] > 0:
			return 0
		case q.terms[i].known || q.terms[i].isTold():
			lacks = 1
		default:
			lacks = max(lacks, unknownFocus)
		}
	}
	return lacks
}

// isBare reports whether a record with these parts has nothing of the question but names,
// although the question has other words that say something. German nouns look like names.
func (q *question) isBare(parts []float64) bool {
	if q.language == inGerman {
		return false
	}
	others := false
	for i, part := range parts {
		t := q.terms[i]
		if !t.isAsked(i) || t.name || t.faint {
			continue
		}
		if part > 0 {
			return false
		}
		others = true
	}
	return others
}

// parts returns for each term of the question how much of it the record has: all of the
// term itself, or the share of a relative.
func (r *reading) parts(q question) []float64 {
	parts := make([]float64, len(q.terms))
	for i, t := range q.terms {
		if r.frequency[i] > 0 && t.weight > 0 {
			part := t.share
			if !t.relative(i) {
				part = 1
			}
			parts[t.of] = max(parts[t.of], part)
		}
		if isKindWord(t.term) && r.isHinted(q) {
			parts[i] = 1
		}
	}
	return parts
}

// covered returns the part of the question's words that a record with these parts has.
func (q *question) covered(parts []float64) float64 {
	had, asked := 0.0, 0.0
	for i, part := range parts {
		if q.terms[i].isAsked(i) {
			had += part
			asked++
		}
	}
	return had / max(1, asked)
}

// held returns how many of the question's words a record with these parts has. The words of a
// name, and the parts of a compound, count as one; in a script without spaces two pairs of
// characters do. Words that only form questions count less. A relative says more of whether
// an answer is there than of which record it is, and counts by the root of its share.
func (q *question) held(parts []float64) float64 {
	sum, had, words := 0.0, 0.0, 0.0 // had and words are of the last name
	last := queryTerm{}
	for i, part := range parts {
		t := q.terms[i]
		if !t.isAsked(i) {
			continue
		}
		if !t.name || !last.name || t.place > last.place+1 {
			sum += had / max(1, words)
			had, words = 0, 0
		}
		part = math.Sqrt(part)
		switch {
		case unspaced(t.term):
			part /= 2
		case t.faint:
			part *= faintWeight
		}
		had, words, last = had+part, words+1, t
	}
	return sum + had/max(1, words)
}

// unknownWords returns how many words of the question have no record, not even for a word that stands
// for them. Names count, and words that the dictionary or the families know: of others we do
// not know which forms they have.
func (q *question) unknownWords() float64 {
	n := 0.0
	for i, t := range q.terms {
		if t.isAsked(i) && !t.known && !t.faint && (t.name || t.isTold()) {
			n++
		}
	}
	return n
}

// isTold reports whether a table has a word: then no record has another form of it either.
func (w *queryTerm) isTold() bool { return neighbours(*w) != nil || relatives(w.term) != nil }

// longer returns how much longer than the average record one is.
func (r *reading) longer(average float64) float64 {
	const few = 3 // so many words more make no short record long
	return min(max(math.Log((r.length+few)/(average+few)), veryShort), veryLong)
}

// isAsked reports whether the term at index i is a word of the question that says something.
func (w *queryTerm) isAsked(i int) bool {
	return w.of == i && !w.stop && !w.joint && !strings.HasPrefix(w.term, kindMark)
}

// scale returns the factor that makes the scores of ranked records probabilities. The evidence
// for the first record gives its probability, and the other scores are in proportion. An
// embedder that finds the first close in meaning makes it more likely. The limit and the
// budget of the answer do not matter, and records known to be unsound do not count.
func (s *search) scale(ranked []rankedReading) float64 {
	var first, next *rankedReading
	for i := range ranked {
		if ranked[i].unsound {
			continue
		}
		if first != nil {
			next = &ranked[i]
			break
		}
		first = &ranked[i]
	}
	if first == nil || first.score <= 0 {
		return 1
	}
	p := s.evidence(*first, next).probability()
	return (1 - (1-p)*(1-first.near*first.near)) / first.score
}
