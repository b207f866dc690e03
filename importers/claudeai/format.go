package claudeai

import (
	"bytes"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Name is the name of the format.
const Name = "claudeai"

// Format returns the format of exports of Claude.ai.
func Format() codec.Format {
	return conversation.Format(Shape, codec.Format{
		Title:      "Claude.ai export (conversations, memories, projects)",
		Extensions: []string{".json"},
		Declared:   codec.Declared{Reading: reasons()},
	})
}

// Shape describes how Claude.ai writes its exports. The projects come before the memories,
// which refer to them by id.
func Shape() conversation.Shape {
	r := &exportReader{projects: map[string]string{}}
	return conversation.Shape{
		Format: Name, Platform: "Claude", Provider: "claude.ai",
		Parts: []conversation.Part{
			{Files: conversation.Below("conversations.json", "conversations-*.json"), Sure: true, Is: has(`"chat_messages"`), Take: r.tally.Counting(&r.more, r.conversation)},
			{Files: conversation.Below("projects.json", "projects/*.json"), Is: has(`"prompt_template"`, `"uuid"`), Take: r.tally.Counting(&r.more, r.project)},
			{Files: conversation.Below("memories.json", "memories/*.json"), Is: isMemories, Take: r.tally.Counting(&r.more, r.memories)},
			{Files: conversation.Below("design_chats.json", "design_chats/*.json"), Is: isDesign, Take: r.tally.Counting(&r.more, r.design)},
		},
		Aside: []string{"users.json", "login_history.json", "manifest-*.json", "manifest.json"},
		End:   r.end,
	}
}

// has looks for members by their names.
func has(names ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, name := range names {
			if !bytes.Contains(head, []byte(name)) {
				return false
			}
		}
		return true
	}
}

func isMemories(head []byte) bool {
	return has(`"conversations_memory"`)(head) || has(`"memory_files"`)(head)
}

func isDesign(head []byte) bool {
	return has(`"messages"`, `"uuid"`, `"role"`)(head) && (has(`"contentBlocks"`)(head) || has(`"authorAccountUuid"`)(head))
}

// exportReader is the state of reading an export.
type exportReader struct {
	projects map[string]string // names by id
	more     bool              // the element has data that no record holds
	tally    conversation.Tally
}

// rest returns the other members of an object, and its time if that is not a valid date.
func (r *exportReader) rest(v canon.Value, without ...string) canon.Value {
	without = slices.DeleteFunc(without, func(name string) bool {
		return (name == "created_at" || name == "updated_at") && instant(v.Get(name)).IsZero()
	})
	rest, more := conversation.Rest(v, without...)
	r.more = r.more || more
	return rest
}

// end reports once the data that no record holds.
func (r *exportReader) end() (item conversation.Item) {
	item.Lost = r.tally.Lost(metadata)
	return item
}

// The losses of a conversation.
const (
	attached  = "attachments and files of which there is no text"
	thoughts  = "thoughts of the model"
	blocks    = "blocks of messages that are no text"
	beside    = "blocks of which only the text is kept"
	strange   = "entries between the messages that are no message"
	misdated  = "messages of which the date cannot be read"
	elsewhere = "messages on branches that were left"
)

// The loss of a whole export.
const metadata = "conversations, projects and memories say more of themselves, or of their messages and documents, than texts, numbers and who said it"

func reasons() []string {
	list := append(codec.ReadLosses(), conversation.Others, conversation.LostFile, conversation.LostEmpty, conversation.LostBlank, conversation.LostDate, conversation.LostAnyDate, conversation.LostBadDate)
	return append(list, conversation.Counted(append(perConversation(), metadata)...)...)
}

func perConversation() []string {
	return []string{attached, thoughts, blocks, beside, strange, misdated, elsewhere}
}
