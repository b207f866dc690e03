package distill_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf/distill"
)

// TestNobodyStates holds turns that state nothing: what is in them is code, a quotation,
// made up, in doubt, of the moment, or of a tool.
func TestNobodyStates(t *testing.T) {
	for name, text := range map[string]string{
		"code in a fence":        "See:\n```\nI live in Oslo.\nLet's use tabs.\n```",
		"a fence left open":      "See:\n~~~\nI live in Oslo.",
		"a pasted document":      "<document>\nI live in Oslo.\n</document>",
		"an indented line":       "See\n    I live in Oslo.",
		"a quotation":            "> I live in Oslo.",
		"a quoted sentence":      "He wrote \"Fine. I live in Oslo. Let's use tabs.\" to me",
		"a table":                "| I live in Oslo. |",
		"behind a lead-in":       "Please translate this text:\nI live in Oslo. We decided to use tabs.",
		"behind one in German":   "Übersetze bitte folgenden Text:\nIch wohne in Oslo.",
		"a role":                 "Imagine a sailor. I live in Oslo.",
		"a story":                "Write me a story about the sea.\nI am a sailor.",
		"a role in German":       "Stell dir vor, es ist Nacht. Ich wohne in Oslo.",
		"a long text":            strings.Repeat("Word by word. ", 100) + "\n\n" + strings.Repeat("I live in Oslo. ", 300) + "\n\nWhy",
		"a log":                  "ERROR I live in Oslo.\n2026-01-02T03:04:05Z I live in Oslo.",
		"a doubt":                "Maybe we should use tabs. I think I live in the past.",
		"a condition":            "If it rains, we'll take the bus. If I live in Oslo I pay.",
		"a moment":               "I'm an error away from quitting. I use a hammer right now.",
		"a courtesy":             "I love it! I like that. I'd love to know more. Never mind. Let's keep going. Let's take a look.",
		"somebody else":          "They decided to use tabs. He said we will use tabs.",
		"a thing pointed at":     "Let's use that. I'll take it. Let's go with the second one.",
		"agreeing to nothing":    "Yes, sounds good.",
		"an address that is all": "My mail address is bob@example.com.",
		"a secret":               "My password is hunter2.",
		"a later time":           "Let's use tabs later. I'll look at it later.",
		"a doubt in German":      "Vielleicht nehmen wir den Bus. Ich glaube, ich wohne in Oslo. Immer noch nicht.",
	} {
		c, _, _ := distilled(t, said("x", "\n### user\n"+text+"\n### tool\nI live in Oslo.\n### system\nAlways be kind.\n### assistant\nI live in Oslo."), distill.Options{})
		if got := statements(c); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestChoices holds what the user agrees to, and points at, to what the assistant said.
func TestChoices(t *testing.T) {
	const options = "Two ways:\n1. Use a queue\n2. Use a table"
	for _, test := range []struct{ name, before, answer, want string }{
		{"a number", options, "Let's go with option 2.", "decision: Let's go with option 2: Use a table"},
		{"a place", options, "We'll take the first one", "decision: We'll take the first one: Use a queue"},
		{"a letter in a line", "Option A: red. Option B: blue.", "I'll go with B", "decision: I'll go with B: blue"},
		{"no such number", options, "Let's go with option 3.", ""},
		{"two lists", options + "\n\n1. Other\n2. Things", "Let's go with option 2.", ""},
		{"the one proposal", "I'd recommend a queue since it is simple. It scales.", "Sounds good!", "decision: I'd recommend a queue"},
		{"pointing at it", "I'd recommend a queue for this.", "Let's do it. Let's use that.", "decision: I'd recommend a queue for this."},
		{"two proposals", "I'd recommend a queue for this. I suggest a table for that.", "Sounds good!", ""},
		{"with a but", "I'd recommend a queue for this.", "Sounds good, but not now.", ""},
		{"an offer", "I'd recommend a queue. Would you like me to write it?", "No.", ""},
		{"in German", "Ich empfehle eine Warteschlange dafür.", "Einverstanden.", "decision: Ich empfehle eine Warteschlange dafür."},
	} {
		c, _, _ := distilled(t, said("x", "\n### user\nWhat should be done here\n### assistant\n"+test.before+"\n### user\n"+test.answer), distill.Options{})
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if got := statements(c); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}
