package gemini

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
	"github.com/satchel-memory/satchel/text/pattern"
)

// formatName is the name of the format.
const formatName = "gemini"

// Format returns the format of the activities of Gemini in Google Takeout.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "Gemini activities (Google Takeout, JSON or HTML)",
		Extensions: []string{".json", ".html"},
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
		Parts: []conversation.Part{
			{Files: paths(".json"), Is: isActivity, Take: r.tally.Counting(&r.some, r.conversation)},
			{Files: paths(".html"), Decode: page, Is: isActivity, Take: r.tally.Counting(&r.some, r.conversation)},
		},
		Group: r.group,
		End:   r.end,
	}
}

// product finds the name of the product in an activity.
var product = pattern.New(`"(?:header|products)"\s*:\s*\[?\s*"[^"]*(?i:gemini|\bbard\b)`)

func isActivity(head []byte) bool {
	return product.Regexp().Match(head) && bytes.Contains(head, []byte(`"time"`))
}

// The losses of an activity.
const (
	attached = "files that were handed over, of which the export says the name alone"
	lines    = "lines below an activity, such as which Gem was used"
	silent   = "activities in which nothing was said"
	untitled = "activities without an answer, of which it is not known whether their titles are prompts: the language is not known here"
	unzoned  = "times in a time zone that is not known here, which are read as UTC"
	noText   = "requests or answers in which there is no text"
)

// The loss of a whole export.
const metadata = "conversations and activities of which it is not kept to which products and controls they belong"

func reasons() []string {
	return append(append(codec.ReadLosses(), conversation.Others, conversation.LostDate, conversation.LostAnyDate, conversation.LostBadDate), conversation.Counted(append(perConversation(), metadata, conversation.LostElements)...)...)
}

func perConversation() []string { return []string{attached, lines, silent, untitled, unzoned, noText} }
