package pairing

import (
	"crypto/rand"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Code is a code for one pairing: four words of a list of 256, 32 bits in all.
type Code string

const codeWords = 4

//go:embed words.txt
var wordList string

// words returns the 256 words of codes. They are short, plain and unlike each other.
func words() []string { return strings.Fields(wordList) }

// NewCode returns a random code.
func NewCode() Code {
	drawn, list, picked := make([]byte, codeWords), words(), make([]string, codeWords)
	rand.Read(drawn)
	for i, n := range drawn {
		picked[i] = list[n] // the list has 256 words
	}
	return Code(strings.Join(picked, "-"))
}

// ParseCode reads a code as people type it: in lower or upper case, with spaces or hyphens. The
// error says for people what is wrong.
func ParseCode(typed string) (Code, error) {
	given, list := strings.FieldsFunc(strings.ToLower(typed), func(r rune) bool { return r == '-' || r == ' ' || r == '\t' }), words()
	if len(given) != codeWords {
		return "", fmt.Errorf("a code has %d words, such as %s; satchel pair shows one", codeWords, strings.Join(list[:codeWords], "-"))
	}
	for i, word := range given {
		if !slices.Contains(list, word) {
			return "", fmt.Errorf("word %d of the code is none that codes have; compare it with what satchel pair shows", i+1)
		}
	}
	return Code(strings.Join(given, "-")), nil
}
