package distill

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Estimate names the measure of [Tokens].
const Estimate = "quarter-bytes"

// Tokens estimates how many tokens a language model makes of a text, without any model's
// tokeniser: see [recall.Tokens].
func Tokens(text string) int { return recall.Tokens(text) }

// Transcript returns a conversation as it would be handed on without a context file:
// each turn after the name of its author.
func Transcript(c conversation.Conversation) string {
	var b strings.Builder
	for _, t := range c.Turns {
		b.WriteString(string(t.Author))
		b.WriteString(": ")
		b.WriteString(t.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// terms returns the search words of a text, as stems.
func terms(text string) map[string]bool {
	found := map[string]bool{}
	all, _ := recall.TextTerms(text)
	for _, term := range all {
		found[term] = true
	}
	return found
}

// preserved returns the part of the users' and assistants' words that the entries
// keep.
func preserved(turns []conversation.Turn, entries []aicf.Entry) float64 {
	before, after := map[string]bool{}, terms(strings.Join(Passages(entries), "\n"))
	for _, t := range turns {
		if t.Author == conversation.User || t.Author == conversation.Assistant {
			for term := range terms(t.Text) {
				before[term] = true
			}
		}
	}
	kept := 0
	for term := range before {
		if after[term] {
			kept++
		}
	}
	return part(kept, len(before))
}

// part returns a as a part of b, and 1 if b is 0.
func part(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// Passages returns the text of each entry.
func Passages(entries []aicf.Entry) []string {
	var all []string
	for _, e := range entries {
		switch e := e.(type) {
		case *aicf.Conversation:
			if e.Topic != nil {
				all = append(all, *e.Topic)
			}
		case *aicf.State:
			if e.Actions != nil {
				all = append(all, *e.Actions)
			}
		case *aicf.Insight:
			all = append(all, e.Text)
		case *aicf.Decision:
			all = append(all, e.Text+" "+e.Rationale)
		}
	}
	return all
}
