package aicf

import (
	"slices"
	"strconv"
	"strings"
)

// Names of the sections that the format defines.
const (
	sessionName       = "SESSION"
	conversationName  = "CONVERSATION"
	stateName         = "STATE"
	embeddingName     = "EMBEDDING"
	consolidationName = "CONSOLIDATION"
	carriedName       = "UMP_RECORD"
)

func (s *sectionBuilder) session(e *Session) {
	s.header(sessionName, e.ID, e.Extra)
	s.filled("app_name", e.AppName)
	s.filled("user_id", e.UserID)
	s.stamp("created_at", e.CreatedAt)
	s.stamp("last_update_time", e.LastUpdateTime)
	s.filled("status", string(e.Status))
	s.count("event_count", e.EventCount)
	s.count("total_tokens", e.TotalTokens)
	s.count("session_duration_seconds", e.DurationSeconds)
	s.rest()
}

func (s *sectionBuilder) conversation(e *Conversation) {
	s.header(conversationName, e.ID, e.Extra)
	s.stamp("timestamp_start", e.TimestampStart)
	s.stamp("timestamp_end", e.TimestampEnd)
	s.count("messages", e.Messages)
	s.count("tokens", e.Tokens)
	s.text("topic", e.Topic)
	s.participants(e.Participants)
	s.text("platform", e.Platform)
	s.rest()
}

// participants writes names between commas, or between pipes if a name has a comma. A pipe
// at the end distinguishes one such name from two.
func (s *sectionBuilder) participants(names []string) {
	const key = "participants"
	if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ",") }) {
		s.commas(key, names)
		return
	}
	if slices.Contains(names, "") {
		s.refuse(key, "AICF-CONV-7", "an empty name among names with commas")
	}
	if len(names) == 1 {
		names = []string{names[0], ""}
	}
	s.list(key, names)
}

// commas writes an optional list between commas.
func (s *sectionBuilder) commas(key string, items []string) {
	escaped := slices.Clone(items)
	for i, item := range items {
		escaped[i] = s.escaped(key, item)
	}
	raw := strings.Join(escaped, ",")
	switch {
	case items == nil:
		s.older(key)
		return
	case len(items) > 0 && raw == "":
		s.oneEmpty(key)
	}
	s.field(key, raw)
}

func (s *sectionBuilder) embedding(e *Embedding) {
	s.header(embeddingName, e.Entity, e.Extra)
	s.filled("model", e.Model)
	s.dimension(e.Dimension)
	s.verbatim("vector", e.Vector)
	s.stamp("indexed_at", e.IndexedAt)
	s.verbatim("similarity_threshold", e.SimilarityThreshold)
	s.list("keywords", e.Keywords)
	s.rest()
}

// dimension writes the length of a vector; zero was unreadable or missing.
func (s *sectionBuilder) dimension(n int64) {
	if n == 0 {
		s.older("dimension")
		return
	}
	s.field("dimension", strconv.FormatInt(n, 10))
}

func (s *sectionBuilder) consolidation(e *Consolidation) {
	s.header(consolidationName, e.ID, e.Extra)
	s.list("source_items", e.SourceItems)
	s.stamp("consolidated_at", e.ConsolidatedAt)
	s.filled("method", string(e.Method))
	s.text("semantic_theme", e.SemanticTheme)
	s.list("key_facts", e.KeyFacts)
	s.verbatim("information_preserved", e.InformationPreserved)
	s.verbatim("compression_ratio", e.CompressionRatio)
	s.rest()
}
