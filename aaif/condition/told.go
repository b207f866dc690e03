package condition

import (
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/text/redact"
)

// How much of an expression is repeated to people, in runes.
const (
	mostTold = 300
	mostWord = 40
)

// told returns a text that repeats something of an expression so that people can
// be told: no secret, no word that is long, and nothing that no terminal shows
// (AAIF-12-4).
func told(text string) string {
	text, _ = redact.Secrets().Text(upTo(text, 4*mostTold))
	words := strings.Fields(strings.Map(shownAs, text))
	for i, word := range words {
		words[i] = upTo(word, mostWord)
	}
	return upTo(strings.Join(words, " "), mostTold)
}

// upTo cuts a text to a number of runes, and says so.
func upTo(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// shownAs drops what no terminal shows.
func shownAs(r rune) rune {
	if unicode.IsPrint(r) || unicode.IsSpace(r) {
		return r
	}
	return -1
}
