package chatgpt

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// The losses of a conversation.
const (
	hidden    = "messages that were never shown"
	thoughts  = "thoughts of the model"
	noText    = "parts of messages that are no text"
	attached  = "files that were handed over, of which the export says the name alone"
	markers   = "markers of citations, without what they point to"
	elsewhere = "messages on branches that were left"
	gaps      = "places where the export lacks messages; what follows them is joined to the message before"
	nameless  = "conversations held in a project or with a custom GPT, of which the export says the id alone"
	unread    = "parts of the saved memories that the model was shown, in a form that is not read"
	forgets   = "requests to forget a saved memory, which is still there where it was saved"
)

// The losses of a whole export.
const (
	metadata = "conversations and memories say more of themselves, or of their messages, than texts, numbers and who said it when with which model"
	earlier  = "earlier custom instructions than those of the latest conversation that has some"
)

func reasons() []string {
	list := append(codec.ReadLosses(), conversation.Others, conversation.LostFile, conversation.LostEmpty, conversation.LostBlank, conversation.LostDate, conversation.LostAnyDate)
	return append(list, conversation.Counted(append(perConversation(), nameless, earlier, metadata)...)...)
}

func perConversation() []string {
	return []string{hidden, thoughts, noText, attached, markers, elsewhere, gaps, unread, forgets}
}
