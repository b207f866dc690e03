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

// A longer question is answered by its rarest words. The first bound is the number of
// different words looked up, the second the number searched for.
const (
	maxLookup = 256
	maxTerms  = 32
)

// question is the meaning of a query.
type question struct {
	text     string // as asked
	terms    []queryTerm
	index    map[string]int // term to its place in terms
	only     []memory.Kind  // the only kinds of an answer; none: every kind
	phrases  [][]string     // quoted, as terms in order
	when     interval       // the span of time that it names
	dated    bool           // it asks for a date
	asking   answerKind     // what it asks for
	denied   bool           // it asks what is not so
	current  bool           // it asks what is so now
	name     string         // the term of its first name
	focus    [][]string     // the terms for what it asks for, any of which will do
	language int            // of its words in Latin script, see askedIn
	turns    int            // records that are turns of a conversation, and may lend their matches to others
	// statements is the part of the records that are no turns of a conversation; 0 also where the
	// caller may not know.
	statements float64
	total      float64 // the weight of all terms asked: the most that a record can match
}

// queryTerm is a term to search for.
type queryTerm struct {
	term   string
	word   string  // as spelled in the question
	of     int     // index of the term that it stands for; its own index if the question has it
	share  float64 // of that term's weight, if it stands for another
	family bool    // of that term's family
	stop   bool    // says nothing by itself
	faint  bool    // mostly forms questions, see isFaint
	joint  bool    // a compound, whose parts are terms as well
	name   bool    // of a name, or a part of a compound
	place  int     // position in the question
	alike  bool    // it looks like that term, and counts only if no record has that
	owners bool    // it is a word of the owner's that looks like one of the question's
	known  bool    // a record has it, or a word that stands for it
	df     int
	weight float64
}

// relative reports whether the term at index i stands for another one.
func (w queryTerm) relative(i int) bool { return w.of != i }

// understand reads a query. It never fails: a text without words has no terms.
func understand(text string, now time.Time, s *stemmer) question {
	q := question{text: text, index: make(map[string]int)}
	tokens, language := s.asked(text)
	q.language = language
	var last, compound string
	for _, t := range informative(withoutFrame(withoutParts(tokens))) {
		switch {
		case t.is(single) || len(q.terms) >= maxLookup:
		case t.is(other):
			q.want(queryTerm{term: t.term, word: t.word, of: q.index[last], share: 1})
		default:
			last = t.term
			switch {
			case t.is(whole):
				compound = t.word
			case !strings.Contains(compound, t.word):
				compound = "" // its parts are over
			}
			q.want(queryTerm{term: t.term, word: t.word, of: len(q.terms), stop: t.is(stop), faint: language == inEnglish && isFaint(t.term),
				joint: t.is(whole), name: t.isName() || compound != "" || q.isFirstName(t), place: t.position})
		}
	}
	if i := slices.IndexFunc(q.terms, func(t queryTerm) bool { return t.name && !t.stop }); i >= 0 {
		q.name = q.terms[i].term
	}
	q.wantAcronyms(tokens)
	for _, k := range kindsHinted(tokens) {
		q.want(queryTerm{term: kindTerm(k), word: string(k), of: len(q.terms), stop: true})
	}
	if language == inEnglish { // other languages have words that English spells alike
		for _, t := range q.terms {
			for _, r := range relatives(t.term) {
				q.want(queryTerm{term: r, word: t.word, of: t.of, share: familyWeight, family: true})
			}
		}
		q.wantNeighbours()
	}
	q.phrases = phrases(text, s)
	q.when = dateHinted(tokens, now)
	first := len(q.terms)
	for _, term := range q.when.asked() {
		q.want(queryTerm{term: term, word: strings.TrimPrefix(term, instantMark), of: first, share: 1})
	}
	q.dated = len(tokens) > 0 && tokens[0].term == "when"
	q.asking = askingOf(tokens)
	if asksCount(tokens, language) {
		q.asking |= asksNumber
	}
	q.current = q.when.isZero() && !slices.ContainsFunc(tokens, token.isPast)
	q.denied = slices.ContainsFunc(tokens, token.denies)
	q.wantFocus(tokens, text, s)
	return q
}

// isFirstName reports whether the first word of a question is a name, as far as anybody knows:
// it has a capital, and is no word of the tables.
func (q *question) isFirstName(t token) bool {
	return t.is(capital) && t.is(ends) && !t.is(stop|beside) && row(tongues, tongueKey(t.term, q.language)) == nil &&
		relatives(t.term) == nil && neighbours(queryTerm{term: t.term, word: t.word}) == nil
}

// wantAcronyms adds the phrases that an acronym of the question may stand for, and the
// acronyms of its phrases. A short word that is no acronym counts as one if no record has
// it.
func (q *question) wantAcronyms(tokens []token) {
	for _, t := range tokens {
		i, ok := q.index[t.term]
		if n := len(t.word); ok && n >= shortestAcronym && n <= longestAcronym && !t.is(stop|beside) && !isSlipOfStop(t.word) {
			q.want(queryTerm{term: initialsMark + t.word, word: t.word, of: q.terms[i].of, share: 1, alike: !t.is(acronym)})
		}
	}
	for _, term := range acronyms(tokens) {
		letters, ok := strings.CutPrefix(term, initialsMark)
		if !ok {
			continue
		}
		for i, t := range q.terms {
			if !t.relative(i) && strings.HasPrefix(t.word, letters[:1]) {
				q.want(queryTerm{term: acronymMark + letters, word: t.word, of: i, share: 1})
				break
			}
		}
	}
}

