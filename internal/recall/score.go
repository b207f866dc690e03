package recall

import (
	"math"
	"slices"
)

// Factors on the similarity of a record whose form fits the question, against one whose
// form does not.
const (
	answeredFactor  = .9   // it asks a question, and somebody's next record answers it
	briefness       = 1.0  // with n meaningful words it counts n/(n+briefness)
	speakerFactor   = 1.2  // the question names its speaker
	laterFactor     = 1.1  // it does so behind another name, and so asks about somebody else
	phraseFactor    = 1.5  // it has the quoted phrases
	projectFactor   = 1.2  // it belongs to the project that the question names
	spanFactor      = 1.5  // it is from the time that the question names
	datedFactor     = 1.2  // it has a date, and the question asks when
	amountFactor    = 1.1  // it has a number, and the question asks for one
	whoFactor       = 1.1  // it has a name, and the question asks who
	whereFactor     = 1.05 // it has a name, and the question asks where
	deniedFactor    = 1.2  // it says what is not so, and the question asks for that
	instructsFactor = 1.2  // it tells an assistant what to do whenever the matter comes up
	renewedFactor   = 1.15 // it says what has changed, and the question asks what is so now
	assistantFactor = .7   // an assistant says it: the owner's own statements come first
	nearFactor      = .2   // it has the question's words beside each other
	answersFactor   = .25  // more: somebody else has just asked the question
	askedFactor     = .2   // less: somebody else asks the question next
	coveredFactor   = .5   // a short text has all of the question's words
	personalFactor  = .15  // a person says it, and of themselves
)

// A text of more than passageWords is judged by its best passage of so many words, mostly.
const (
	passageWords = 60.0
	passageShare = .7  // the rest is for the text as a whole
	longShare    = .75 // as lengthShare, for the text as a whole
	longFactor   = .1  // a text with many passages has a good one by chance
	renewedWords = 30  // a longer text tells of changes in passing
	askedLoss    = .4  // of a match in a sentence that asks is lost: the answer stands elsewhere
	nearWords    = 3   // words that stand at most so far apart are beside each other
)

// A text borrows all of what its conversation lends up to leanFully words, and nothing from
// leanNever words on. It lends all that it matches if it has the words of an average text, or
// lendsFully.
const (
	leanFully  = 35.0
	leanNever  = 85.0
	lendsFully = 20.0
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
	width, fresh := len(q.terms), 0
	for _, r := range all {
		if r.values == nil {
			fresh++
		}
	}
	room := make([]float64, width*fresh)
	for _, r := range all {
		if r.values == nil {
			r.values, room = room[:width:width], room[width:]
			r.match(r.values, q, average)
			r.own = r.stated(r.values, q)
			r.alike = r.asksAlike(q)
			r.lends = min(1, math.Sqrt(math.Sqrt(max(average, lendsFully)/max(1, r.length))))
		}
	}
	found := make([]likeness, len(all))
	squares := make([]float64, len(q.terms))
	for i, r := range all {
		r.answers, r.asked = 0, 0
		if i > 0 {
			r.answers = alikeBeside(all[i-1], r)
		}
		if i+1 < len(all) {
			r.asked = alikeBeside(all[i+1], r)
		}
		clear(squares)
		borrow(squares, r.own, r, r)
		for j := i - 1; j >= 0 && r.place-all[j].place <= lendReach; j-- {
			borrow(squares, all[j].values, all[j], r)
		}
		if i+1 < len(all) {
			r.answered = r.asks && !all[i+1].assistant && all[i+1].place == r.place+1 && together(r, all[i+1])
		}
		for j := i + 1; j < len(all) && all[j].place-r.place <= lendReach; j++ {
			borrow(squares, all[j].values, all[j], r)
		}
		found[i] = r.likeness(r.own, squares, q.total)
	}
	return found
}

