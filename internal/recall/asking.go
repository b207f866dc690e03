package recall

import (
	"math"
	"slices"
	"sync"
)

// answerKind is the kinds of answers that questions ask for, as bits.
type answerKind uint8

const (
	asksPerson answerKind = 1 << iota
	asksTime
	asksPlace
	asksReason
	asksWay
	asksThing
	asksNumber
	asksWhether // none of these
)

func (k answerKind) is(one answerKind) bool { return k&one != 0 }

// askingOf returns what tokens ask for that are a question.
func askingOf(question []token) answerKind {
	question = slices.DeleteFunc(slices.Clone(question), func(t token) bool { return t.is(beside) })
	if len(question) == 0 {
		return 0
	}
	var asks answerKind
	for _, t := range question {
		asks |= askingWords()[t.word]
		if asksWhich(t) {
			asks |= asksThing
		}
	}
	if asksAmount(question) {
		asks |= asksNumber
	}
	if asks == 0 {
		return asksWhether
	}
	return asks
}

// askingIn returns what the sentences of a text that are questions ask for.
func askingIn(text []token) answerKind {
	asks := func(t token) bool { return t.is(questioned) }
	if !slices.ContainsFunc(text, asks) {
		return 0
	}
	return askingOf(slices.DeleteFunc(slices.Clone(text), func(t token) bool { return !asks(t) }))
}

// askingWords are the words that say what a question asks for, as far as their language does
// not matter.
var askingWords = sync.OnceValue(func() map[string]answerKind {
	words := make(map[string]answerKind)
	for _, kind := range []struct {
		asks  answerKind
		words string
	}{
		{asksPerson, `who whose whom wer wen wem qui quién chi quem кто`},
		{asksTime, `when wann quand cuándo quando когда`},
		{asksPlace, `where wo wohin woher où dónde dove onde waar где`},
		{asksReason, `why warum wieso weshalb pourquoi perché waarom почему`},
		{asksWay, `how wie cómo hoe как`},
	} {
		for word := range set(fold(kind.words)) {
			words[unaccented(word)] |= kind.asks
		}
	}
	return words
})

// asksAlike returns how much of the question the record itself asks, from 0 to 1.
func (r *reading) asksAlike(q question) float64 {
	if !r.asking.is(q.asking) || q.total == 0 {
		return 0
	}
	weights, sum := make([]float64, len(q.terms)), 0.0
	for _, p := range r.places {
		t := q.terms[p.term]
		if w := t.weight; p.asked && w > weights[t.of] {
			sum += w - weights[t.of]
			weights[t.of] = w
		}
	}
	return math.Sqrt(min(1, sum/q.total))
}
