package aicf

import "strings"

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
