package chatgpt

import (
	"bytes"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// formatName is the name of the format.
const formatName = "chatgpt"

// Format returns the format of exports of ChatGPT.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "ChatGPT export (conversations, saved memories, custom instructions)",
		Extensions: []string{".json"},
		Declared:   codec.Declared{Reading: reasons()},
	})
}

// Shape describes how ChatGPT writes its exports.
func Shape() conversation.Shape {
	r := &exportReader{}
	return conversation.Shape{
		Format: formatName, Platform: "ChatGPT", Provider: formatName,
		Parts: []conversation.Part{
			{Files: conversation.Below("conversations.json", "conversations-*.json"), Sure: true, Is: isConversations, Take: r.tally.Counting(&r.more, r.conversation)},
			{Files: conversation.Below("memory.json", "memories.json"), Is: isMemories, Take: r.tally.Counting(&r.more, r.memory)},
		},
		Aside: []string{
			"user.json", "user_settings.json", "message_feedback.json", "shared_conversations.json", "model_comparisons.json", "tool_messages.json", "group_chats.json",
			"shopping.json", "sora.json", "chat.html", "export_manifest.json",
		},
		End: r.end,
	}
}

func isConversations(head []byte) bool {
	return bytes.Contains(head, []byte(`"mapping"`)) && bytes.Contains(head, []byte(`"title"`)) && !bytes.Contains(head, []byte(`"chat_messages"`)) && !isDeepSeek(head)
}

// isDeepSeek reports whether a file begins as an export of DeepSeek, which has other messages
// in the same tree.
func isDeepSeek(head []byte) bool {
	return bytes.Contains(head, []byte(`"inserted_at"`)) && !bytes.Contains(head, []byte(`"create_time"`))
}

// isMemories looks for the first memory, which has a member enabled.
func isMemories(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("[")) {
		return false
	}
	first, _, _ := bytes.Cut(head, []byte("}"))
	for _, member := range []string{`"content"`, `"enabled"`, `"created_at"`} {
		if !bytes.Contains(first, []byte(member)) {
			return false
		}
	}
	return true
}

// exportReader is the state of reading an export.
type exportReader struct {
	profile      latest
	instructions latest
	repeated     repeated
	more         bool // the element has data that no record holds
	tally        conversation.Tally
}

// rest returns the other members of an object, and its time if that is not a valid date.
func (r *exportReader) rest(v canon.Value, without ...string) canon.Value {
	without = slices.DeleteFunc(without, func(name string) bool {
		switch name {
		case "create_time", "update_time":
			return isStrange(v.Get(name), instant)
		case "created_at", "updated_at":
			return isStrange(v.Get(name), stamp)
		}
		return false
	})
	rest, more := conversation.Rest(v, without...)
	r.more = r.more || more
	return rest
}
