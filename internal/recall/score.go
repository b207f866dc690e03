package recall

import (
	"math"
	"slices"
)

// What a record is worth whose form fits the question, against one whose form
// does not: factors on its similarity.
const (
	asksFactor    = .8  // it asks, and so hardly answers
	briefness     = 1.0 // with n words that say something it counts n/(n+briefness)
	speakerFactor = 1.2 // it was said by whom the question names
	phraseFactor  = 1.5 // it has what the question quotes
	projectFactor = 1.2 // it belongs to the project the question names
	spanFactor    = 1.5 // it is from the time the question speaks of
	datedFactor   = 1.2 // it tells a time, and the question asks when
)

// nearShare is what closeness of meaning alone makes of a similarity at most.
const nearShare = .5

// likeness is how far a record matches what was asked, 0 to 1.
type likeness struct {
	alone float64 // by what it says
	with  float64 // by what it says and what was said beside it
}

// likenesses returns the likeness of each reading; they are in order of place.
func likenesses(all []*reading, q question, average float64) []likeness {
	values := make([][]float64, len(all))
	for i, r := range all {
		values[i] = r.matches(q, average)
	}
	found := make([]likeness, len(all))
	squares := make([]float64, len(q.terms))
	for i, r := range all {
		clear(squares)
		for j := i; j >= 0 && r.place-all[j].place <= lendReach; j-- {
			borrow(squares, values[j], all[j], r)
		}
		for j := i + 1; j < len(all) && all[j].place-r.place <= lendReach; j++ {
			borrow(squares, values[j], all[j], r)
		}
		found[i] = r.likeness(values[i], squares, q.total)
	}
	return found
}

// likeness sums what a record matches itself, by term, and with its neighbours,
// as squares.
func (r *reading) likeness(values, squares []float64, total float64) likeness {
	var l likeness
	for t := range values {
		l.alone += values[t]
		l.with += math.Sqrt(squares[t])
	}
	if total > 0 {
		l.alone, l.with = min(1, l.alone/total), min(1, l.with/total)
	}
	l.with = 1 - (1-l.with)*(1-nearShare*r.near)
	return l
}

// borrow adds the squares of what from lends to, for each term: a match in three
// neighbours is more than one in one of them, but not three times as much.
func borrow(squares, values []float64, from, to *reading) {
	if from != to && !together(&from.seen, &to.seen) {
		return
	}
	part := lent(to.place - from.place)
	if from.asks && to.place == from.place+1 {
		part = 1 // the answer
	}
	for t, v := range values {
		squares[t] += part * v * part * v
	}
}

// matches returns what the record says itself to each of the question's terms. A
// relative counts for the term it stands for, where that says less.
func (r *reading) matches(q question, average float64) []float64 {
	values := make([]float64, len(q.terms))
	for i, t := range q.terms {
		if r.frequency[i] > 0 {
			v := t.weight * occurrence(r.frequency[i], r.length/average)
			values[t.of] = max(values[t.of], v)
		}
	}
	return values
}

// form returns what the form of a record is worth to a question.
func (r *reading) form(q question) float64 {
	f := r.meaningful / (r.meaningful + briefness)
	for _, fit := range []struct {
		fits   bool
		factor float64
	}{
		{r.asks, asksFactor},
		{r.spokenBy(q), speakerFactor},
		{r.quotes, phraseFactor},
		{r.project, projectFactor},
		{r.within(q.when), spanFactor},
		{q.dated && r.dated, datedFactor},
	} {
		if fit.fits {
			f *= fit.factor
		}
	}
	return f
}

// spokenBy reports whether the question names who says the record.
func (r *reading) spokenBy(q question) bool { return slices.ContainsFunc(r.speakers, q.asks) }

// within reports whether the record became true, or was learnt, within a span.
func (r *reading) within(span interval) bool {
	return !span.isZero() && (span.holds(r.seen.Time.From()) || span.holds(learnt(&r.seen)))
}
