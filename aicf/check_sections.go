package aicf

import (
	"slices"
	"strconv"
	"strings"
)

func (k *checker) session(s *Session) {
	k.identified(s.ID, "AICF-SESSION-1")
	k.required(s.AppName != "", s.Extra, "app_name", "AICF-SESSION-2")
	k.required(s.UserID != "", s.Extra, "user_id", "AICF-SESSION-3")
	k.required(s.CreatedAt.said(), s.Extra, "created_at", "AICF-SESSION-4")
	k.required(s.LastUpdateTime.said(), s.Extra, "last_update_time", "AICF-SESSION-5")
	k.required(s.Status != "", s.Extra, "status", "AICF-SESSION-6")
	k.word(s.Status, SessionStatuses(), "status", "AICF-SESSION-6")
	k.inOrder(s.CreatedAt, s.LastUpdateTime, "created_at", "last_update_time", "AICF-SESSION-5")
}

func (k *checker) conversation(c *Conversation) {
	k.identified(c.ID, "AICF-CONV-1")
	k.required(c.TimestampStart.said(), c.Extra, "timestamp_start", "AICF-CONV-2")
	k.required(c.TimestampEnd.said(), c.Extra, "timestamp_end", "AICF-CONV-3")
	k.required(c.Messages != nil, c.Extra, "messages", "AICF-CONV-4")
	k.inOrder(c.TimestampStart, c.TimestampEnd, "timestamp_start", "timestamp_end", "AICF-CONV-3")
}

func (k *checker) inOrder(from, to Stamp, fromKey, toKey, rule string) {
	if !from.IsZero() && !to.IsZero() && to.Before(from.Time) {
		k.report(toKey, Broken, codeOrder, rule, "%s is before %s", toKey, fromKey)
	}
}

func (k *checker) state(s *State) {
	if s.Scope != "" && !Scopes().Has(s.Scope) {
		k.report("", Warning, codeScope, "AICF-STATE-1", "scope: expected one of %s, found %s", Scopes(), quoted(string(s.Scope)))
	}
	if s.Scope == ScopeTemp {
		k.report("", Notice, codeTemporary, "AICF-STATE-10", "a temporary state is not kept")
	}
	if s.Status != nil && !StateStatuses().Has(*s.Status) {
		k.report("status", Warning, codeEnum, "AICF-STATE-2", "status: expected one of %s, found %s", StateStatuses(), quoted(string(*s.Status)))
	}
	for _, p := range s.Pairs {
		k.pair(s, p)
	}
}

// pair reports a key whose prefix differs from the scope of its section.
func (k *checker) pair(s *State, p Pair) {
	scope := p.Scope(s.Scope)
	if s.Scope != "" && s.Scope != ScopeSession && scope != s.Scope {
		k.report(p.Key, Warning, codeScope, "AICF-STATE-7", "the prefix of key %s holds, not the scope of the section", quoted(p.Key))
	}
	if scope == ScopeTemp && s.Scope != ScopeTemp {
		k.report(p.Key, Notice, codeTemporary, "AICF-STATE-10", "temporary key %s is not kept", quoted(p.Key))
	}
}

func (k *checker) insight(in *Insight) {
	if k.numbered(in, "AICF-INS-4") {
		return
	}
	k.parts("AICF-INS-10", []string{"text", "category", "priority", "confidence"},
		in.Text, string(in.Category), string(in.Priority), string(in.Confidence))
	k.word(in.Category, Categories(), "category", "AICF-INS-6")
	k.word(in.Priority, Priorities(), "priority", "AICF-INS-7")
	k.word(in.Confidence, Confidences(), "confidence", "AICF-INS-8")
	k.word(in.MemoryType, MemoryTypes(), "memory_type", "AICF-INS-9")
}

func (k *checker) decision(d *Decision) {
	if k.numbered(d, "AICF-DEC-6") {
		return
	}
	k.parts("AICF-DEC-5", []string{"text", "impact", "confidence", "rationale"},
		d.Text, string(d.Impact), string(d.Confidence), d.Rationale)
	k.word(d.Impact, Priorities(), "impact", "AICF-DEC-3")
	k.word(d.Confidence, Confidences(), "confidence", "AICF-DEC-4")
	k.word(d.MemoryType, MemoryTypes(), "memory_type", "AICF-DEC-7")
}

