package privacy

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plainText is a text without its escapes. from maps each of its bytes, and its end, to a
// place in the original.
type plainText struct {
	text string
	from []int
}

// unescape undoes the escapes of addresses (%40), of JSON (\u0040, \") and of HTML
// (&#64;, &amp;) in a text, and escapes of escapes. It reports whether there were any.
func unescape(text string) (plainText, bool) {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '\\') < 0 && (strings.IndexByte(text, '&') < 0 || strings.IndexByte(text, ';') < 0) {
		return plainText{}, false
	}
	const rounds = 4
	p, any := plainText{text: text}, false
	for range rounds {
		next, changed := unescapeLayer(p)
		if !changed {
			break
		}
		p, any = next, true
	}
	return p, any
}

// unescapeLayer undoes one layer of escapes.
func unescapeLayer(p plainText) (next plainText, changed bool) {
	out := make([]byte, 0, len(p.text))
	from := make([]int, 0, len(p.text)+1)
	origin := func(i int) int {
		if p.from == nil {
			return i
		}
		return p.from[i]
	}
	for i := 0; i < len(p.text); {
		said, width := escapeAt(p.text[i:])
		if width == 0 {
			said, width = p.text[i:i+1], 1
		} else {
			changed = true
		}
		for range len(said) {
			from = append(from, origin(i))
		}
		out = append(out, said...)
		i += width
	}
	return plainText{string(out), append(from, origin(len(p.text)))}, changed
}

// escapeAt returns the text and the length of the escape at the beginning of a text. The
// length is 0 if there is none.
func escapeAt(text string) (said string, width int) {
	switch {
	case len(text) < 2:
		return "", 0
	case text[0] == '%' && len(text) >= 3:
		if b, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
			return string([]byte{byte(b)}), 3
		}
	case text[0] == '&' && text[1] == '#':
		return entityAt(text)
	case text[0] == '&':
		return namedEntityAt(text)
	case text[0] == '\\' && text[1] == 'u':
		return escapedRune(text)
	case text[0] == '\\':
		if at := strings.IndexByte(`"\/nrt`, text[1]); at >= 0 {
			return "\"\\/\n\r\t"[at : at+1], 2
		}
	}
	return "", 0
}

func escapedRune(text string) (string, int) {
	unit := func(text string) (rune, bool) {
		if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(text[2:6], 16, 16)
		return rune(n), err == nil
	}
	first, ok := unit(text)
	if !ok {
		return "", 0
	}
	if second, ok := unit(text[6:]); ok && utf16.IsSurrogate(first) {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return string(r), 12
		}
	}
	return string(first), 6
}

// entityAt decodes a numeric entity of HTML.
func entityAt(text string) (string, int) {
	const longest = 10
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 3 {
		return "", 0
	}
	digits, base := text[2:end], 10
	if hex := strings.TrimLeft(digits[:1], "xX"); hex == "" {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil || n == 0 || !utf8.ValidRune(rune(n)) {
		return "", 0
	}
	return string(rune(n)), end + 1
}

// namedEntities lists the HTML entities of marks that occur in secrets and addresses.
var namedEntities = []struct{ name, says string }{{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&commat;", "@"}, {"&period;", "."}, {"&plus;", "+"}, {"&hyphen;", "-"}}

// namedEntityAt decodes a named entity of HTML.
func namedEntityAt(text string) (string, int) {
	for _, e := range namedEntities {
		if len(text) >= len(e.name) && strings.EqualFold(text[:len(e.name)], e.name) {
			return e.says, len(e.name)
		}
	}
	return "", 0
}
