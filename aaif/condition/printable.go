package condition

import (
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/text/redact"
)

// The most runes of an expression that people are shown.
const (
	mostTold = 300
	mostWord = 40
)

// printable prepares a text with parts of an expression for people: without secrets, long
// words and unprintable characters (AAIF-12-4).
func printable(text string) string {
	text, _ = redact.Secrets().Text(truncate(text, 4*mostTold))
	words := strings.Fields(strings.Map(dropUnprintable, text))
	for i, word := range words {
		words[i] = truncate(word, mostWord)
	}
	return truncate(strings.Join(words, " "), mostTold)
}

// truncate cuts a text to a number of runes, and marks the cut.
func truncate(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// dropUnprintable drops unprintable characters.
func dropUnprintable(r rune) rune {
	if unicode.IsPrint(r) || unicode.IsSpace(r) {
		return r
	}
	return -1
}
