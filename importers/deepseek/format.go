package deepseek

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

const formatName = "deepseek"

// Format returns the format of exports of DeepSeek.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "DeepSeek export (conversations)",
		Extensions: []string{".json"},
		Declared:   codec.Declared{Reading: reasons()},
	})
}

// Shape describes how DeepSeek writes its exports.
func Shape() conversation.Shape {
	r := &exportReader{}
	return conversation.Shape{
		Format: formatName, Platform: "DeepSeek", Provider: formatName,
		Parts: []conversation.Part{
			{Files: conversation.Below("conversations.json", "conversations-*.json"), Is: isConversations, Take: r.tally.Counting(&r.more, r.conversation)},
		},
		Aside: []string{"user.json"},
		End:   func() conversation.Item { return conversation.Item{Lost: r.tally.Lost(metadata)} },
	}
}

// isConversations looks for the tree of messages, which ChatGPT has as well, and for the
// times, which have another name there.
func isConversations(head []byte) bool {
	return bytes.Contains(head, []byte(`"mapping"`)) && bytes.Contains(head, []byte(`"inserted_at"`)) && !bytes.Contains(head, []byte(`"create_time"`))
}

// exportReader is the state of reading an export.
type exportReader struct {
	more  bool // the element has data that no record holds
	tally conversation.Tally
}

// The losses of a conversation.
const (
	thoughts  = "thoughts of the model"
	searched  = "answers for which the web was searched, without what was found"
	noText    = "parts of messages that are no text"
	attached  = "files that were handed over, of which the export says the name alone"
	elsewhere = "messages on branches that were left"
	unknown   = "messages of which nothing says who wrote them; they are read as taking turns"
)

// The loss of a whole export.
const metadata = "conversations say more of themselves than texts and numbers, or more of their messages than the text and who wrote it, when and with which model"

func reasons() []string {
	list := append(codec.ReadLosses(), conversation.Others, conversation.LostFile, conversation.LostEmpty, conversation.LostDate, conversation.LostAnyDate)
	return append(list, conversation.Counted(append(perConversation(), metadata)...)...)
}

func perConversation() []string {
	return []string{thoughts, searched, noText, attached, elsewhere, unknown}
}
