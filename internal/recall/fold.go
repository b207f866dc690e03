package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns text without differences that people spell either way: compatibility forms
// (full-width letters, ligatures), diacritics, typographic apostrophes and hyphens,
// invisible characters. Case stays, since it marks names.
func fold(text string) string { return unaccented(plain(text)) }

// plain is [fold], but leaves diacritics and letters of their own as they are.
func plain(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKC.String(halves.Replace(strings.ToValidUTF8(text, " "))) {
		if !unicode.Is(unicode.Cf, r) {
			b.WriteString(sign(r))
		}
	}
	return b.String()
}

// halves writes fractions as people type them where they have no such sign.
var halves = strings.NewReplacer("½", ".5", "¼", ".25", "¾", ".75")

// unaccented returns text without diacritics, and with ASCII spellings of some letters.
func unaccented(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r) && isAccent(r):
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		default:
			b.WriteString(spelling(r))
		}
	}
	return norm.NFC.String(b.String())
}

// isAccent reports whether fold may drop the combining mark r. It keeps marks that make
// another letter (Japanese voicing, Indic and Thai vowels).
func isAccent(r rune) bool {
	return r >= 0x0300 && r <= 0x036F || // Latin, Greek, Cyrillic
		r >= 0x0591 && r <= 0x05C7 || // Hebrew points
		r >= 0x064B && r <= 0x065F || r == 0x0670 // Arabic vowels
}

// spelling replaces letters that no decomposition splits.
func spelling(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'æ':
		return "ae"
	case 'Æ':
		return "Ae"
	case 'œ':
		return "oe"
	case 'Œ':
		return "Oe"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'þ':
		return "th"
	case 'Þ':
		return "Th"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	}
	return string(r)
}

// sign replaces typographic signs by what people type.
func sign(r rune) string {
	switch r {
	case 'ـ': // Arabic tatweel only stretches a word
		return ""
	case '’', '‘', 'ʼ', '´', '′':
		return "'"
	case '“', '”', '„', '«', '»', '「', '」', '『', '』':
		return `"`
	case '‐', '‑':
		return "-"
	}
	return string(r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isWord reports whether r is part of a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isLower(r) || isUpper(r) || isDigit(r)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isLower(r rune) bool {
	return 'a' <= r && r <= 'z' || r >= utf8.RuneSelf && unicode.IsLower(r)
}

func isUpper(r rune) bool {
	return 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
}

func isDigit(r rune) bool {
	return '0' <= r && r <= '9' || r >= utf8.RuneSelf && unicode.IsDigit(r)
}

// isUnspaced reports whether r belongs to a script without spaces between words. Pairs of
// characters then stand for words.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー'
}
