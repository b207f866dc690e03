package gemini

import "github.com/satchel-memory/satchel/memory/conversation"

// What may be lost of an activity.
const (
	attached = "files that were handed over, of which the export says the name alone"
	lines    = "lines below an activity, such as which Gem was used"
	silent   = "activities in which nothing was said"
	noText   = "requests or answers in which there is no text"
)

// What may be lost of a whole export.
const metadata = "which products and controls an activity belongs to"

func reasons() []string {
	return append(append(conversation.Unread(), metadata), conversation.Counted(append(perConversation(), conversation.LostOthers, conversation.LostElements)...)...)
}

func perConversation() []string { return []string{attached, lines, silent, noText} }
