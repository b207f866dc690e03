package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unseen reports whether a character takes no room in a text: a soft hyphen, a joiner, a
// byte order mark, a tag, a control character. White space does.
func unseen(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r < 0xa0:
		return unicode.IsControl(r) && !unicode.IsSpace(r)
	case r < 0x300:
		return r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hides reports whether a text has characters that nobody sees.
func hides(text string) bool { return strings.IndexFunc(text, unseen) >= 0 }

// plain returns a text without the characters that nobody sees, and where each of its
// bytes stands in the text.
func plain(text string) (string, []int) {
	var b strings.Builder
	var places []int
	for at := 0; at < len(text); {
		r, width := utf8.DecodeRuneInString(text[at:])
		for i := 0; i < width && !unseen(r); i++ {
			b.WriteByte(text[at+i])
			places = append(places, at+i)
		}
		at += width
	}
	return b.String(), places
}

// mayHide is [mayHoldSecrets], also of a text with characters that nobody sees.
func mayHide(text string) bool { return mayHoldSecrets(text) || hides(text) }

// findHidden is [findSecrets], as though no characters stood in the text that nobody sees.
// What is found with them counts, too.
func findHidden(text string) []span {
	found := findSecrets(text)
	if !hides(text) {
		return found
	}
	bare, places := plain(text)
	for _, s := range findSecrets(bare) {
		found = append(found, span{places[s.start], places[s.end-1] + 1})
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	joined := found[:0]
	for _, s := range found {
		if last := len(joined) - 1; last >= 0 && s.start < joined[last].end {
			joined[last].end = max(joined[last].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}
