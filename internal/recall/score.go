package recall

import (
	"math"
	"slices"
)

// Weights of the ranking: what a record that fits is worth against one that does
// not. All are factors on the similarity.
const (
	asksFactor    = .8  // it asks and so hardly answers
	briefness     = 1.0 // a record of n words that say something counts n/(n+briefness)
	speakerFactor = 1.2 // said by whom the question names
	phraseFactor  = 1.5 // has what the question quotes
	kindFactor    = 1.2 // is of the kind the question asks for
	dateFactor    = 1.5 // from the time the question speaks of
	projectFactor = 1.2 // belongs to the project the question names
	scopeShare    = .3  // of the score depends on the fit of the scope
	recencyShare  = .1
	salienceShare = .1
	feedbackShare = .3
)

// similarities returns, for readings in order of number, the part of what was
// asked that each matches, 0 to 1, itself or beside it in its conversation; and
// what it matches itself.
func similarities(all []*reading, q question, average float64) (with, alone []float64) {
	values := make([][]float64, len(all)) // of each concept
	for i, r := range all {
		values[i] = r.matches(q, average)
	}
	with, alone = make([]float64, len(all)), make([]float64, len(all))
	for i := range all {
		sum := make([]float64, len(q.terms))
		for j := i; j >= 0 && all[i].Doc-all[j].Doc <= lendReach; j-- {
			borrow(sum, values[j], all[j], all[i])
		}
		for j := i + 1; j < len(all) && all[j].Doc-all[i].Doc <= lendReach; j++ {
			borrow(sum, values[j], all[j], all[i])
		}
		for t := range sum {
			with[i] += math.Sqrt(sum[t])
			alone[i] += values[i][t]
		}
		with[i], alone[i] = min(1, with[i]/q.total), min(1, alone[i]/q.total)
	}
	return with, alone
}

// borrow adds the squares of what from lends to, for each term: a match in three
// neighbours is more than one in one of them, but not three times as much.
func borrow(sum, values []float64, from, to *reading) {
	if from != to && !together(&from.Record, &to.Record) {
		return
	}
	part := lent(to.Doc - from.Doc)
	if from.asks && to.Doc == from.Doc+1 {
		part = 1 // the answer
	}
	for t, v := range values {
		sum[t] += part * v * part * v
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

// form returns what the shape of a record is worth to a question.
func (r *reading) form(q question) float64 {
	f := r.meaningful / (r.meaningful + briefness)
	if r.asks {
		f *= asksFactor
	}
	if r.spokenBy(q) {
		f *= speakerFactor
	}
	if r.quotes {
		f *= phraseFactor
	}
	if slices.Contains(q.kinds, r.Record.Kind) {
		f *= kindFactor
	}
	if r.project {
		f *= projectFactor
	}
	return f * r.dateFit(q)
}

func (r *reading) spokenBy(q question) bool {
	return slices.ContainsFunc(r.speakers, func(s string) bool {
		_, asked := q.index[s]
		return asked
	})
}

// dateFit is dateFactor for what was true or learnt within the span the question
// speaks of.
func (r *reading) dateFit(q question) float64 {
	if q.when.isZero() {
		return 1
	}
	for _, t := range []interval{{from: r.Record.Time.From()}, {from: learnt(&r.Record)}} {
		if !t.from.Before(q.when.from) && t.from.Before(q.when.to) {
			return dateFactor
		}
	}
	return 1
}
