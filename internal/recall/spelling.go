package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// A word that no record has may be misspelled, or be another form of a word that one has,
// or a part of it. Then the owner's words that look like it stand for it.

// reversedMark begins the term of a long word spelled backwards, which finds compounds by
// their end. No word begins with it.
const reversedMark = "~"

// shortestCompound is the fewest letters of a word that may be a compound.
const shortestCompound = 9

// reversed returns the term of a word spelled backwards; "" for a word that is too short or
// too long, or in a language that joins no words.
func reversed(word string, language int) string {
	if !languages[language].compounds || len(word) > maxTerm-len(reversedMark) || utf8.RuneCountInString(word) < shortestCompound {
		return ""
	}
	return reversedMark + backwards(word)
}

func backwards(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}

// How much of a word's weight counts for another that looks like it.
const (
	oneSlip    = .8 // one letter is wrong, missing, too many, or two are swapped
	twoSlips   = .6
	ending     = .6 // one is the other with up to longestEnding letters more
	partOfWord = .6 // it ends with the word
	sameStart  = .5 // they begin alike, as forms of a word do
)

// The least letters of two words for each way to be alike, and the most letters of endings.
const (
	shortestAlike    = 4
	shortestReplaced = 6 // many short words differ by one letter
	shortestTwo      = 7
	shortestHead     = 5 // of the longer word, whatever follows
	longestEnding    = 3
	longestForms     = 4 // what two forms of a word do not share
	sharedStart      = .65
)

// alike returns how much of a word's weight counts for another one; 0: they are unlike.
func alike(asked, other []rune, spelled bool) float64 {
	short, long := asked, other
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < shortestAlike {
		return 0
	}
	same := 0
	for same < len(short) && short[same] == long[same] {
		same++
	}
	slips := slips(asked, other)
	if spelled {
		slips = 0
	}
	switch {
	case slips == 1 && (len(short) >= shortestReplaced || !replaced(asked, other)):
		return oneSlip
	case slips == 2 && len(short) >= shortestTwo:
		return twoSlips
	case same == len(short) && len(long)-same <= longestEnding:
		return ending
	case same == len(short) && same >= shortestHead:
		return sameStart
	case same >= shortestAlike && float64(same) >= sharedStart*float64(len(short)) && len(long)-same <= longestForms:
		return sameStart * float64(same) / float64(len(long))
	}
	return 0
}

// replaced reports whether one word is the other with one letter replaced.
func replaced(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 1
}

// slips counts the letters to replace, insert, delete, or swap with the next one, to make a
// of b; 3 stands for more than two.
func slips(a, b []rune) int {
	const many = 3
	if len(a)-len(b) >= many || len(b)-len(a) >= many {
		return many
	}
	before, last, this := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		this[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			this[j] = min(last[j]+1, this[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				this[j] = min(this[j], before[j-2]+1)
			}
		}
		before, last, this = last, this, before
	}
	return min(many, last[len(b)])
}

// The bounds of a look for words that are alike: how many words are compared for each of
// the question's, how many of these may stand for it, and for how many words of the
// question others are looked for.
const (
	maxCompared = 512
	maxAlike    = 6
	maxUnknown  = 6
)

// apartAlike is maxAlike for a caller who sees a part of the index: a word that is hidden
// must take no other's place.
const apartAlike = 64

// respell adds to a question what may stand for words that no record has: words of the owner
// that look like them, and words of other languages, see [question.wantTongues]. It reports
// whether there are any.
func (q *question) respell(ctx context.Context, idx Index, apart bool, unknown func(i int) bool) (bool, error) {
	asked, added := len(q.terms), false
	left := maxUnknown
	var missing []int
	for i := range asked {
		t := q.terms[i]
		if t.relative(i) || !unknown(i) {
			continue
		}
		missing = append(missing, i)
		if left == 0 || !mayBeMisspelled(t) {
			continue
		}
		if isSlipOfStop(t.word) {
			q.terms[i].stop = true
			continue
		}
		left--
		found, err := lookalikes(ctx, idx, t, apart)
		if err != nil {
			return false, err
		}
		for _, w := range found {
			if _, known := q.index[w.term]; !known {
				w.of, w.owners = i, true
				q.want(w)
				added = true
			}
		}
	}
	spelled, err := q.wantScripts(ctx, idx, missing, apart)
	return q.wantTongues(missing) || spelled || added, err
}

// mayBeMisspelled reports whether others are looked for in place of a term.
func mayBeMisspelled(t queryTerm) bool {
	first, _ := utf8.DecodeRuneInString(t.term)
	return !t.stop && utf8.RuneCountInString(t.term) >= shortestAlike && !isNumber(t.term) && isWord(first) && !isUnspaced(first) &&
		!strings.ContainsAny(t.term, "/:@\\#=.&%~")
}

// isSlipOfStop reports whether a word is a stop word with two letters swapped.
func isSlipOfStop(word string) bool {
	letters := []rune(word)
	for i := 1; i < len(letters); i++ {
		swapped := slices.Clone(letters)
		swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
		if isStop(string(swapped)) {
			return true
		}
	}
	return false
}

// lookalikes returns the owner's words that look like a term, best first.
func lookalikes(ctx context.Context, idx Index, t queryTerm, apart bool) ([]queryTerm, error) {
	word := []rune(t.term)
	spelled := len(relatives(t.term)) > 0 // a word that we know has no slip
	var found []queryTerm
	compare := func(prefix string, share func(other []rune) float64) error {
		terms, err := idx.Terms(ctx, prefix, maxCompared)
		if err != nil {
			return err
		}
		for _, term := range terms {
			if s := share([]rune(term)); s > 0 && term != t.term {
				found = append(found, queryTerm{term: term, word: t.word, share: s, alike: true})
			}
		}
		return nil
	}
	// Words with the same three letters first: few slips are among these.
	starts := [][]string{{string(word[:3])}, {string(word[:2]), string([]rune{word[1], word[0]}), string([]rune{word[0], word[2]}), string(word[1:3])}}
	for _, prefixes := range starts {
		for _, prefix := range prefixes {
			if err := compare(prefix, func(other []rune) float64 { return alike(word, other, spelled) }); err != nil {
				return nil, err
			}
		}
		if len(found) > 0 && !apart {
			break
		}
	}
	if err := compare(reversedMark+backwards(t.term), func([]rune) float64 { return partOfWord }); err != nil {
		return nil, err
	}
	if t.name {
		for _, prefix := range otherBeginnings(t.word) {
			if err := compare(prefix, func(other []rune) float64 { return soundsLike(t.word, string(other)) }); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(found, func(a, b queryTerm) int {
		return cmp.Or(cmp.Compare(b.share, a.share), strings.Compare(a.term, b.term))
	})
	most := maxAlike
	if apart {
		most = apartAlike
	}
	return found[:min(len(found), most)], nil
}
