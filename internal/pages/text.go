package pages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of texts.
const (
	rowText  = 420  // characters of a memory in a list
	partText = 4000 // characters of a memory on one page
)

// cut returns the beginning of a text, in at most so many characters.
func cut(text string, most int) string {
	at := 0
	for n := 0; n < most; n++ {
		if at >= len(text) {
			return text
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at >= len(text) {
		return text
	}
	return strings.TrimRightFunc(text[:at], unicode.IsSpace) + "…"
}

// parts splits a text into pages of about partText characters, at the ends of lines or
// words where there are any.
func parts(text string) []string {
	var all []string
	for utf8.RuneCountInString(text) > partText {
		at := 0
		for range partText {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		if end := strings.LastIndexAny(text[:at], "\n"); end > at/2 {
			at = end + 1
		} else if end := strings.LastIndexAny(text[:at], " \t"); end > at/2 {
			at = end + 1
		}
		all, text = append(all, text[:at]), text[at:]
	}
	return append(all, text)
}

// visible returns a picture of a control character, which HTML has no place for, and any
// other character as it is.
func visible(c rune) rune {
	switch {
	case c == '\n' || c == '\t' || c == '\r':
		return c
	case c < ' ':
		return '\u2400' + c
	case c == 0x7f:
		return '\u2421'
	case c >= 0x80 && c < 0xa0:
		return unicode.ReplacementChar
	}
	return c
}

// unseen counts the characters of a text that nobody sees, and that can change how the rest
// looks: marks of direction, and characters without width.
func unseen(text string) (n int) {
	for _, c := range text {
		switch {
		case c >= '\u202a' && c <= '\u202e', c >= '\u2066' && c <= '\u2069', c == '\u200b', c == '\u2060', c == '\ufeff', c == '\u00ad',
			c >= 0xe0000 && c <= 0xe007f, c < ' ' && c != '\n' && c != '\t' && c != '\r':
			n++
		}
	}
	return n
}

// piece is a part of a text, marked or not.
type piece struct {
	Text   string
	Marked bool
}

// marked splits a text into pieces, and marks the words that are among these, or begin with
// one of them.
func marked(text string, words []string) (all []piece) {
	if len(words) == 0 {
		return []piece{{Text: text}}
	}
	plain := 0
	for at := 0; at < len(text); {
		end := wordEnd(text, at)
		if end == at {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		if hasWord(strings.ToLower(text[at:end]), words) {
			if plain < at {
				all = append(all, piece{Text: text[plain:at]})
			}
			all, plain = append(all, piece{text[at:end], true}), end
		}
		at = end
	}
	if plain < len(text) {
		all = append(all, piece{Text: text[plain:]})
	}
	return all
}

// wordEnd returns where the word ends that begins at a place; the place itself if none does.
func wordEnd(text string, at int) int {
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
			break
		}
		at += size
	}
	return at
}

func hasWord(word string, words []string) bool {
	for _, w := range words {
		if word == w || len(w) >= 4 && strings.HasPrefix(word, w) {
			return true
		}
	}
	return false
}
