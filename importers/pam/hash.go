package pam

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/satchel-memory/satchel/text/pattern"
)

// digest is the spelling of hashes and checksums.
var digest = pattern.New(`^sha256:[a-f0-9]{64}$`)

// contentHash returns the hash of a text after normalisation: in lower case, composed, with
// single blanks (section 6).
func contentHash(text string) string {
	text = norm.NFC.String(cases.Lower(language.Und).String(text))
	return sum(strings.Join(strings.FieldsFunc(text, blank), " "))
}

func sum(text string) string {
	d := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(d[:])
}

// blank reports whether a character separates words.
func blank(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }
