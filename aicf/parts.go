package aicf

import (
	"strconv"
	"strings"
)

// Part is an entry in some of the lines of a section that holds several, such as decision_1
// and rationale_1, or issue_1 in a section that the format does not know.
type Part struct {
	Entry Entry // an insight, a decision or an unknown section
	Lines []int // its lines in the section
}

// Parts returns the entries of a section of numbered fields; nil: it has none.
func Parts(e Entry) []Part {
	section, _ := Heading(e)
	if u, ok := e.(*Unknown); ok {
		return unknownParts(u)
	}
	if !isBare(e) {
		return nil
	}
	lines := strings.Split(e.Place().Raw, "\n")
	at := map[string]int{}
	var parts []Part
	for i, text := range lines {
		stem, n := numberedIn(section, keyOf(text))
		if n == "" {
			continue
		}
		if section == insightsName {
			n = stem + n
		}
		if _, known := at[n]; !known {
			at[n] = len(parts)
			parts = append(parts, Part{})
		}
		p := &parts[at[n]]
		p.Lines = append(p.Lines, i)
	}
	whole := parts[:0]
	for _, p := range parts {
		var raw []string
		for _, i := range p.Lines {
			raw = append(raw, lines[i])
		}
		if made, ok := ReadPart(section, strings.Join(raw, "\n")); ok {
			made.Place().Line = e.Place().Line + p.Lines[0]
			whole = append(whole, Part{made, p.Lines})
		}
	}
	return whole
}

// numberedIn splits the key of a numbered field of a section; n is empty: it is none.
func numberedIn(section, key string) (stem, n string) {
	if section == insightsName {
		return numberedKey(key, "insight", "critical_insight")
	}
	return numberedKey(key, "decision", "rationale", "impact", "confidence")
}

// isBare reports whether an insight or a decision was read from fields and has no text.
func isBare(e Entry) bool {
	switch e := e.(type) {
	case *Insight:
		return e.Text == "" && e.Raw != ""
	case *Decision:
		return e.Text == "" && e.Raw != ""
	}
	return false
}

// keyOf returns the key of a line; empty: the line is no field.
func keyOf(text string) string {
	f, _ := splitField(text)
	return f.Key
}

// ReadPart reads the lines of a [Part]; false: they are none.
func ReadPart(section, raw string) (Entry, bool) {
	if section == insightsName {
		f, _ := splitField(raw)
		in := numberedInsight(f)
		return in, in.Text != ""
	}
	d := &Decision{}
	for text := range strings.SplitSeq(raw, "\n") {
		f, _ := splitField(text)
		stem, n := numberedIn(decisionsName, f.Key)
		if said, _ := Unescape(f.Raw); n == "" || !d.set(stem, said) {
			return d, false
		}
	}
	return d, section == decisionsName && d.Text != ""
}

// numberedInsight reads insight_1=text|priority.
func numberedInsight(f Field) *Insight {
	in := &Insight{}
	if items := SplitList(f.Raw); len(items) > 0 {
		in.Text, in.Priority = items[0], Word(strings.Join(items[1:], "|"))
	}
	return in
}

// IsHeader reports whether a line of data is the header of a section, even one that the
// format does not allow.
func IsHeader(text string) bool {
	shape := headerOf(text).shape
	return shape != noHead && shape != inlineHead
}

// unknownParts returns the entries of a section that the format does not know, if it
// counts fields, as NAME_1 and NAME_2. Fields of one number are one entry if they stand
// together, or if the later one only rates it. Other numbers, such as years, count nothing.
func unknownParts(u *Unknown) []Part {
	lines := strings.Split(u.Raw, "\n")
	if !counts(u.Name, lines) {
		return nil
	}
	var parts []Part
	at, before := map[int]int{}, 0 // the first part of each number; the number of the line before
	for i, text := range lines {
		stem, n := CountedKey(text)
		if n == 0 {
			before = 0
			continue
		}
		first, known := at[n]
		switch {
		case n == before:
			first = len(parts) - 1
		case !known || !rates(stem, text):
			first = len(parts)
			parts = append(parts, Part{Entry: &Unknown{Origin: Origin{Line: u.Line + i}, Name: u.Name}})
		}
		if !known {
			at[n] = first
		}
		before = n
		parts[first].Lines = append(parts[first].Lines, i)
	}
	for _, p := range parts {
		var own []string
		for _, i := range p.Lines {
			own = append(own, lines[i])
		}
		p.Entry.Place().Raw = strings.Join(own, "\n")
	}
	return parts
}

// mostCounted is the greatest number that counts; greater ones are years and the like.
const mostCounted = 999

// counts reports whether the lines of a section count fields: two numbers have one name,
// the name is that of the section, or there are no other fields.
func counts(section string, lines []string) bool {
	numbers, only := map[string]int{}, true
	for _, text := range lines[1:] {
		stem, n := CountedKey(text)
		switch first, known := numbers[stem]; {
		case n == 0:
			only = only && saysLittle(text)
		case known && first != n, strings.EqualFold(stem+"s", section):
			return true
		default:
			numbers[stem] = n
		}
	}
	return only && len(numbers) > 0
}

// saysLittle reports whether a line is blank, a time or a total.
func saysLittle(text string) bool {
	key := keyOf(text)
	return key == "timestamp" || strings.HasPrefix(key, "total_") || strings.TrimSpace(text) == ""
}

// rates reports whether a counted field says of an entry what another field began, such as
// severity_1=HIGH: it has one word, or it is the reason.
func rates(stem, text string) bool {
	_, said, _ := strings.Cut(text, "=")
	return stem == "rationale" || !strings.ContainsAny(strings.TrimSpace(said), " \t")
}

// CountedKey splits the key of a field such as issue_2=Leaks oil; n is 0: it has no number,
// or the field is one that a migration adds.
func CountedKey(text string) (stem string, n int) {
	key := keyOf(text)
	at := strings.LastIndexByte(key, '_')
	if at <= 0 || !digits(key[at+1:]) || strings.HasPrefix(key, extensionKey("")) {
		return "", 0
	}
	n, err := strconv.Atoi(key[at+1:])
	if err != nil || n > mostCounted || strings.Trim(key[:at], "0123456789_") == "" {
		return "", 0
	}
	return key[:at], n
}
