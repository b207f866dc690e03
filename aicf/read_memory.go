package aicf

import "strings"

func (r *reading) embedding(b block) Entry {
	e := &Embedding{Origin: b.Origin, Entity: b.id}
	e.Extra = r.fields(b.lines, []member{
		word("model", "AICF-EMB-2", &e.Model),
		{"dimension", "AICF-EMB-3", func(_ *reading, _ int, raw string) string {
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

func (r *reading) consolidation(b block) Entry {
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

// carried reads a record, whose JSON may be spread over record_1, record_2 and so on.
func (r *reading) carried(b block) Entry {
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
