package codec

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendQuoted appends s as a JSON string in which nothing stands that could be
// taken for a tag or a line, or not be seen: every such character is written as
// \uXXXX, and read again it is itself. What is no UTF-8 becomes U+FFFD.
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

// mostShown is how many characters of a name that somebody sent a refusal repeats.
const mostShown = 64

// Shown returns a text as a refusal repeats it: at most 64 characters of it, with those
// that nobody would see, or take for something else, written as in [AppendQuoted].
func Shown(s string) string {
	n, end := 0, len(s)
	for at := range s {
		if n++; n > mostShown {
			end = at
			break
		}
	}
	quoted := AppendQuoted(nil, s[:end])
	shown := string(quoted[1 : len(quoted)-1])
	if end < len(s) {
		shown += "…"
	}
	return shown
}

// masked reports whether a character is not shown to a model as it is: what makes
// tags, in its wide and small forms, too, which some programs fold into the plain
// ones; and what [Unseen] says.
func masked(r rune) bool {
	switch r {
	case '<', '>', '&', '＜', '＞', '＆', '﹤', '﹥', '﹠':
		return true
	}
	return Unseen(r)
}

// Unseen reports whether a character ends lines, turns their direction, steers a
// terminal, has no width, is for private use or means nothing to the eye.
func Unseen(r rune) bool {
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
