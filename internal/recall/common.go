package recall

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Few records have "decide" or "reason", since people hardly use these words of themselves, but
// many questions do. Such a word would count as much as a name that is as rare. So a word is at
// least as common as in other English texts: commonShare is the part of the records that would
// have it by its use there which is added to those that have it.
const commonShare = .25

// commonWords has a line for each stem of a common word, in ascending order: the stem, a tab, and
// how often texts of taggedWords words have it. It is made from the texts that WordNet's meanings
// were counted in (wordnet/LICENSE): go test ./internal/recall -run TestCommon -update.
//
//go:embed wordnet/common.txt
var commonWords string

// taggedWords is how many words of those texts were counted.
const taggedWords = 258691

// common maps the stems of common words to their part of all words.
var common = sync.OnceValue(func() map[string]float64 {
	parts := make(map[string]float64)
	for line := range strings.Lines(commonWords) {
		stem, uses, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, _ := strconv.Atoi(uses)
		parts[stem] = float64(n) / taggedWords
	}
	return parts
})

// alsoIn returns how many more documents count as having a term, if all of them have so many
// words together.
func alsoIn(term string, words float64) float64 { return commonShare * words * common()[term] }
