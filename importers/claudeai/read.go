package claudeai

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// ruleCircle says that messages do not run in a circle.
const ruleCircle = "5"

var errMessages = errors.New("expected the messages of a conversation")

// conversation reads one conversation.
func (r *exportReader) conversation(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	messages, err := list(e, v, "chat_messages")
	if err != nil {
		return item, err
	}
	c := conversation.Conversation{
		ID: v.Get("uuid").Text(), Title: v.Get("name").Text(), Source: Name,
		Started: instant(v.Get("created_at")), Ended: instant(v.Get("updated_at")),
		Rest: conversation.Raw(r.rest(v, "uuid", "name", "created_at", "updated_at", "chat_messages", "current_leaf_message_uuid")),
	}
	t := thread{messages: map[string]canon.Value{}, model: v.Get("model").Text(), lost: map[string]int{}, bare: map[string]bool{}}
	t.take(messages)
	if c.Turns, err = t.shown(v.Get("current_leaf_message_uuid").Text()); err != nil {
		return item, e.Fail(ruleCircle, "/chat_messages", err)
	}
	return t.item(e, &c, "chat_messages", undatable(v, messages)), nil
}

// item returns the item of a conversation, with what was left out of its messages.
func (t *thread) item(e *conversation.Export, c *conversation.Conversation, member string, undatable bool) conversation.Item {
	pointer := canon.Pointer(member)
	item := conversation.Item{Conversation: c, Lost: e.Lost(pointer, t.lost, perConversation()...), Undatable: undatable}
	for _, f := range t.faulty {
		m := t.messages[f.id]
		item.Faults = append(item.Faults, e.Fault(codec.PartName("a message", m), pointer+"/"+strconv.Itoa(t.places[f.id]), f.err))
	}
	return item
}

// undatable reports whether a conversation has dates that cannot be read.
func undatable(v canon.Value, messages []canon.Value) bool {
	for _, of := range append([]canon.Value{v}, messages...) {
		for _, name := range [...]string{"created_at", "updated_at"} {
			at := of.Get(name)
			if said := at.Type() != canon.TypeUndefined && at.Type() != canon.TypeNull && (at.Type() != canon.TypeString || at.Text() != ""); said && instant(at).IsZero() {
				return true
			}
		}
	}
	return false
}

// list returns the messages of a conversation.
func list(e *conversation.Export, v canon.Value, member string) ([]canon.Value, error) {
	messages := v.Get(member)
	if messages.Type() != canon.TypeArray {
		return nil, e.Fail(conversation.RuleShape, "/"+member, errMessages)
	}
	if most := e.Limits().Items; messages.Len() > most {
		return nil, e.Fail(conversation.RuleLimit, "/"+member, fmt.Errorf("more than %d messages in one conversation; raise the limit", most))
	}
	return messages.Items(), nil
}

// design reads one conversation over a design, whose messages have another layout.
func (r *exportReader) design(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	messages, err := list(e, v, "messages")
	if err != nil {
		return item, err
	}
	c := conversation.Conversation{
		ID: v.Get("uuid").Text(), Title: v.Get("title").Text(), Source: Name,
		Started: instant(v.Get("created_at")), Ended: instant(v.Get("updated_at")),
		Rest: conversation.Raw(r.rest(v, "uuid", "title", "created_at", "updated_at", "messages")),
	}
	t := thread{messages: map[string]canon.Value{}, lost: map[string]int{}, bare: map[string]bool{}}
	for _, m := range messages {
		t.add(asMessage(m))
	}
	c.Turns = t.turns(t.order)
	return t.item(e, &c, "messages", undatable(v, messages)), nil
}

// asMessage gives a message of a conversation over a design the members of any other
// message.
func asMessage(m canon.Value) canon.Value {
	if m.Type() != canon.TypeObject {
		return m
	}
	content := m.Get("content")
	var blocks, files []canon.Value
	for _, b := range content.Get("contentBlocks").Items() {
		if call := b.Get("toolCall"); call.Type() == canon.TypeObject {
			b = b.With("type", canon.String("tool_use")).With("name", call.Get("name")).With("input", call.Get("input"))
		}
		if said := b.Get("message"); b.Get("type").Text() == interjection {
			b = b.With("text", canon.String(cmp.Or(said.Text(), said.Get("content").Text())))
		}
		blocks = append(blocks, b)
	}
	for _, f := range content.Get("attachments").Items() {
		files = append(files, canon.Object(canon.Member{Name: "file_name", Value: f.Get("name")}, canon.Member{Name: "extracted_content", Value: f.Get("content")}))
	}
	sender := "human"
	if m.Get("role").Text() == "assistant" {
		sender = "assistant"
	}
	at := m.Get("created_at")
	if at.Text() == "" {
		at = content.Get("timestamp")
	}
	text := content.Get("content")
	if content.Type() != canon.TypeObject {
		text = content
	}
	return canon.Object(
		canon.Member{Name: "uuid", Value: m.Get("uuid")}, canon.Member{Name: "sender", Value: canon.String(sender)}, canon.Member{Name: "created_at", Value: at},
		canon.Member{Name: "text", Value: text}, canon.Member{Name: "content", Value: canon.Array(blocks...)},
		canon.Member{Name: "attachments", Value: canon.Array(files...)},
	)
}

// instant reads a date; zero if there is none.
func instant(v canon.Value) time.Time {
	at, ok := codec.Instant(v.Text())
	if !ok {
		return time.Time{}
	}
	return at.UTC()
}
