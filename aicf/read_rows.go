package aicf

import "strings"

// rows reads a section of one-line entries: bare headers, entries that repeat the section's
// name, and rows that do not.
func (r *parser) rows(name string, lines []line) []Entry {
	var entries []Entry
	said := 0 // entries have the lines before this one
	for i, l := range lines {
		h := headerOf(l.text)
		if l.text == "" || h.shape == plainHead && h.name == name {
			continue
		}
		entries = gap(entries, lines[said:i])
		said = i + 1
		if h.shape == inlineHead && h.name == name {
			entries = append(entries, r.row(name, l, h.rest))
			continue
		}
		r.find(l.place, Warning, codeForm, rowRules[name], "expected @%s before the entry", name)
		entries = append(entries, r.row(name, l, l.text))
	}
	return gap(entries, lines[said:])
}

var rowRules = map[string]string{"INSIGHTS": "AICF-INS-4", "DECISIONS": "AICF-DEC-6", "LINKS": "AICF-LINKS-1"}

// row reads one entry.
func (r *parser) row(name string, l line, row string) Entry {
	place := Origin{Line: l.place, Raw: l.text}
	parts := splitRaw(row)
	switch name {
	case "INSIGHTS":
		return r.insight(place, parts)
	case "DECISIONS":
		return r.decision(place, parts)
	}
	return r.link(place, parts)
}

// insight reads text|category|priority|confidence and trailing parts.
func (r *parser) insight(place Origin, parts []string) Entry {
	in := &Insight{Origin: place}
	decode(parts, &in.Text, (*string)(&in.Category), (*string)(&in.Priority), (*string)(&in.Confidence))
	in.Extra = r.trailing(place.Line, parts, 4, &in.MemoryType, &in.ID)
	return in
}

// decision reads text|impact|confidence|rationale and trailing parts, or
// text|rationale|IMPACT:x|CONF:y (AICF-DEC-6).
func (r *parser) decision(place Origin, parts []string) Entry {
	d := &Decision{Origin: place}
	if impact, confidence, ok := labelled(parts); ok {
		r.find(place.Line, Warning, codeForm, "AICF-DEC-6", "expected text|impact|confidence|rationale")
		decode([]string{parts[0], impact, confidence, parts[1]}, &d.Text, (*string)(&d.Impact), (*string)(&d.Confidence), &d.Rationale)
	} else {
		decode(parts, &d.Text, (*string)(&d.Impact), (*string)(&d.Confidence), &d.Rationale)
	}
	d.Extra = r.trailing(place.Line, parts, 4, &d.MemoryType, &d.ID)
	return d
}

func labelled(parts []string) (impact, confidence string, ok bool) {
	if len(parts) < 4 {
		return "", "", false
	}
	impact, okImpact := strings.CutPrefix(parts[2], "IMPACT:")
	confidence, okConfidence := strings.CutPrefix(parts[3], "CONF:")
	return impact, confidence, okImpact && okConfidence
}

// link reads from->to|type and trailing parts. It splits at the first arrow.
func (r *parser) link(place Origin, parts []string) Entry {
	l := &Link{Origin: place}
	var ends string
	decode(parts, &ends, (*string)(&l.Type))
	l.From, l.To, _ = strings.Cut(ends, "->")
	l.Extra = r.trailing(place.Line, parts, 2, &l.MemoryType, nil)
	return l
}

// decode sets members to decoded parts, as many as there are.
func decode(parts []string, members ...*string) {
	for i, part := range parts[:min(len(parts), len(members))] {
		*members[i], _ = Unescape(part)
	}
}

// trailing reads key=value parts; the last of each known key counts.
func (r *parser) trailing(place int, parts []string, from int, memoryType *Word, id *string) []Field {
	var others []Field
	parts = parts[min(from, len(parts)):]
	lastType, lastID := lastPart(parts, "memory_type"), lastPart(parts, "id")
	for i, part := range parts {
		field, ok := splitField(part)
		said, _ := Unescape(field.Raw)
		known := field.Key == "memory_type" || field.Key == "id" && id != nil
		switch {
		case !ok:
			r.find(place, Warning, codeFieldSyntax, "AICF-INS-13", "expected key=value behind part %d", from)
			field = Field{Raw: part}
		case !known:
			r.find(place, Notice, codeUnknownField, "AICF-FWD-3", "unknown part %s is kept as it is", quoted(field.Key))
		case said == "":
			r.find(place, Broken, codeValue, "AICF-INS-9", "%s: expected %s", field.Key, filled)
		case field.Key == "id" && i < lastID || field.Key == "memory_type" && i < lastType:
			r.find(place, Warning, codeRepeatedKey, "AICF-HDR-7", "%s is repeated; the last value counts", field.Key)
		case field.Key == "id":
			*id = said
			continue
		default:
			*memoryType = Word(said)
			continue
		}
		others = append(others, field)
	}
	return others
}

// lastPart returns the index of the last part with a key and a value; -1: none.
func lastPart(parts []string, key string) int {
	for i := len(parts) - 1; i >= 0; i-- {
		if field, ok := splitField(parts[i]); ok && field.Key == key && field.Raw != "" {
			return i
		}
	}
	return -1
}

// header is the first line of a section.
type header struct {
	shape shape
	name  string
	rest  string // what follows the name and one byte: with plainHead the raw identifier
	colon bool
}

// headerOf splits a line that may be a header or an entry.
func headerOf(text string) header {
	if text == "" || text[0] != '@' {
		return header{}
	}
	data := []byte(text)
	h := headOf(data)
	if h.shape == noHead {
		return header{}
	}
	_, colon := h.id(data)
	return header{shape: h.shape, name: internName(h.name(data)), rest: text[min(h.end+1, len(text)):], colon: colon}
}

// identifier returns the decoded identifier of the header; empty: none.
func (h header) identifier() string {
	if !h.colon || h.shape != plainHead {
		return ""
	}
	id, _ := Unescape(h.rest)
	return id
}
