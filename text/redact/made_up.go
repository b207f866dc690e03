package redact

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/pattern"
)

// standard matches the beginning of words with digits that are not tokens.
var standard = pattern.New(`(?i)^(?:rfc|oauth|http|sha|jwt|md|v)[\-_]?\d`)

// madeUp distinguishes machine-made texts from words, such as the second of "bearer
// authentication". A machine-made text has digits or the end of base64, changes often
// between small and capital letters, or is longer than words are.
func madeUp(text string) bool {
	if strings.HasSuffix(text, "=") {
		return true
	}
	if standard.MatchString(text) {
		return false
	}
	changes, run, longest := 0, 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case digit(c):
			return true
		case !inWord(c) || c == '_':
			run = 0
			continue
		case i > 0 && 'A' <= c && c <= 'Z' && 'a' <= text[i-1] && text[i-1] <= 'z':
			changes++
		}
		run++
		longest = max(longest, run)
	}
	return changes >= 3 || longest >= 24
}

// isBasic reports whether a text is a name and a password in the form that HTTP sends.
func isBasic(text string) bool {
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	raw, err := base64.RawStdEncoding.DecodeString(text)
	return err == nil && strings.Contains(string(raw), ":") && utf8.Valid(raw) && !strings.ContainsFunc(string(raw), unicode.IsControl)
}
