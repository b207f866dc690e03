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
	// tongueFamilyShare is the part for a relative of it in the question's language.
	tongueFamilyShare = .4
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

// familyIn returns the terms of a language for the relatives of what a term of it means: the
// families are those of English.
func familyIn(term string, language int) (terms []string) {
	if language == inEnglish && isLatin(term) {
		return nil
	}
	for _, english := range inOtherTongues(term, language) {
		for _, relative := range relatives(english) {
			for _, other := range inOtherTongues(relative, inEnglish) {
				if isOfTongue(other, term, language) && !slices.Contains(terms, other) {
					terms = append(terms, other)
				}
			}
		}
	}
	return terms
}

// isOfTongue reports whether a term may be of the language that another one is of: their
// letters are of one script, and the Latin one has it as a word of the language.
func isOfTongue(term, like string, language int) bool {
	x, _ := utf8.DecodeRuneInString(term)
	y, _ := utf8.DecodeRuneInString(like)
	for _, script := range [...]*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Hangul, unicode.Thai} {
		if unicode.Is(script, x) || unicode.Is(script, y) {
			return unicode.Is(script, x) && unicode.Is(script, y) && row(tongues, tongueKey(term, language)) != nil
		}
	}
	return true // Chinese or Japanese
}

// wantTongues adds the words of other languages for those of the question, and reports
// whether there are any. No record has the terms at the places missing. Of these, one that
// shows no language may be of any, unless it is English.
func (q *question) wantTongues(missing []int) bool {
	if !slices.ContainsFunc(missing, func(i int) bool { return q.terms[i].isAsked(i) && !q.terms[i].faint }) {
		return false
	}
	asked := len(q.terms)
	for i, t := range q.terms[:asked] {
		if t.stop || t.share < 1 && t.relative(i) {
			continue
		}
		found := inOtherTongues(t.term, q.language)
		if found == nil && q.language == inEnglish && slices.Contains(missing, i) && neighbours(t) == nil && relatives(t.term) == nil {
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
		if slices.Contains(missing, i) {
			for _, term := range familyIn(t.term, q.language) {
				q.want(queryTerm{term: term, word: t.word, of: t.of, share: tongueFamilyShare, family: true})
			}
		}
	}
	return len(q.terms) > asked
}