// numbered reports entries in numbered fields, which are read as entries of their own.
func (k *checker) numbered(e Entry, rule string) bool {
	n := len(Parts(e))
	if n > 0 {
		k.report("", Warning, codeForm, rule, "%d entries in numbered fields; expected a line for each, as a migration makes it", n)
	}
	return n > 0
}

// parts reports missing parts. Entries in foreign forms may lack all but the first.
func (k *checker) parts(rule string, names []string, values ...string) {
	var missing []string
	for i, value := range values {
		if value == "" {
			missing = append(missing, names[i])
		}
	}
	if len(missing) == 0 {
		return
	}
	severity := Broken
	if raw := k.entry.Place().Raw; raw != "" && values[0] != "" && headerOf(raw).shape != inlineHead {
		severity = Warning
	}
	k.report("", severity, codeRequired, rule, "expected 4 fields, %s; missing: %s", strings.Join(names, "|"), strings.Join(missing, ", "))
}

func (k *checker) link(l *Link) {
	if l.From == "" || l.To == "" || strings.Contains(l.From+"|"+l.To, "->") {
		k.report("", Broken, codeValue, "AICF-LINKS-5", "expected from->to, neither of them empty or with an arrow in it")
	}
	if l.Type == "" {
		k.report("", Broken, codeRequired, "AICF-LINKS-6", "a relationship type required behind from->to")
	}
	k.word(l.Type, Relationships(), "relationship type", "AICF-LINKS-3")
	k.word(l.MemoryType, MemoryTypes(), "memory_type", "AICF-DEC-7")
}

func (k *checker) consolidation(c *Consolidation) {
	k.identified(c.ID, "AICF-CONS-1")
	if len(c.SourceItems) == 0 || slices.Contains(c.SourceItems, "") {
		k.report("source_items", Broken, codeRequired, "AICF-CONS-2", "source_items required: at least one id, and none that is empty")
	}
	k.required(c.ConsolidatedAt.said(), c.Extra, "consolidated_at", "AICF-CONS-3")
	k.required(c.Method != "", c.Extra, "method", "AICF-CONS-4")
	k.word(c.Method, Methods(), "method", "AICF-CONS-4")
	k.preserved(c.InformationPreserved)
	if c.CompressionRatio != "" && !decimal(c.CompressionRatio) {
		k.report("compression_ratio", Broken, codeValue, "AICF-CONS-8", "compression_ratio: expected a decimal number, the fraction saved")
	}
}

func (k *checker) preserved(text string) {
	if text == "" {
		return
	}
	n, signed, ok := percentage(text)
	switch {
	case !ok || n < 0 || n > 100:
		k.report("information_preserved", Broken, codeValue, "AICF-CONS-7", "information_preserved: expected a percentage from 0%% to 100%%")
	case !signed:
		k.report("information_preserved", Warning, codeValue, "AICF-CONS-7", "information_preserved: expected a percentage with its sign")
	}
}

func (k *checker) embedding(e *Embedding) {
	k.identified(e.Entity, "AICF-EMB-1")
	k.required(e.Model != "", e.Extra, "model", "AICF-EMB-2")
	k.required(e.Dimension > 0, e.Extra, "dimension", "AICF-EMB-3")
	k.required(e.Vector != "", e.Extra, "vector", "AICF-EMB-4")
	k.vector(e)
	k.threshold(e.SimilarityThreshold)
}

// vector checks the numbers, unless they were elided.
func (k *checker) vector(e *Embedding) {
	switch {
	case e.Vector == "":
		return
	case e.Elided:
		k.report("vector", Warning, codeElided, "AICF-EMB-6", "elided vector: it ends in ..., and nothing can be found by it")
		return
	}
	n := int64(0)
	for text := range strings.SplitSeq(e.Vector, ",") {
		if n++; !decimal(strings.TrimSpace(text)) {
			k.report("vector", Broken, codeValue, "AICF-EMB-4", "vector: expected decimal numbers between commas; number %d is none", n)
			return
		}
	}
	if e.Dimension > 0 && n != e.Dimension {
		k.report("vector", Broken, codeDimension, "AICF-EMB-5", "vector: expected %d numbers as dimension says, found %d", e.Dimension, n)
	}
}

func (k *checker) threshold(text string) {
	if text == "" {
		return
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !decimal(text):
		k.report("similarity_threshold", Broken, codeValue, "AICF-EMB-8", "similarity_threshold: expected a decimal number")
	case n < 0 || n > 1:
		k.report("similarity_threshold", Warning, codeRange, "AICF-EMB-8", "similarity_threshold: expected a number from 0 to 1")
	}
}
