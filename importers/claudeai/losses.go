package claudeai

import "github.com/satchel-memory/satchel/text/conversation"

// What may be lost of a conversation.
const (
	attached  = "attachments and files of which there is no text"
	thoughts  = "thoughts of the model"
	blocks    = "blocks of messages that are no text"
	elsewhere = "messages on branches that were left"
)

// What may be lost of a whole export.
const metadata = "conversations, projects and memories say more of themselves, or of their messages and documents, than texts, numbers and who said it"

func reasons() []string {
	list := append(conversation.Unread(), conversation.Others, conversation.LostFile, conversation.LostEmpty, conversation.LostBlank)
	return append(list, conversation.Counted(append(perConversation(), metadata)...)...)
}

func perConversation() []string { return []string{attached, thoughts, blocks, elsewhere} }
