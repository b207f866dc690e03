package aicf

import (
	"iter"
	"slices"
	"strings"
)

// Problem is an oddity in the spelling of a value: the first of its kind.
type Problem struct {
	At   int    // offset in the raw value
	Code string // "escape", "escape-extra" or "control", as in a [Finding]
}

// Escape spells a value for a line and between pipes: the format's three escapes, and \r
// for a carriage return.
func Escape(s string) string {
	at := strings.IndexAny(s, "\\|\n\r")
	if at < 0 {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/8+8)
	return string(appendEscaped(b, s))
}

// appendEscaped appends what [Escape] returns.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '|':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, c)
		}
	}
	return b
}

// Unescape decodes a value in one pass. It keeps unknown escapes and removes control
// characters; the problems say where.
func Unescape(raw string) (string, []Problem) {
	if !odd(raw) {
		return raw, nil
	}
	var problems []Problem
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c < ' ' && c != '\t' {
			problems = note(problems, i, codeControl)
			continue
		}
		if c != '\\' {
			b = append(b, c)
			continue
		}
		decoded, code := escaped(raw[i+1:])
		if code != "" {
			problems = note(problems, i, code)
		}
		if code == codeEscape {
			b = append(b, '\\')
			continue
		}
		b = append(b, decoded)
		i++
	}
	return string(b), problems
}

// note adds a problem unless the list has one of its kind, so the list stays short.
func note(problems []Problem, at int, code string) []Problem {
	if slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == code }) {
		return problems
	}
	return append(problems, Problem{at, code})
}

// odd reports whether a raw value needs decoding.
func odd(raw string) bool {
	for i := range len(raw) {
		if c := raw[i]; c == '\\' || c < ' ' && c != '\t' {
			return true
		}
	}
	return false
}

// escaped returns what a backslash and the text after it stand for. The code is empty for
// an escape of the format, and codeEscape for an unknown one.
func escaped(follows string) (byte, string) {
	if follows == "" {
		return 0, codeEscape
	}
	switch c := follows[0]; c {
	case '\\', '|':
		return c, ""
	case 'n':
		return '\n', ""
	case 'r':
		return '\r', codeEscapeExtra
	case '@':
		return '@', codeEscapeExtra
	}
	return 0, codeEscape
}

// SplitList splits a raw value at its unescaped pipes, and decodes the items. An
// empty value is an empty list.
func SplitList(raw string) []string {
	parts := splitRaw(raw)
	for i, part := range parts {
		parts[i], _ = Unescape(part)
	}
	return parts
}

// splitRaw splits a raw value at its unescaped pipes.
func splitRaw(raw string) []string {
	if raw == "" {
		return nil
	}
	parts := make([]string, 0, strings.Count(raw, "|")+1)
	for part := range rawParts(raw) {
		parts = append(parts, part)
	}
	return parts
}

// rawParts yields the parts between unescaped pipes.
func rawParts(raw string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i < len(raw); i++ {
			switch {
			case raw[i] == '\\' && i+1 < len(raw) && (raw[i+1] == '\\' || raw[i+1] == '|'):
				i++
			case raw[i] == '|':
				if !yield(raw[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(raw[start:])
	}
}

// JoinList is the inverse of [SplitList], except that the format cannot spell a list of one
// empty item.
func JoinList(items []string) string {
	var b []byte
	for i, item := range items {
		if i > 0 {
			b = append(b, '|')
		}
		b = appendEscaped(b, item)
	}
	return string(b)
}
