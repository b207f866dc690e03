package distill_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/text/conversation"
)

// talk reads a conversation of the test data: a title, and turns behind "### author".
func talk(t *testing.T, name string) conversation.Conversation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return said(name, string(data))
}

func said(id, text string) conversation.Conversation {
	parts := strings.Split(text, "### ")
	c := conversation.Conversation{ID: id, Title: strings.TrimSpace(parts[0]), Source: "chatgpt"}
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for i, part := range parts[1:] {
		author, text, _ := strings.Cut(part, "\n")
		c.Turns = append(c.Turns, conversation.Turn{ID: fmt.Sprintf("t%d", i+1), Author: conversation.Author(author), At: at, Text: strings.TrimSuffix(text, "\n")})
		at = at.Add(time.Minute)
	}
	c.Settle()
	return c
}

func distilled(t *testing.T, c conversation.Conversation, o distill.Options) (*aicf.Contents, distill.Report, string) {
	t.Helper()
	contents, report, err := distill.Distill(c, o)
	if err != nil {
		t.Fatal(err)
	}
	data, losses, err := aicf.Encode(contents, aicf.WriteOptions{})
	if err != nil || len(losses) > 0 {
		t.Fatal(err, losses)
	}
	return contents, report, string(data)
}

// statements lists what a file says, in the order in which it was said.
func statements(c *aicf.Contents) []string {
	type one struct{ at, text string }
	var all []one
	for _, e := range c.Entries {
		switch e := e.(type) {
		case *aicf.Insight:
			all = append(all, one{member(e.Extra, "at"), member(e.Extra, "kind") + ": " + e.Text})
		case *aicf.Decision:
			all = append(all, one{member(e.Extra, "at"), "decision: " + e.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return strings.Compare(a.at, b.at) })
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	return texts
}

func member(extra []aicf.Field, key string) string {
	for _, f := range extra {
		if f.Key == key {
			return f.Raw
		}
	}
	return ""
}

// TestStatements holds whole conversations to what is worth keeping of them, and nothing
// more.
func TestStatements(t *testing.T) {
	names, err := filepath.Glob("testdata/*.want")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".want")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name + ".want")
			if err != nil {
				t.Fatal(err)
			}
			want := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
			c, _, _ := distilled(t, talk(t, name), distill.Options{})
			got := statements(c)
			byText := cmp.Transformer("sorted", func(in []string) []string { return slices.Sorted(slices.Values(in)) })
			if diff := cmp.Diff(want, got, byText); diff != "" {
				t.Error(diff)
			}
		})
	}
}
