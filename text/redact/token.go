package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// Token returns the token that replaces data of a type.
func Token(name string) string { return "[" + strings.ToUpper(name) + closing }

// closing is the end of every token.
const closing = "-REDACTED]"

// tokens matches the tokens of this package, and those that other packages make with
// [Token]. Other texts of that form are not tokens: somebody may hide a secret in them.
// Several tokens that became the same name end in numbers.
var tokens = pattern.New(`\[(?:SECRET|EMAIL|PHONE|SSN|CARD|IBAN|FIELD|CUSTOM)-REDACTED\](?:-[1-9]\d{0,5}\b)?`)

// IsToken reports whether a text consists of tokens and marks around them.
func IsToken(text string) bool {
	if !strings.Contains(text, closing) {
		return false
	}
	rest := tokens.ReplaceAllString(text, "")
	return len(rest) < len(text) && strings.Trim(rest, " \t.,;:!?+*()\"'`/&=") == ""
}

// HoldsToken reports whether a text contains something that looks like a token.
func HoldsToken(text string) bool { return strings.Contains(text, closing) }

// Undisguised returns a text of the same length with blanks in place of false tokens, such
// as [hidden-REDACTED]. It reports whether there were any.
func Undisguised(text string) (string, bool) {
	if !strings.Contains(text, closing) {
		return text, false
	}
	out, real, at, changed := []byte(text), tokens.FindAllStringIndex(text, -1), 0, false
	for {
		i := strings.Index(text[at:], closing)
		if i < 0 {
			return string(out), changed
		}
		start, end := at+i, at+i+len(closing)
		for len(real) > 0 && real[0][1] < end {
			real = real[1:]
		}
		if len(real) == 0 || real[0][0] > start {
			copy(out[start:end], strings.Repeat(" ", end-start))
			if open := strings.LastIndexAny(text[at:start], "[]"); open >= 0 && text[at+open] == '[' {
				out[at+open] = ' '
			}
			changed = true
		}
		at = end
	}
}
