package recall

import (
	"slices"
	"strings"
)

// The marks that begin the term of an acronym, such as ENT, and of words that it may stand
// for, such as "ear, nose and throat". No word begins with them.
const (
	acronymMark  = "&"
	initialsMark = "%"
)

// The letters of acronyms that find their words, the most words that one stands for, and
// the most words of a text whose phrases are found by their initials: a long text has too
// many, and so has any text of long phrases.
const (
	shortestAcronym = 3
	longestAcronym  = 4
	acronymWords    = 6
	maxInitialsText = 48
)

// acronyms returns the terms of the acronyms in a text, and of the initials of its phrases,
// in order and each once.
func acronyms(tokens []token) []string {
	var terms []string
	long := words(tokens) > maxInitialsText
	clause := make([]token, 0, acronymWords)
	for _, t := range tokens {
		if t.is(acronym) && len(t.word) >= shortestAcronym {
			terms = append(terms, acronymMark+t.word)
		}
		if long || t.is(whole|other) || t.word == "" {
			continue
		}
		letter := t.word[0] >= 'a' && t.word[0] <= 'z'
		if t.is(ends) || !letter {
			clause = clause[:0]
		}
		if letter {
			if len(clause) == acronymWords {
				clause = clause[:copy(clause, clause[1:])]
			}
			clause = append(clause, t)
			if !t.is(stop) {
				terms = appendInitials(terms, clause)
			}
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// appendInitials appends the initials of the phrases that end with a clause: of all their
// words, and of those that are no stop words. A phrase begins with none.
func appendInitials(terms []string, clause []token) []string {
	var all, content [len(initialsMark) + acronymWords]byte // backwards
	n, m := len(all), len(content)
	for _, t := range slices.Backward(clause) {
		n--
		all[n] = t.word[0]
		if t.is(stop) {
			continue
		}
		m--
		content[m] = t.word[0]
		if letters := len(all) - n; letters >= shortestAcronym && letters <= longestAcronym {
			terms = append(terms, initialsMark+string(all[n:]))
		}
		if letters := len(content) - m; letters >= shortestAcronym && letters <= longestAcronym && n != m {
			terms = append(terms, initialsMark+string(content[m:]))
		}
	}
	return terms
}

// isAcronym reports whether a word is spelled as an acronym.
func isAcronym(s string) bool {
	return len(s) >= 2 && len(s) <= longestAcronym && strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}
