package recall

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"
)

// A record may say in a synonym what the question says, or in a narrower word, a wider one,
// or another part of speech. A dictionary knows these of far more words than the families
// do, but not which of them people mean, so they count for less.
const (
	dictionaryShare = .4 // of a word's weight counts for the nearest of its neighbours
	maxNeighbours   = 24 // that a question is searched for with: each is one to look up
)

// dictionary has a line for each word, in ascending order: the word, a tab, and the stems of
// its neighbours. The digit before a neighbour says how near it is, 9 being nearest. It is
// made from WordNet (wordnet/LICENSE): go test ./internal/recall -run TestDictionary -update.
//
//go:embed wordnet/words.txt
var dictionary string

// wantNeighbours adds the neighbours of the question's own words, the nearest ones first.
func (q *question) wantNeighbours() {
	var found []queryTerm
	for i, t := range q.terms {
		if t.relative(i) || t.stop || t.faint {
			continue
		}
		for _, n := range neighbours(t) {
			if _, known := q.index[n[1:]]; !known {
				nearness := float64(n[0]-'0') / 10
				found = append(found, queryTerm{term: n[1:], word: t.word, of: i, share: dictionaryShare * math.Sqrt(nearness)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b queryTerm) int { return cmp.Compare(b.share, a.share) })
	for _, w := range found[:min(len(found), maxNeighbours)] {
		q.want(w)
	}
}

// endings are those of the forms of a word, and those of the word itself.
var endings = [...][2]string{{"", ""}, {"s", ""}, {"es", ""}, {"ies", "y"}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}}

// neighbours returns the neighbours of a word of the question, each after its digit. The
// dictionary may have the word as spelled, as a form of another word, or as its stem.
func neighbours(t queryTerm) []string {
	for _, e := range endings {
		if base, ok := strings.CutSuffix(t.word, e[0]); ok {
			if found := row(dictionary, base+e[1]); found != nil {
				return found
			}
		}
	}
	return row(dictionary, t.term)
}
