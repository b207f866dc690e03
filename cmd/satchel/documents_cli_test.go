package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	exampleLine = regexp.MustCompile(`^ {4}(satchel .+)$`)
	placeholder = regexp.MustCompile(`(^|[\s|<\[])[A-Z]+\b|\[flags\]|\.\.\.`)
	quotedText  = regexp.MustCompile(`"[^"]*"`)
)

// mostElsewhere is how many examples of the help may be left out: with mostMarked, ten.
const mostElsewhere = 3

// examplesElsewhere says why some examples of the help are not run here.
var examplesElsewhere = []struct{ pattern, reason string }{
	{`https://|postgres://`, "needs another machine"},
}

// TestHelpExamples runs the examples of the program's help, which stand in docs/cli as
// indented lines without placeholders, page by page in one shell. An example may end
// with 5, which says that two sides differ.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "cli", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	setup, err := os.ReadFile(filepath.Join("testdata", "documents", "cli.sh"))
	if err != nil {
		t.Fatal(err)
	}
	left, blocks := 0, []shellBlock{{line: 1, text: string(setup)}}
	for _, page := range pages {
		path := "docs/cli/" + filepath.Base(page)
		for i, line := range linesOf(t, path) {
			m := exampleLine.FindStringSubmatch(line)
			if m == nil || placeholder.MatchString(quotedText.ReplaceAllString(m[1], "")) {
				continue
			}
			if reason := notHere(m[1]); reason != "" {
				left++
				t.Logf("%s:%d is not run: %s", path, i+1, reason)
				continue
			}
			blocks = append(blocks, shellBlock{line: i + 1, text: fmt.Sprintf("at=%s:%d\n%s || [ $? = 5 ]\n", path, i+1, m[1])})
		}
	}
	if len(blocks) < 40 || left > mostElsewhere {
		t.Errorf("%d examples are run, %d are not", len(blocks)-1, left)
	}
	runDocument(t, "docs/cli", blocks)
}

// notHere returns why an example is not run; empty: it is.
func notHere(example string) string {
	for _, e := range examplesElsewhere {
		if regexp.MustCompile(e.pattern).MatchString(example) {
			return e.reason
		}
	}
	return ""
}
