package recall

import "strings"

// The marks that begin the term of an acronym, such as ENT, and of words that it may stand
// for, such as "ear, nose and throat". No word begins with them.
const (
	acronymMark  = "&"
	initialsMark = "%"
)

// The letters of acronyms that find their words, the most words that one stands for, and
// the most words of a text whose phrases are found by their initials: a long text has too
// many.
const (
	shortestAcronym = 3
	longestAcronym  = 5
	acronymWords    = 7
	maxInitialsText = 48
)

// acronyms returns the terms of the acronyms in a text, and of the initials of its phrases.
func acronyms(tokens []token) []string {
	seen := make(map[string]bool)
	var terms []string
	add := func(mark, letters string) {
		if n := len(letters); n >= shortestAcronym && n <= longestAcronym && !seen[mark+letters] {
			seen[mark+letters] = true
			terms = append(terms, mark+letters)
		}
	}
	var run []token // words of one clause
	flush := func() {
		for i, first := range run {
			if first.is(stop) || len(first.word) == 0 {
				continue
			}
			all, content := "", ""
			for _, t := range run[i:min(len(run), i+acronymWords)] {
				all += t.word[:1]
				if !t.is(stop) {
					content += t.word[:1]
					add(initialsMark, content)
					add(initialsMark, all)
				}
			}
		}
		run = run[:0]
	}
	long := words(tokens) > maxInitialsText
	for _, t := range tokens {
		if t.is(acronym) {
			add(acronymMark, t.word)
		}
		if long || t.is(whole|other) {
			continue
		}
		if t.is(ends) || t.word == "" || t.word[0] < 'a' || t.word[0] > 'z' {
			flush()
		}
		if t.word != "" && t.word[0] >= 'a' && t.word[0] <= 'z' {
			run = append(run, t)
		}
	}
	flush()
	return terms
}

// isAcronym reports whether a word is spelled as an acronym.
func isAcronym(s string) bool {
	return len(s) >= 2 && len(s) <= longestAcronym && strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}
