package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible reports whether a character takes no room in a text: a soft hyphen, a joiner, a
// byte order mark, a tag, a control character. White space takes room.
func invisible(r rune) bool {
	switch {
	case ' ' <= r && r <= '~': // nearly every character
		return false
	case r < utf8.RuneSelf, r < 0xa0:
		return unicode.IsControl(r) && !unicode.IsSpace(r)
	case r < 0x300:
		return r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hides reports whether a text has invisible characters, or signs and letters in another
// spelling.
func hides(text string) bool {
	return !plainly(text) && strings.IndexFunc(text, func(r rune) bool { return invisible(r) || wide(r) }) >= 0 || strings.Contains(text, "%3") || strings.Contains(text, "&#")
}

// plainly reports whether a text has visible ASCII and blanks alone, as nearly every one.
func plainly(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// wide reports whether a character is a full-width form of ASCII.
func wide(r rune) bool { return '\uff01' <= r && r <= '\uff5e' }

// spellings are other spellings, in addresses and HTML, of the signs between a name and a
// value.
var spellings = []struct {
	text string // in lower case
	sign byte
}{{"%3d", '='}, {"%3a", ':'}, {"&#58;", ':'}, {"&#61;", '='}, {"&#x3a;", ':'}, {"&#x3d;", '='}}

// plain returns a text without invisible characters, with ASCII for full-width letters and
// for signs in another spelling, and where each of its bytes stands in the text.
func plain(text string) (string, []span) {
	var b strings.Builder
	var places []span
	for at := 0; at < len(text); {
		r, width := utf8.DecodeRuneInString(text[at:])
		switch c, length := spelled(text[at:]); {
		case length > 0:
			width = length
			b.WriteByte(c)
			places = append(places, span{at, at + width})
		case wide(r):
			b.WriteByte(byte(r - '\uff01' + '!'))
			places = append(places, span{at, at + width})
		case !invisible(r):
			b.WriteString(text[at : at+width])
			for i := range width {
				places = append(places, span{at + i, at + i + 1})
			}
		}
		at += width
	}
	return b.String(), places
}

// spelled returns the sign that a text begins with in another spelling, and the spelling's
// length; 0: none.
func spelled(text string) (byte, int) {
	if text[0] == '%' || text[0] == '&' {
		for _, s := range spellings {
			if begins(text, s.text) {
				return s.sign, len(s.text)
			}
		}
	}
	return 0, 0
}