// want adds a term, once.
func (q *question) want(w queryTerm) {
	if _, known := q.index[w.term]; known {
		return
	}
	q.index[w.term] = len(q.terms)
	q.terms = append(q.terms, w)
}

// looksFor reports whether a record may have a term of the question that begins with a mark.
// Even a term without weight shows in the reasons of a hit.
func (q *question) looksFor(mark string) bool {
	return slices.ContainsFunc(q.terms, func(t queryTerm) bool {
		return strings.HasPrefix(t.term, mark) && (t.weight > 0 || t.df > 0)
	})
}

// asks reports whether the question itself has a term. A word that only looks like one of
// the question's may be from a record that the caller does not see.
func (q *question) asks(term string) bool {
	i, ok := q.index[term]
	return ok && !q.terms[i].owners
}

// frequencies returns the number of the owner's documents that contain each term. With
// respelled, words that look like unknown ones are added.
func (q *question) frequencies(ctx context.Context, idx Index, respelled bool) ([]int, error) {
	df, err := q.lookUp(ctx, idx)
	if err != nil || !respelled {
		return df, err
	}
	more, err := q.respell(ctx, idx, false, func(i int) bool { return !q.isKnown(i, df) })
	if err != nil || !more {
		return df, err
	}
	added, err := idx.Frequencies(ctx, q.names()[len(df):])
	return append(df, added...), err
}

// isKnown reports whether a document has a term, or another reading of it.
func (q *question) isKnown(term int, df []int) bool {
	for i, t := range q.terms {
		if t.of == term && df[i] > 0 && (i == term || t.share == 1) {
			return true
		}
	}
	return false
}

// lookUp returns the number of the owner's documents that contain each term.
func (q *question) lookUp(ctx context.Context, idx Index) ([]int, error) {
	names := q.names()
	df, err := idx.Frequencies(ctx, append(names, kindTerm(memory.Episodic), kindTerm(memory.Working)))
	if err != nil {
		return nil, err
	}
	q.turns = df[len(names)] + df[len(names)+1]
	return df[:len(names)], nil
}

// names returns the terms as texts, in order.
func (q *question) names() []string {
	names := make([]string, len(q.terms))
	for i, t := range q.terms {
		names[i] = t.term
	}
	return names
}

// weigh gives every term the weight of its rarity: df says how many of docs documents
// contain it, words how many words those have together.
func (q *question) weigh(df []int, docs int, words float64) {
	for i := range q.terms {
		q.terms[i].known = false
	}
	for i := range q.terms {
		t := &q.terms[i]
		t.df, t.weight = df[i], rarity(float64(df[i])+alsoIn(t.term, words), docs)
		q.terms[t.of].known = q.terms[t.of].known || t.df > 0
		if t.faint {
			t.weight *= faintWeight
		}
		if strings.HasPrefix(t.term, instantMark) {
			t.weight *= instantWeight
		}
		if t.relative(i) {
			share := t.share
			if t.family {
				share += (statementWeight - familyWeight) * q.statements
			}
			t.weight = share * min(t.weight, q.terms[t.of].weight)
		}
		if t.df == 0 && (t.stop || t.relative(i)) || t.alike && q.terms[t.of].df > 0 {
			t.weight = 0
		}
	}
	q.sum()
}

// sum adds up the weight of the question's terms.
func (q *question) sum() {
	q.total = 0
	for i, t := range q.terms {
		if !t.relative(i) {
			q.total += t.weight
		}
	}
}

// instantWeight is the part of its weight that counts for a time.
const instantWeight = .6

// faintWeight is the part of a word's weight that counts for words that mostly form
// questions: "what is my wife called", "where did we go".
const faintWeight = .3

func isFaint(term string) bool {
	switch term {
	case "actual", "anybodi", "anyon", "anyth", "call", "exact", "get", "give", "go", "happen", "keep", "kind", "know", "long", "make", "mani", "mean", "much",
		"name", "need", "nobodi", "noth", "often", "somebodi", "someon", "someth", "sort", "still", "take", "thing", "use", "usual", "yet":
		return true
	}
	return false
}

// rarity is the inverse document frequency of a term, always positive.
func rarity(df float64, docs int) float64 {
	n := max(float64(docs), df)
	return math.Log(1 + (n-df+.5)/(df+.5))
}

// shorten keeps the maxTerms terms of most weight, in their order, and reports whether
// there were more. A relative stays only with its term.
func (q *question) shorten() bool {
	if len(q.terms) <= maxTerms {
		return false
	}
	heaviest := slices.Clone(q.terms)
	slices.SortStableFunc(heaviest, func(a, b queryTerm) int { return cmp.Compare(b.weight, a.weight) })
	kept := make(map[string]bool)
	for _, t := range heaviest[:maxTerms] {
		kept[t.term] = true
	}
	all := q.terms
	q.terms, q.index = nil, make(map[string]int)
	for i, t := range all {
		head := all[t.of].term
		switch {
		case !kept[t.term]:
		case !t.relative(i):
			t.of = len(q.terms)
			q.want(t)
		case kept[head]:
			t.of = q.index[head]
			q.want(t)
		}
	}
	q.sum()
	return true
}

// phrases returns the texts between double quotes, as terms.
func phrases(text string, s *stemmer) [][]string {
	var found [][]string
	parts := strings.Split(fold(text), `"`)
	for i := 1; i+1 < len(parts); i += 2 {
		var terms []string
		for _, t := range s.tokens(parts[i]) {
			if !t.is(beside) {
				terms = append(terms, t.term)
			}
		}
		if len(terms) > 1 && len(terms) <= maxTerms {
			found = append(found, terms)
		}
	}
	return found
}
