package graphiti

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// TestWholeDocumentOnOneLine: nothing parses a document only to find out that no second request
// follows it.
func TestWholeDocumentOnOneLine(t *testing.T) {
	text := `{"episodes":[` + strings.Repeat("{},", 10_000) + "{}]}\n"
	for what, document := range map[string]string{"one line": text, "blank lines after it": text + "\n \n"} {
		src := codec.Source{Name: "batch.json", File: strings.NewReader(document), Size: int64(len(document))}
		limits := codec.Limits{}.Filled()
		if requestLines(src, limits) != nil {
			t.Fatalf("%s: taken for several requests", what)
		}
		if n := testing.AllocsPerRun(1, func() { requestLines(src, limits) }); n > 100 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	two := text + `{"episodes":[]}`
	if requestLines(codec.Source{File: strings.NewReader(two), Size: int64(len(two))}, codec.Limits{}.Filled()) == nil {
		t.Error("two requests are taken for one text")
	}
}
