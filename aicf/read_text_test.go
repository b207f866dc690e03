package aicf

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// examples returns the files and fragments that the text of the format shows.
func examples(t *testing.T) []string {
	t.Helper()
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	text, err := os.ReadFile(filepath.Join(shared, "specs", "aicf.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if regexp.MustCompile(`^\d+\|@[A-Z_]+`).MatchString(block[1]) && strings.HasSuffix(block[1], "|\n") {
			all = append(all, block[1])
		}
	}
	return all
}

// codesOf returns the findings as lines "line code", each once.
func codesOf(found []Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.Code)
	}
	return strings.Join(all, " ")
}

func TestTextOfTheFormat(t *testing.T) {
	for _, example := range examples(t) {
		f, err := Parse([]byte(example), Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := Read(f, Options{})
		found, err := Validate([]byte(example), Options{})
		if err != nil {
			t.Fatal(err)
		}
		keepsLines(t, f, c)
		switch {
		case strings.Contains(example, "@CONVERSATION:example_001"):
			t.Run("AICF-EX-1 the smallest file has no findings", func(t *testing.T) {
				if len(found) > 0 || len(c.Entries) != 6 {
					t.Errorf("%d entries, %v", len(c.Entries), found)
				}
			})
		case strings.HasPrefix(example, "1|@AICF_VERSION\n") && f.Lines() > 50:
			t.Run("AICF-READ-2 the full file has those that are known", func(t *testing.T) { fullExample(t, c, found) })
		default:
			t.Run("AICF-EX-3 a fragment "+strings.SplitN(example, "\n", 2)[0], func(t *testing.T) { fragment(t, c, found) })
		}
	}
}

func fullExample(t *testing.T, c *Contents, found []Finding) {
	const want = "pipe enum reference enum reference reference reference reference elided-vector reference"
	if got := codesOf(found); got != want || Fatal(found, false) || !Fatal(found, true) {
		t.Errorf("got %s, want %s: %v", got, want, found)
	}
	counts := []int{len(of[*Session](c)), len(of[*Conversation](c)), len(of[*State](c)), len(of[*Insight](c)),
		len(of[*Decision](c)), len(of[*Link](c)), len(of[*Embedding](c)), len(of[*Consolidation](c))}
	if !slices.Equal(counts, []int{1, 1, 2, 3, 3, 3, 1, 1}) {
		t.Errorf("AICF-READ-1 got %v", counts)
	}
}

// fragment holds an example of one section to what its values are; of the file as a
// whole it lacks much.
func fragment(t *testing.T, c *Contents, found []Finding) {
	for _, f := range found {
		known := []string{codeLineNumber, codeReference, codeEnum, codeElided, codeTemporary}
		if f.Line > 0 && !slices.Contains(known, f.Code) {
			t.Errorf("found %s", f)
		}
	}
	for _, s := range of[*Session](c) {
		if s.ID != "session_001" || s.AppName != "aicf_demo" || s.UserID != "user_123" || s.Status != "active" || *s.EventCount != 25 || *s.TotalTokens != 3200 {
			t.Errorf("AICF-SESSION-12 got %+v", s)
		}
	}
	for _, talk := range of[*Conversation](c) {
		if *talk.Messages != 25 || *talk.Tokens != 1200 || *talk.Topic != "architecture_design" || *talk.Platform != "claude" {
			t.Errorf("AICF-CONV-10 got %+v", talk)
		}
	}
	var scopes []int
	for _, s := range of[*State](c) {
		scopes = append(scopes, len(s.Pairs)+len(s.Flow))
	}
	if len(scopes) > 0 && !slices.Equal(scopes, []int{4, 3, 2, 2}) {
		t.Errorf("AICF-STATE-11 got %v", scopes)
	}
	for kind, n := range map[string]int{"insights": len(of[*Insight](c)), "links": len(of[*Link](c))} {
		if n != 0 && n != 3 {
			t.Errorf("%d %s, want 3", n, kind)
		}
	}
}
