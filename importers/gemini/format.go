package gemini

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
	"github.com/satchel-memory/satchel/text/pattern"
)

// formatName is the name of the format.
const formatName = "gemini"

// Format returns the format of the activities of Gemini in Google Takeout.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "Gemini activities (Google Takeout, JSON)",
		Extensions: []string{".json"},
		Declared:   codec.Declared{Reading: reasons()},
	})
}

// paths lists the places of activities in an unpacked Takeout, or in a folder of it. The
// names of files and folders are in the language of the account; those of products are not.
func paths(ending string) []string {
	product := "*[GgBb][ea][mr][id]*/*" + ending // Gemini, or Bard, its former name
	return []string{"MyActivity" + ending, "My Activity" + ending, "*/MyActivity" + ending, product, "*/" + product, "Takeout/*/" + product}
}

// Shape describes how Google Takeout writes Gemini's activities.
func Shape() conversation.Shape {
	r := &exportReader{seen: map[string]int{}}
	return conversation.Shape{
		Format: formatName, Platform: "Gemini", Provider: formatName,
		Parts:  []conversation.Part{{Files: paths(".json"), Is: isActivity, Take: r.tally.Counting(&r.some, r.conversation)}},
		Refuse: refuse,
		Group:  r.group,
		End:    r.end,
	}
}

// product finds the name of the product in an activity.
var product = pattern.New(`"(?:header|products)"\s*:\s*\[?\s*"[^"]*(?i:gemini|\bbard\b)`)

func isActivity(head []byte) bool {
	return product.Regexp().Match(head) && bytes.Contains(head, []byte(`"time"`))
}

var errHTML = errors.New("these are activities as HTML, from which conversations cannot be told reliably; choose JSON for My Activity in Google Takeout (Multiple formats), and export again")

// refuse says what to do with activities as HTML, the default of Takeout.
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
	return &codec.ParseError{Format: formatName, File: name, Rule: "GEMINI-" + conversation.RuleShape, Err: errHTML}
}

// isHTML reports whether a file is a page of activities of Gemini.
func isHTML(head []byte) bool {
	if !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		return false
	}
	text := strings.ToLower(string(head))
	return strings.Contains(text, "<html") && strings.Contains(text, "mdl-") && (strings.Contains(text, "gemini apps") || strings.Contains(text, "gemini.google.com"))
}

// firstHTML returns the beginning of a page in a folder without JSON in its place.
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

// The losses of an activity.
const (
	attached = "files that were handed over, of which the export says the name alone"
	lines    = "lines below an activity, such as which Gem was used"
	silent   = "activities in which nothing was said"
	noText   = "requests or answers in which there is no text"
)

// The loss of a whole export.
const metadata = "conversations and activities of which it is not kept to which products and controls they belong"

func reasons() []string {
	return append(append(conversation.ReadLosses(), conversation.Others, conversation.LostDate), conversation.Counted(append(perConversation(), metadata, conversation.LostElements)...)...)
}

func perConversation() []string { return []string{attached, lines, silent, noText} }
