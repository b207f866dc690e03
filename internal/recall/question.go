package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// A question longer than this is answered by its rarest words: the first bound
// is how many different ones are looked up, the second how many are searched for.
const (
	maxLookup = 256
	maxTerms  = 32
)

// question is what a query asks, understood.
type question struct {
	terms   []wanted
	index   map[string]int // term to its place in terms
	phrases [][]string     // quoted, as terms in order
	kinds   []memory.Kind  // hinted at by the words: "what rules …"
	when    interval       // hinted at by a date: "last March"
	total   float64        // sum of the weights of what was asked: the most a record can match
}

// wanted is a term that is searched for.
type wanted struct {
	term   string
	word   string // as the question spells it
	of     int    // place in terms of the term it stands for; its own place if it was asked itself
	df     int
	weight float64
}

// understand reads a query. It never fails: a text without words has no terms.
func understand(text string, now time.Time, s *stemmer) question {
	q := question{index: make(map[string]int)}
	tokens := s.tokens(text)
	for _, t := range informative(tokens) {
		if !t.is(single) && len(q.terms) < maxLookup {
			q.want(t.term, t.term, len(q.terms))
		}
	}
	q.phrases = phrases(text, s)
	q.kinds = kindsHinted(tokens)
	q.when = dateHinted(tokens, now)
	return q
}

// want adds a term, once.
func (q *question) want(term, word string, of int) {
	if _, known := q.index[term]; known {
		return
	}
	q.index[term] = len(q.terms)
	q.terms = append(q.terms, wanted{term: term, word: word, of: of})
}

// weigh gives every term the weight of its rarity among the owner's documents.
func (q *question) weigh(ctx context.Context, idx Index, docs int) error {
	q.widen()
	names := make([]string, len(q.terms))
	for i, t := range q.terms {
		names[i] = t.term
	}
	df, err := idx.Frequencies(ctx, names)
	if err != nil {
		return err
	}
	for i, t := range q.terms {
		q.terms[i].df, q.terms[i].weight = df[i], rarity(df[i], docs)
		if t.of != i {
			q.terms[i].weight = familyWeight * min(q.terms[i].weight, q.terms[t.of].weight)
		}
	}
	q.shorten()
	for i, t := range q.terms {
		if t.of == i {
			q.total += t.weight
		}
	}
	return nil
}

// rarity is the inverse document frequency of a term, always positive.
func rarity(df, docs int) float64 {
	n := float64(max(docs, df))
	return math.Log(1 + (n-float64(df)+.5)/(float64(df)+.5))
}

// shorten keeps the maxTerms terms of most weight, in the order of the question.
func (q *question) shorten() {
	if len(q.terms) <= maxTerms {
		return
	}
	weights := make([]float64, len(q.terms))
	for i, t := range q.terms {
		weights[i] = t.weight
	}
	slices.SortFunc(weights, func(a, b float64) int { return cmp.Compare(b, a) })
	all := q.terms
	q.terms, q.index = nil, make(map[string]int)
	moved := make(map[int]int)
	for i, t := range all {
		of, kept := moved[t.of], true
		if t.of != i {
			_, kept = moved[t.of]
		} else {
			of = len(q.terms)
		}
		if t.weight < weights[maxTerms] || !kept || len(q.terms) == maxTerms {
			continue
		}
		moved[i] = len(q.terms)
		q.index[t.term] = len(q.terms)
		t.of = of
		q.terms = append(q.terms, t)
	}
}

// phrases returns what text has between double quotes, as terms.
func phrases(text string, s *stemmer) [][]string {
	var found [][]string
	parts := strings.Split(fold(text), `"`)
	for i := 1; i+1 < len(parts); i += 2 {
		var terms []string
		for _, t := range s.tokens(parts[i]) {
			if !t.is(whole | single) {
				terms = append(terms, t.term)
			}
		}
		if len(terms) > 1 && len(terms) <= maxTerms {
			found = append(found, terms)
		}
	}
	return found
}
