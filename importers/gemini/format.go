package gemini

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Name is what the format is called.
const Name = "gemini"

// Format returns the format of the activities of Gemini in Google Takeout.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "Gemini activities (Google Takeout, JSON)",
		Extensions: []string{".json"},
		Declared:   codec.Declared{Reading: reasons()},
	})
}

// paths are where the activities lie in an unpacked Takeout, or a folder of it. The names
// of files and of folders are in the language of the account, those of products are not.
func paths(ending string) []string {
	product := "*[GgBb][ea][mr][id]*/*" + ending // Gemini, or Bard as it was called before
	return []string{"MyActivity" + ending, "My Activity" + ending, "*/MyActivity" + ending, product, "*/" + product, "Takeout/*/" + product}
}

// Shape returns how Gemini in Google Takeout writes its exports.
func Shape() conversation.Shape {
	r := &reading{seen: map[string]int{}}
	return conversation.Shape{
		Format: Name, Platform: "Gemini", Provider: Name,
		Parts:  []conversation.Part{{Files: paths(".json"), Is: isActivity, Take: r.tally.Counting(&r.some, r.conversation)}},
		Refuse: refuse,
		Group:  r.group,
		End:    r.end,
	}
}

// product finds the name of the product in an activity.
var product = regexp.MustCompile(`"(?:header|products)"\s*:\s*\[?\s*"[^"]*(?i:gemini|\bbard\b)`)

func isActivity(head []byte) bool {
	return product.Match(head) && bytes.Contains(head, []byte(`"time"`))
}

var errHTML = errors.New("these are activities as HTML, from which conversations cannot be told reliably; choose JSON for My Activity in Google Takeout (Multiple formats), and export again")

// refuse says what to do with activities as HTML, which is what Takeout makes unless it
// is told otherwise.
func refuse(src codec.Source) *codec.ParseError {
	name, head := "", []byte(nil)
	if src.File != nil {
		head, _ = src.Head()
	} else if src.Tree != nil {
		name, head = firstHTML(src.Tree)
	}
	if !isHTML(head) {
		return nil
	}
	return &codec.ParseError{Format: Name, File: name, Rule: "GEMINI-" + conversation.RuleShape, Err: errHTML}
}

// isHTML reports whether a file is a page of activities of Gemini.
func isHTML(head []byte) bool {
	if !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		return false
	}
	text := strings.ToLower(string(head))
	return strings.Contains(text, "<html") && strings.Contains(text, "mdl-") && (strings.Contains(text, "gemini apps") || strings.Contains(text, "gemini.google.com"))
}

// firstHTML returns the beginning of a page of a folder that has no JSON in its place.
func firstHTML(tree fs.FS) (name string, head []byte) {
	for _, pattern := range paths(".html") {
		names, err := fs.Glob(tree, pattern)
		if err != nil {
			continue
		}
		for _, name := range names {
			if _, err := fs.Stat(tree, strings.TrimSuffix(name, ".html")+".json"); err == nil {
				continue
			}
			in, err := tree.Open(name)
			if err != nil {
				continue
			}
			head, err := io.ReadAll(io.LimitReader(in, codec.HeadSize))
			if in.Close() == nil && err == nil && isHTML(head) {
				return name, head
			}
		}
	}
	return "", nil
}
