package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/pattern"
)

var (
	email = pattern.New(`[\pL\pN._%+\-]+@[\pL\pN](?:[\pL\pN\-]*[\pL\pN])?(?:\.[\pL\pN](?:[\pL\pN\-]*[\pL\pN])?)*\.\pL{2,}`)
	ssn   = pattern.New(`\d{3}-\d{2}-\d{4}`)
)

// findEmails finds mail addresses. A name like git@host stands before many paths and is
// nobody's address.
func findEmails(text string) []span {
	return matches(email, text, func(s span) bool {
		return !strings.HasPrefix(text[s.start:s.end], "git@") || s.end == len(text) || text[s.end] != ':'
	})
}

// findSSNs finds social security numbers: none begins with 000, 666 or 9.
func findSSNs(text string) []span {
	return matches(ssn, text, func(s span) bool {
		area := text[s.start : s.start+3]
		return alone(text, s) && area != "000" && area != "666" && area[0] != '9'
	})
}

// matches returns the matches of a pattern for which holds is true.
func matches(p *pattern.Pattern, text string, holds func(span) bool) []span {
	var found []span
	for _, at := range p.FindAllStringIndex(text, -1) {
		if s := (span{at[0], at[1]}); holds(s) {
			found = append(found, s)
		}
	}
	return found
}

// alone reports whether a span is not part of something longer: a word, an id, a version, a
// time, a decimal number, a path.
func alone(text string, s span) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.start])
	after, width := utf8.DecodeRuneInString(text[s.end:])
	return !joins(before) && !continues(after, text[s.end+width:])
}

func joins(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+.:/#=&@$", r))
}

// continues reports whether the character after a number, and the text after it, belong to
// the number.
func continues(r rune, rest string) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case strings.ContainsRune(".:,", r):
		return rest != "" && digit(rest[0])
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+/@%", r)
}
