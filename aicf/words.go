package aicf

import (
	"slices"
	"strconv"
	"strings"
)

// Word is a value from a list of the format. Other words are kept as spelled.
type Word string

// Level returns the level of confidence, priority or impact of a word: the word itself, in
// capitals, or from a number between 0 and 1. Empty: none.
func (w Word) Level() Word {
	if upper := Word(strings.ToUpper(string(w))); Priorities().Has(upper) {
		return upper
	}
	n, err := strconv.ParseFloat(string(w), 64)
	switch {
	case err != nil || n < 0 || n > 1 || !decimal(string(w)):
		return ""
	case n >= 0.8:
		return High
	case n >= 0.5:
		return Medium
	}
	return Low
}

// Scopes of a state.
const (
	ScopeSession Word = "session"
	ScopeUser    Word = "user"
	ScopeApp     Word = "app"
	ScopeTemp    Word = "temp" // this turn only: never written
)

// Levels of priority and impact, and all but the first of confidence.
const (
	Critical Word = "CRITICAL"
	High     Word = "HIGH"
	Medium   Word = "MEDIUM"
	Low      Word = "LOW"
)

// Memory types.
const (
	Semantic   Word = "semantic"
	Episodic   Word = "episodic"
	Procedural Word = "procedural"
)

// Relationship types that others map to.
const (
	DependsOn  Word = "depends_on"
	RelatedTo  Word = "related_to"
	Supersedes Word = "supersedes"
)

// List is the words that a member may have.
type List []Word

// Has reports whether the list has the word in exactly this spelling.
func (l List) Has(w Word) bool { return slices.Contains(l, w) }

// Scopes returns the scopes of a state.
func Scopes() List { return List{ScopeSession, ScopeUser, ScopeApp, ScopeTemp} }

// StateStatuses returns the values of status in a state.
func StateStatuses() List { return List{"completed", "in_progress", "blocked", "cancelled"} }

// SessionStatuses returns the values of status in a session.
func SessionStatuses() List { return List{"active", "completed", "archived"} }

// Categories returns the categories of insights.
func Categories() List {
	return List{"ARCHITECTURE", "IMPLEMENTATION", "STRATEGY", "DATA", "SECURITY", "PERFORMANCE", "GENERAL"}
}

// Priorities returns the levels of priority and impact.
func Priorities() List { return List{Critical, High, Medium, Low} }

// Confidences returns the levels of confidence.
func Confidences() List { return List{High, Medium, Low} }

// MemoryTypes returns the memory types.
func MemoryTypes() List { return List{Semantic, Episodic, Procedural} }

// Relationships returns the types of links; all after the first four came with 3.1.
func Relationships() List {
	return List{DependsOn, RelatedTo, Supersedes, "implements", "semantic_cluster", "temporal_sequence", "causal_relationship"}
}

// Methods returns the methods of consolidation.
func Methods() List {
	return List{"semantic_clustering", "temporal_summarization", "deduplication", "importance_filtering"}
}

// String returns the words, separated by commas.
func (l List) String() string {
	var b strings.Builder
	for i, w := range l {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}
