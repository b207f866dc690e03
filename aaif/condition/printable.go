package condition

import (
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/codec"
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
	text, _ = redact.Secrets().Text(codec.Shorten(text, 4*mostTold))
	words := strings.Fields(strings.Map(dropUnprintable, text))
	for i, word := range words {
		words[i] = codec.Shorten(word, mostWord)
	}
	return codec.Shorten(strings.Join(words, " "), mostTold)
}

// dropUnprintable drops unprintable characters.
func dropUnprintable(r rune) rune {
	if unicode.IsPrint(r) || unicode.IsSpace(r) {
		return r
	}
	return -1
}
