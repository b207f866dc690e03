package engram

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLosses compares what the code declares with what docs/mapping.md lists.
func TestLosses(t *testing.T) {
	text, err := os.ReadFile("../docs/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## What is lost between Engram and UMP")
	after, _, _ = strings.Cut(after, "\n# ") // the next page
	var listed []string
	for line := range strings.Lines(after) {
		if item, ok := strings.CutPrefix(line, "- "); ok {
			listed = append(listed, strings.TrimSpace(item))
		}
	}
	losses := []string{lossTwice, lossDangling, lossDeleted, lossUnread, lossUnknown, lossNative, lossConsent, lossAuthored, lossUnsigned, lossCarried}
	if !slices.Equal(listed, losses) {
		t.Errorf("docs/mapping.md lists %q\nthe code declares %q", listed, losses)
	}
}
