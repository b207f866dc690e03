package recall

import (
	_ "embed"
	"strconv"
)

// Few records have "decide" or "reason", since people hardly use these words of themselves, but
// many questions do. Such a word would count as much as a name that is as rare. So a word is at
// least as common as in other English texts: commonShare is the part of the records that would
// have it by its use there which is added to those that have it.
const commonShare = .25

// common maps the stems of common words to how often texts have them, of taggedWords words: a
// line for each, in ascending order. It is made from the texts that WordNet's meanings were
// counted in (wordnet/LICENSE): go test ./internal/recall -run TestCommon -update.
//
//go:embed wordnet/common.txt
var common string

// taggedWords is how many words of those texts were counted.
const taggedWords = 258691

// alsoIn returns how many more of docs documents count as having a term; average is the number
// of words in a document.
func alsoIn(term string, docs int, average float64) float64 {
	uses := row(common, term)
	if uses == nil {
		return 0
	}
	n, _ := strconv.Atoi(uses[0])
	return commonShare * float64(docs) * average * float64(n) / taggedWords
}
