package aicf

import "strings"

// headedRows reads a section of entries whose header has an identifier: perhaps one entry
// in fields, and then rows.
func (r *parser) headedRows(h header, lines, blank []line) []Entry {
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

// numberedBelow reports whether all lines below a bare header are numbered fields, such as
// decision_1 and rationale_1: together they are entries, and none is one alone.
func numberedBelow(h header, lines []line) bool {
	n := 0
	for _, l := range lines {
		if l.text == "" {
			continue
		}
		if _, number := numberedIn(h.name, keyOf(l.text)); number == "" {
			return false
		}
		n++
	}
	return n > 0 && h.shape == plainHead
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
func (r *parser) insightBlock(b block) Entry {
	in := &Insight{Origin: b.Origin, ID: b.id}
	if at := strings.LastIndexByte(b.id, ':'); at > 0 && Priorities().Has(Word(b.id[at+1:])) {
		in.ID, in.Priority = b.id[:at], Word(b.id[at+1:])
	}
	r.find(b.Line, Warning, codeForm, "AICF-REF-3", "an insight in fields; expected @INSIGHTS text|category|priority|confidence")
	in.Extra = r.fields(b.lines, []member{
		word(keyAmong(b.lines, "text", "insight", "content", "description", "insights"), "AICF-INS-10", &in.Text),
		word("category", "AICF-INS-10", &in.Category),
		word("priority", "AICF-INS-10", &in.Priority),
		word("confidence", "AICF-INS-10", &in.Confidence),
		word("memory_type", "AICF-INS-9", &in.MemoryType),
	}, nil)
	return in
}

func (r *parser) decisionBlock(b block) Entry {
	d := &Decision{Origin: b.Origin, ID: b.id}
	r.find(b.Line, Warning, codeForm, "AICF-DEC-6", "a decision in fields; expected @DECISIONS text|impact|confidence|rationale")
	d.Extra = r.fields(b.lines, []member{
		word(keyAmong(b.lines, "text", "decision", "description", "decisions"), "AICF-DEC-1", &d.Text),
		word("impact", "AICF-DEC-3", &d.Impact),
		word("confidence", "AICF-DEC-4", &d.Confidence),
		word(keyAmong(b.lines, "rationale", "reasoning"), "AICF-DEC-5", &d.Rationale),
		word("memory_type", "AICF-DEC-7", &d.MemoryType),
	}, nil)
	return d
}

// keyAmong returns the first key that has a value in the lines, else the first of all.
func keyAmong(lines []line, keys ...string) string {
	for _, key := range keys {
		for _, l := range lines {
			if said, ok := strings.CutPrefix(l.text, key+"="); ok && said != "" {
				return key
			}
		}
	}
	return keys[0]
}

func (r *parser) embedding(b block) Entry {
	e := &Embedding{Origin: b.Origin, Entity: b.id}
	e.Extra = r.fields(b.lines, []member{
		word("model", "AICF-EMB-2", &e.Model),
		{"dimension", "AICF-EMB-3", func(_ *parser, _ int, raw string) string {
			n, ok := parseCount(raw)
			if !ok || n == 0 {
				return "a whole number in decimal notation, 1 or more"
			}
			e.Dimension = n
			return ""
		}},
		asSpelled("vector", "AICF-EMB-4", &e.Vector),
		stamp("indexed_at", &e.IndexedAt),
		asSpelled("similarity_threshold", "AICF-EMB-8", &e.SimilarityThreshold),
		list("keywords", "AICF-EMB-9", &e.Keywords),
	}, nil)
	e.Elided = strings.HasSuffix(strings.TrimRight(e.Vector, " "), "...")
	return e
}

func (r *parser) consolidation(b block) Entry {
	c := &Consolidation{Origin: b.Origin, ID: b.id}
	c.Extra = r.fields(b.lines, []member{
		list("source_items", "AICF-CONS-2", &c.SourceItems),
		stamp("consolidated_at", &c.ConsolidatedAt),
		word("method", "AICF-CONS-4", &c.Method),
		text("semantic_theme", "AICF-CONS-5", &c.SemanticTheme),
		list("key_facts", "AICF-CONS-6", &c.KeyFacts),
		asSpelled("information_preserved", "AICF-CONS-7", &c.InformationPreserved),
		asSpelled("compression_ratio", "AICF-CONS-8", &c.CompressionRatio),
	}, nil)
	return c
}

// carried reads a record. Its JSON may be spread over record_1, record_2 and so on.
func (r *parser) carried(b block) Entry {
	c := &Carried{Origin: b.Origin, ID: b.id}
	rest := r.fields(b.lines, []member{
		word("entity", "AICF-FWD-2", &c.Entity),
		word("record", "AICF-FWD-2", &c.Record),
	}, recordPart)
	var parts strings.Builder
	for _, field := range rest {
		if !recordPart(field.Key) || c.Record != "" {
			c.Extra = append(c.Extra, field)
			continue
		}
		said, _ := Unescape(field.Raw)
		parts.WriteString(said)
	}
	c.Record += parts.String()
	return c
}

func recordPart(key string) bool {
	number, ok := strings.CutPrefix(key, "record_")
	_, isNumber := parseCount(number)
	return ok && isNumber
}
