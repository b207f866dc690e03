package recall

import (
	"math"
	"slices"
)

// Factors on the similarity of a record whose form fits the question, against one whose
// form does not.
const (
	asksFactor    = .8  // it asks a question, and so hardly answers one
	briefness     = 1.0 // with n meaningful words it counts n/(n+briefness)
	speakerFactor = 1.2 // the question names its speaker
	phraseFactor  = 1.5 // it has the quoted phrases
	projectFactor = 1.2 // it belongs to the project that the question names
	spanFactor    = 1.5 // it is from the time that the question names
	datedFactor   = 1.2 // it has a date, and the question asks when
)

// nearShare is the highest similarity that closeness of meaning alone gives.
const nearShare = .5

// likeness is how far a record matches the question, 0 to 1.
type likeness struct {
	alone float64 // by its own words
	with  float64 // by its own words and those of its neighbours
}

// likenesses returns the likeness of each reading; the readings are in order of place.
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

// likeness sums a record's own matches, by term, and those with its neighbours, as squares.
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

// borrow adds the squares of the matches that from lends to a record, for each term: a
// match in three neighbours counts more than one in one of them, but less than three times
// as much.
func borrow(squares, values []float64, from, to *reading) {
	if from != to && !together(&from.seen, &to.seen) {
		return
	}
	part := lent(to.place - from.place)
	if from.asks && to.place == from.place+1 {
		part = 1 // to is the answer
	}
	for t, v := range values {
		squares[t] += part * v * part * v
	}
}

// matches returns how well the record itself matches each of the question's terms. A
// relative counts for its term if the term itself matches less.
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

// form returns the factor for the form of a record.
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

// spokenBy reports whether the question names the record's speaker.
func (r *reading) spokenBy(q question) bool { return slices.ContainsFunc(r.speakers, q.asks) }

// within reports whether the record became true, or was learnt, within a span.
func (r *reading) within(span interval) bool {
	return !span.isZero() && (span.holds(r.seen.Time.From()) || span.holds(learnt(&r.seen)))
}
