package recall

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// MaxTerm exports maxTerm to the external tests.
const MaxTerm = maxTerm

// Term is one word that finds a text. Several terms may stand at one position: "parseURL"
// is "parse", "url" and "parseurl", "lives" is "live" and "life".
type Term struct {
	Text     string // folded, in lower case, English words as their stem; 1 to 64 bytes
	Position int    // which word of the text, from 0
}

// Terms returns the terms of text in order of position: words as stems; numbers,
// identifiers, paths and versions whole as well as in parts; single characters and pairs of
// them in a script without spaces. Stop words are left out unless text has nothing else.
// Terms is deterministic, never fails, and returns valid UTF-8 for any input.
func Terms(text string) []Term {
	var terms []Term
	tokens := new(stemmer).tokens(text)
	for _, wanted := range []bool{false, true} { // stop words only if there is nothing else
		for _, t := range tokens {
			if t.is(stop) == wanted {
				terms = append(terms, Term{t.term, t.position})
			}
		}
		if len(terms) > 0 {
			break
		}
	}
	return terms
}

// Weight is a number of the ranking and the values that a search for a better one tries.
type Weight struct {
	Name   string
	At     *float64
	Values []float64
}

// Weights returns the numbers of the ranking to search for. A number that is a constant
// becomes a variable to be listed here.
func Weights() []Weight { return nil }

// Evidence searches as [Search] does, and returns the first hit and the evidence for it, nil
// if there is none.
func Evidence(ctx context.Context, idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) (first memory.ID, values []float64, err error) {
	s := newSearch(idx, query, opt, allow)
	if err := s.find(ctx); err != nil {
		return "", nil, err
	}
	hits := s.rank()
	if len(hits) == 0 {
		return "", nil, nil
	}
	var next *rankedReading
	if len(hits) > 1 {
		next = &hits[1]
	}
	v := s.evidence(hits[0], next).values()
	return hits[0].seen.ID, v[:], nil
}

// EvidenceWeights returns the weights of the evidence, and the bias.
func EvidenceWeights() (weights []float64, bias float64) { return evidenceWeights[:], evidenceBias }
