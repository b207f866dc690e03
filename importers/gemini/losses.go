package gemini

import "github.com/satchel-memory/satchel/text/conversation"

// What may be lost of an activity.
const (
	attached = "files that were handed over, of which the export says the name alone"
	lines    = "lines below an activity, such as which Gem was used"
	silent   = "activities in which nothing was said"
	noText   = "requests or answers in which there is no text"
)

// What may be lost of a whole export.
const metadata = "conversations and activities of which it is not kept to which products and controls they belong"

func reasons() []string {
	return append(append(conversation.Unread(), conversation.Others), conversation.Counted(append(perConversation(), metadata, conversation.LostElements)...)...)
}

func perConversation() []string { return []string{attached, lines, silent, noText} }