// alikeBeside returns how much of the question a turn asks, if somebody else says it right
// before the record or right after it.
func alikeBeside(turn, r *reading) float64 {
	if turn.alike == 0 || max(turn.place-r.place, r.place-turn.place) != 1 || slices.Equal(turn.speakers, r.speakers) || !together(turn, r) {
		return 0
	}
	return turn.alike
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
// as much. One in a long text, which has many words, counts less.
func borrow(squares, values []float64, from, to *reading) {
	if from != to && !together(from, to) {
		return
	}
	part := lent(to.place - from.place)
	if from.asks && to.place == from.place+1 {
		part = 1 // to is the answer
	}
	if from != to {
		lean := leans(to.length)
		switch to.place - from.place {
		case 1: // however long it is, an answer needs the words of what it answers
			lean = max(lean, to.answers)
		case 2: // and of what made somebody ask
			if to.answers > 0 && slices.Equal(from.speakers, to.speakers) {
				part, lean = max(part, to.answers), max(lean, to.answers)
			}
		}
		part *= lean * from.lends
	}
	for t, v := range values {
		squares[t] += part * v * part * v
	}
}

// leans returns how much a text of so many words needs the words of its neighbours: a
// short turn hardly says what it is about, a long one does.
func leans(words float64) float64 {
	return min(1, max(0, (leanNever-words)/(leanNever-leanFully)))
}

// stated returns matches without what those lose that stand in sentences that ask.
func (r *reading) stated(values []float64, q question) []float64 {
	if r.isUsers() || !slices.ContainsFunc(r.places, func(p termPlace) bool { return p.asked }) {
		return values
	}
	asked, all := make([]float64, len(q.terms)), make([]float64, len(q.terms))
	for _, p := range r.places {
		of := q.terms[p.term].of
		all[of]++
		if p.asked {
			asked[of]++
		}
	}
	own := slices.Clone(values)
	for i := range own {
		own[i] *= 1 - askedLoss*asked[i]/max(1, all[i])
	}
	return own
}

// isUsers reports whether somebody says the record to an assistant, and so asks about matters
// of their own.
func (r *reading) isUsers() bool {
	return slices.Contains(r.speakers, "user") || slices.Contains(r.speakers, "human")
}

// match sets values to how well the record itself matches each of the question's terms: by its
// best passage, and as a whole. A relative counts for its term if the term itself matches
// less.
func (r *reading) match(values []float64, q question, average float64) {
	passage := r.passage(q, average)
	for i, t := range q.terms {
		if r.frequency[i] > 0 {
			v := t.weight * occurrence(r.frequency[i], r.length/average)
			if passage != nil {
				v = passageShare*t.weight*occurrence(passage[i], passageWords/average) +
					(1-passageShare)*t.weight*longOccurrence(r.frequency[i], r.length/average)
			}
			values[t.of] = max(values[t.of], v)
		}
	}
}

// longOccurrence is [occurrence] in a text of several passages, which has more words by its
// length alone.
func longOccurrence(frequency, length float64) float64 {
	return frequency * (saturation + 1) / (frequency + saturation*(1-longShare+longShare*length))
}

// passage returns how often the best passage of a long text has each term; nil: the text is
// one passage.
func (r *reading) passage(q question, average float64) []float64 {
	if r.length <= passageWords {
		return nil
	}
	weighed := func(term int, n float64) float64 {
		if n == 0 {
			return 0
		}
		return q.terms[term].weight * occurrence(n, passageWords/average)
	}
	counts, bestCounts := make([]float64, len(q.terms)), make([]float64, len(q.terms))
	sum, best, first := 0.0, -1.0, 0
	change := func(term int, by float64) {
		sum -= weighed(term, counts[term])
		counts[term] += by
		sum += weighed(term, counts[term])
	}
	for _, p := range r.places {
		change(p.term, 1)
		for float64(r.places[first].position) <= float64(p.position)-passageWords {
			change(r.places[first].term, -1)
			first++
		}
		if sum > best {
			best = sum
			copy(bestCounts, counts)
		}
	}
	return bestCounts
}

// nearness returns how close to each other the record has the question's terms, from 0 to
// 1: the part of their weight that stands beside another of them, where nobody asks.
func (r *reading) nearness(q question) float64 {
	if q.total == 0 {
		return 0
	}
	beside := make([]bool, len(q.terms))
	for i := 1; i < len(r.places); i++ {
		a, b := r.places[i-1], r.places[i]
		if q.terms[a.term].of != q.terms[b.term].of && b.position-a.position <= nearWords && !a.asked && !b.asked {
			beside[a.term], beside[b.term] = true, true
		}
	}
	sum := 0.0
	for i, is := range beside {
		if is {
			sum += q.terms[i].weight
		}
	}
	return min(1, sum/q.total)
}

// personal returns the part of a record's matches that stands where its speaker speaks of
// themselves, from 0 to 1. A note without a speaker is of nobody.
func (r *reading) personal(q question) float64 {
	if len(r.speakers) == 0 || r.assistant {
		return 0
	}
	personal, all := 0.0, 0.0
	for _, p := range r.places {
		w := q.terms[p.term].weight
		all += w
		if p.personal {
			personal += w
		}
	}
	if all == 0 {
		return 0
	}
	return personal / all
}

// shape returns the factor for the form of a record as far as its own words decide it.
func (r *reading) shape(q question) float64 {
	f := r.meaningful / (r.meaningful + briefness)
	f *= 1 + nearFactor*r.nearness(q)
	f *= 1 + coveredFactor*q.covered(r.parts(q))*min(1, passageWords/r.length)
	f *= 1 + personalFactor*r.personal(q)
	if r.length > passageWords {
		f /= 1 + longFactor*math.Log(r.length/passageWords)
	}
	return f
}

// form returns the factor for the form of a record.
func (r *reading) form(q question) float64 {
	if r.shaped == 0 {
		r.shaped = r.shape(q)
	}
	f := r.shaped * (1 + answersFactor*r.answers) * (1 - askedFactor*r.asked)
	for _, fit := range []struct {
		fits   bool
		factor float64
	}{
		{r.answered, answeredFactor},
		{r.spokenBy(q) && r.spokenFirst(q), speakerFactor},
		{r.spokenBy(q) && !r.spokenFirst(q), laterFactor},
		{r.quotes, phraseFactor},
		{r.project, projectFactor},
		{r.within(q.when), spanFactor},
		{q.dated && r.dated, datedFactor},
		{q.asking.is(asksNumber) && r.amount, amountFactor},
		{q.asking.is(asksPerson) && r.named, whoFactor},
		{q.asking.is(asksPlace) && r.named, whereFactor},
		{r.denied, deniedFactor},
		{r.instructs, instructsFactor},
		{r.renewed && r.length <= renewedWords, renewedFactor},
		{r.assistant, assistantFactor},
	} {
		if fit.fits {
			f *= fit.factor
		}
	}
	return f
}

// spokenBy reports whether the question names the record's speaker.
func (r *reading) spokenBy(q question) bool { return slices.ContainsFunc(r.speakers, q.asks) }

// spokenFirst reports whether the question has no name before that of the record's speaker.
func (r *reading) spokenFirst(q question) bool {
	return q.name == "" || slices.Contains(r.speakers, q.name)
}

// within reports whether the record became true, or was learnt, within a span.
func (r *reading) within(span interval) bool {
	return !span.isZero() && (span.holds(r.seen.Time.From()) || span.holds(learnt(r.seen)))
}
