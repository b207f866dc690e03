package codec

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendQuoted appends s as a JSON string without characters that a model could mistake for
// a tag or a line, and without invisible characters. It writes each as \uXXXX, so that a
// JSON reader gets s back. Invalid UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r >= ' ' && r < utf8.RuneSelf && !masked(r):
			dst = append(dst, byte(r))
		case masked(r):
			dst = appendHex(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// mostShown is the number of characters of a foreign name that a message repeats.
const mostShown = 64

// Excerpt returns a text in the form in which messages may repeat it: at most 64
// characters, with invisible and misleading ones escaped as in [AppendQuoted].
func Excerpt(s string) string { return ExcerptOf(s, mostShown) }

// ExcerptOf is [Excerpt] for another number of characters.
func ExcerptOf(s string, most int) string {
	quoted := AppendQuoted(nil, Shorten(s, most))
	return string(quoted[1 : len(quoted)-1])
}

// Shorten cuts a text to a number of characters, and marks the cut with an ellipsis.
func Shorten(s string, most int) string {
	n := 0
	for at := range s {
		if n++; n > most {
			return s[:at] + "…"
		}
	}
	return s
}

// masked reports whether AppendQuoted escapes a character. It escapes the characters of
// tags, also in their wide and small forms, which some programs fold into the plain ones,
// and all characters that are [IsInvisible].
func masked(r rune) bool {
	switch r {
	case '<', '>', '&', '＜', '＞', '＆', '﹤', '﹥', '﹠':
		return true
	}
	return IsInvisible(r)
}

// IsInvisible reports whether a character ends lines, changes their direction, controls a
// terminal, has no width, is for private use or has no visible form.
func IsInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

func appendHex(dst []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != unicode.ReplacementChar {
		return appendHex(appendHex(dst, hi), lo)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
