package canon

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Append appends v in compact form: members in their order, numbers as spelled,
// strings with the escapes JSON requires and no others. The undefined Value is
// written null.
func (v Value) Append(dst []byte) []byte {
	if dst == nil {
		dst = make([]byte, 0, v.size())
	}
	switch v.typ {
	case TypeArray:
		dst = append(dst, '[')
		for i, item := range v.kids.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case TypeObject:
		dst = append(dst, '{')
		for i := range v.kids.members {
			m := &v.kids.members[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.Name), ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	case TypeNumber:
		return append(dst, v.text...)
	}
	return v.appendScalar(dst)
}

// AppendCanonical appends the canonical form of v (RFC 8785): what [Canonical]
// makes of v's text.
func (v Value) AppendCanonical(dst []byte) []byte {
	if dst == nil {
		dst = make([]byte, 0, v.size())
	}
	switch v.typ {
	case TypeArray:
		dst = append(dst, '[')
		for i, item := range v.kids.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendCanonical(dst)
		}
		return append(dst, ']')
	case TypeObject:
		return appendSorted(dst, v.kids.members)
	case TypeNumber:
		return appendNumber(dst, v.text)
	}
	return v.appendScalar(dst)
}

// AppendIndent appends v over several lines, each level indented once more,
// with members in their order and numbers as spelled. No newline ends it.
func (v Value) AppendIndent(dst []byte, indent string) []byte {
	return v.appendIndent(dst, indent, "\n")
}

// appendIndent carries the line break that starts each line of v's level.
func (v Value) appendIndent(dst []byte, indent, line string) []byte {
	if v.Len() == 0 {
		return v.Append(dst)
	}
	inner := line + indent
	if v.typ == TypeArray {
		dst = append(dst, '[')
		for i, item := range v.kids.items {
			dst = item.appendIndent(separate(dst, i, inner), indent, inner)
		}
		return append(append(dst, line...), ']')
	}
	dst = append(dst, '{')
	for i, m := range v.kids.members {
		dst = append(appendString(separate(dst, i, inner), m.Name), ": "...)
		dst = m.Value.appendIndent(dst, indent, inner)
	}
	return append(append(dst, line...), '}')
}

func separate(dst []byte, i int, line string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, line...)
}

// size returns the length of v's compact form, if it needs no escapes.
func (v Value) size() int {
	const brackets, quotes, colon = 2, 2, 1
	switch v.typ {
	case TypeArray:
		n := brackets + len(v.kids.items)
		for i := range v.kids.items {
			n += v.kids.items[i].size()
		}
		return n
	case TypeObject:
		n := brackets + len(v.kids.members)
		for i := range v.kids.members {
			n += len(v.kids.members[i].Name) + quotes + colon + v.kids.members[i].Value.size()
		}
		return n
	case TypeNumber, TypeString:
		return len(v.text) + quotes
	}
	return len("false")
}

func (v Value) appendScalar(dst []byte) []byte {
	switch {
	case v.typ == TypeString:
		return appendString(dst, v.text)
	case v.typ != TypeBool:
		return append(dst, "null"...)
	case v.yes:
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// appendString appends s quoted, with the escapes of RFC 8785, 3.2.2.2.
func appendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst, _ = jsontext.AppendQuote(dst, s) // fails on bad UTF-8 only, which no Value holds
			return dst
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendSorted appends an object of members in canonical order.
func appendSorted(dst []byte, members []Member) []byte {
	var space [2 * smallObject]int // spares most objects an allocation
	order := space[:0]
	for i := range members {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int { return compareNames(members[i].Name, members[j].Name) })
	dst = append(dst, '{')
	for n, i := range order {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, members[i].Name), ':')
		dst = members[i].Value.AppendCanonical(dst)
	}
	return append(dst, '}')
}

// CompareNames orders the names of members as a canonical form does: it is
// negative if a comes first, and 0 if they are the same.
func CompareNames(a, b string) int { return compareNames(a, b) }

// compareNames orders names by their UTF-16 code units (RFC 8785, 3.2.3). That
// is the order of their bytes, except that the surrogates of U+10000 and above
// (lead byte F0 and up) come before U+E000 to U+FFFF (lead bytes EE and EF).
func compareNames(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return strings.Compare(a[n:], b[n:])
}
