package aicf

import "strings"

// headedRows reads a section of entries whose header has an identifier: one entry in
// fields, if there are any, and then rows.
func (r *reading) headedRows(h header, lines, blank []line) []Entry {
	end := 1
	for end < len(lines) && headerOf(lines[end].text).shape != inlineHead {
		end++
	}
	name, id := h.name, h.identifier()
	b := block{Origin: origin(lines[:end]), id: id, lines: lines[1:end]}
	var first Entry
	switch {
	case name == "LINKS" || !hasFields(b.lines):
		end = 1
		r.find(b.Line, Notice, codeUnknownSection, "AICF-FWD-3", "%s has no identifier; it is kept as it is", name)
		first = &Unknown{Origin: origin(lines[:1]), Name: name, ID: id}
	case name == "INSIGHTS":
		first = r.insightBlock(b)
	default:
		first = r.decisionBlock(b)
	}
	rest := r.rows(name, append(lines[end:len(lines):len(lines)], blank...))
	return append([]Entry{first}, rest...)
}

func hasFields(lines []line) bool {
	for _, l := range lines {
		if _, ok := splitField(l.text); ok {
			return true
		}
	}
	return false
}

// insightBlock reads an insight in fields. Its identifier may end in a priority.
func (r *reading) insightBlock(b block) Entry {
	in := &Insight{Origin: b.Origin, ID: b.id}
	if at := strings.LastIndexByte(b.id, ':'); at > 0 && Priorities().Has(Word(b.id[at+1:])) {
		in.ID, in.Priority = b.id[:at], Word(b.id[at+1:])
	}
	r.find(b.Line, Warning, codeForm, "AICF-REF-3", "an insight in fields; expected @INSIGHTS text|category|priority|confidence")
	in.Extra = r.fields(b.lines, []member{
		word(keyAmong(b.lines, "text", "insight", "content", "description"), "AICF-INS-10", &in.Text),
		word("category", "AICF-INS-10", &in.Category),
		word("priority", "AICF-INS-10", &in.Priority),
		word("confidence", "AICF-INS-10", &in.Confidence),
		word("memory_type", "AICF-INS-9", &in.MemoryType),
	}, nil)
	return in
}

func (r *reading) decisionBlock(b block) Entry {
	d := &Decision{Origin: b.Origin, ID: b.id}
	r.find(b.Line, Warning, codeForm, "AICF-DEC-6", "a decision in fields; expected @DECISIONS text|impact|confidence|rationale")
	d.Extra = r.fields(b.lines, []member{
		word(keyAmong(b.lines, "text", "decision", "description"), "AICF-DEC-1", &d.Text),
		word("impact", "AICF-DEC-3", &d.Impact),
		word("confidence", "AICF-DEC-4", &d.Confidence),
		word(keyAmong(b.lines, "rationale", "reasoning"), "AICF-DEC-5", &d.Rationale),
		word("memory_type", "AICF-DEC-7", &d.MemoryType),
	}, nil)
	return d
}

// keyAmong returns the first of several keys that the lines have; otherwise the first.
func keyAmong(lines []line, keys ...string) string {
	for _, key := range keys {
		for _, l := range lines {
			if strings.HasPrefix(l.text, key+"=") {
				return key
			}
		}
	}
	return keys[0]
}
