package recall

import (
	_ "embed"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A record may be in another language than the question. Words of everyday life lead to the
// words of other languages for the same thing. They are looked for only if some word of the
// question is in no record: otherwise records and question are in the same language.

// The part of its weight that counts for a word in another language: it means the same, but
// some languages spell different things alike. It is less if a word of the owner's looks like
// the question's, and so is in its language.
const (
	tongueShare      = .5
	otherTongueShare = .3
)

// tongues maps a word to its things, and each thing to its words, a line each: the key of a
// word, a tab and the things; or the name of a thing, a tab and the terms for it in all
// languages. It is made from tongues.txt, where people write the words as usual, a thing on
// each line and a language in each column: go test -run TestTongues -update.
//
//go:embed tongues.tsv
var tongues string

// tongueKey returns the key of a term of a language. The same letters of the Latin script
// mean different things in different languages.
func tongueKey(term string, language int) string {
	if r, _ := utf8.DecodeRuneInString(term); r >= 0x80 && !unicode.Is(unicode.Latin, r) {
		return term
	}
	return string(rune('a'+language)) + ":" + term
}

// inOtherTongues returns the terms for the same things in all languages.
func inOtherTongues(term string, language int) (terms []string) {
	for _, thing := range row(tongues, tongueKey(term, language)) {
		terms = append(terms, row(tongues, thing)...)
	}
	return terms
}

// wantTongues adds the words of other languages for those of the question, and reports
// whether there are any. No record has the terms at the places missing. Of these, one that
// shows no language may be of any, unless it is English.
func (q *question) wantTongues(missing []int) bool {
	if !slices.ContainsFunc(missing, func(i int) bool { return q.terms[i].isAsked(i) && !isFaint(q.terms[i].term) }) {
		return false
	}
	asked := len(q.terms)
	language := languageOf(plain(q.text))
	for i, t := range q.terms[:asked] {
		if t.stop || t.share < 1 && t.relative(i) {
			continue
		}
		found := inOtherTongues(t.term, language)
		if found == nil && language == inEnglish && slices.Contains(missing, i) && neighbours(t) == nil && relatives(t.term) == nil {
			for other := range languages {
				found = append(found, inOtherTongues(t.term, other)...)
			}
		}
		share := tongueShare
		if slices.ContainsFunc(q.terms[:asked], func(w queryTerm) bool { return w.of == t.of && w.owners }) {
			share = otherTongueShare
		}
		for _, term := range found {
			q.want(queryTerm{term: term, word: t.word, of: t.of, share: share})
		}
	}
	return len(q.terms) > asked
}
