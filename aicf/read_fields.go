package aicf

import "strings"

// member is a known key of a section: its rule, and how to set it. set returns what it
// expected if it cannot read the value; it then stores nothing.
type member struct {
	key, rule string
	set       func(r *parser, place int, raw string) (expected string)
}

// fields reads lines into members, the last of each (AICF-HDR-7), and returns the other
// lines. It reports them unless their keys are expected; nil: none are.
func (r *parser) fields(lines []line, members []member, expected func(key string) bool) []Field {
	var others []Field
	last := lastOf(lines, members)
	seen := map[string]bool{}
	for i, l := range lines {
		if l.text == "" {
			continue
		}
		field, ok := splitField(l.text)
		if !ok {
			r.find(l.place, Warning, codeFieldSyntax, "AICF-VALS-4", "expected key=value")
			others = append(others, Field{Raw: l.text})
			continue
		}
		if seen[field.Key] {
			r.find(l.place, Warning, codeRepeatedKey, "AICF-HDR-7", "%s is repeated; the last value counts", quoted(field.Key))
		}
		seen[field.Key] = true
		at := memberAt(members, field.Key)
		switch {
		case at < 0 && (expected == nil || !expected(field.Key)):
			r.find(l.place, Notice, codeUnknownField, "AICF-FWD-3", "unknown field %s is kept as it is", quoted(field.Key))
		case at >= 0 && last[at] == i && r.set(members[at], l.place, field.Raw):
			continue
		}
		others = append(others, field)
	}
	return others
}

// anyKey expects every key, as a state does (AICF-STATE-5).
func anyKey(string) bool { return true }

// lastOf returns the last line of each member.
func lastOf(lines []line, members []member) []int {
	last := make([]int, len(members))
	for i, l := range lines {
		if field, ok := splitField(l.text); ok {
			if at := memberAt(members, field.Key); at >= 0 {
				last[at] = i
			}
		}
	}
	return last
}

func memberAt(members []member, key string) int {
	for i := range members {
		if members[i].key == key {
			return i
		}
	}
	return -1
}

// set stores a value in a member, or reports what was expected.
func (r *parser) set(m member, place int, raw string) bool {
	expected := m.set(r, place, raw)
	if expected != "" {
		r.find(place, Broken, codeValue, m.rule, "%s: expected %s", m.key, expected)
	}
	return expected == ""
}

// scalar decodes a value that is not a list.
func (r *parser) scalar(place int, key, raw string) string {
	if strings.Contains(raw, "|") && len(splitRaw(raw)) > 1 {
		r.find(place, Warning, codePipe, "AICF-STR-5", `%s: a pipe in a value that is no list; expected \|`, key)
	}
	text, _ := Unescape(raw)
	return text
}

const filled = "a value that is not empty"

// text reads a string that may be empty.
func text(key, rule string, to **string) member {
	return member{key, rule, func(r *parser, place int, raw string) string {
		said := r.scalar(place, key, raw)
		*to = &said
		return ""
	}}
}

// word reads a string that may not be empty.
func word[S ~string](key, rule string, to *S) member {
	return member{key, rule, func(r *parser, place int, raw string) string {
		if raw == "" {
			return filled
		}
		*to = S(r.scalar(place, key, raw))
		return ""
	}}
}

// asSpelled reads a value of digits and signs, and keeps its spelling.
func asSpelled(key, rule string, to *string) member {
	return member{key, rule, func(_ *parser, _ int, raw string) string {
		if raw == "" {
			return filled
		}
		*to = raw
		return ""
	}}
}

func stamp(key string, to *Stamp) member {
	return member{key, "AICF-VALM-1", func(_ *parser, _ int, raw string) string {
		read, ok := parseStamp(raw)
		if !ok {
			return "a time in ISO 8601, such as 2025-10-06T08:00:00Z"
		}
		*to = read
		return ""
	}}
}

func count(key, rule string, to **int64) member {
	return member{key, rule, func(_ *parser, _ int, raw string) string {
		n, ok := parseCount(raw)
		if !ok {
			return "a whole number in decimal notation, 0 or more"
		}
		*to = &n
		return ""
	}}
}

func list(key, rule string, to *[]string) member {
	return member{key, rule, func(_ *parser, _ int, raw string) string {
		if *to = SplitList(raw); *to == nil {
			*to = []string{}
		}
		return ""
	}}
}
