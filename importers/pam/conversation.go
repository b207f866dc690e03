package pam

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// ruleThread says that the messages of a conversation have a date and do not run in a
// circle.
const ruleThread = "9"

// The losses of a conversation; a number precedes each.
const (
	branches = "messages on branches that were left"
	parts    = "attachments, citations, calls of tools and parts that are no text"
	thoughts = "thoughts of the model"
)

// shape describes how conversations are written: one in a file.
func shape() conversation.Shape {
	return conversation.Shape{
		Format: formatName, Platform: "an assistant", Provider: formatName,
		Parts: []conversation.Part{{Files: []string{"*.json"}, Sure: true, Is: isConversation, Take: take}},
	}
}

func isConversation(head []byte) bool {
	return bytes.Contains(head, []byte(`"`+schemaConversation+`"`))
}

// take reads one conversation.
func take(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	messages := v.Get("messages")
	most := e.Limits().Items
	switch {
	case v.Get("schema").Text() != schemaConversation || !strings.HasPrefix(v.Get("schema_version").Text(), major):
		return item, e.Fail(conversation.RuleShape, "/schema", fmt.Errorf("not %q of edition 1.x", schemaConversation))
	case messages.Type() != canon.TypeArray:
		return item, e.Fail(conversation.RuleShape, "/messages", errors.New("missing; a list is wanted"))
	case messages.Len() > most:
		return item, e.Fail(conversation.RuleLimit, "/messages", fmt.Errorf("more than %d messages in one conversation; raise the limit", most))
	}
	rest, more := conversation.Rest(v, "schema", "schema_version", "id", "title", "messages")
	when := v.Get("temporal")
	started, _ := memory.ParseInstant(when.Get("created_at").Text())
	ended, _ := memory.ParseInstant(when.Get("updated_at").Text())
	c := conversation.Conversation{
		ID: v.Get("id").Text(), Title: v.Get("title").Text(), Source: v.Get("provider").Get("name").Text(),
		Started: started.UTC(), Ended: ended.UTC(), Rest: conversation.Raw(rest),
	}
	t := thread{byID: map[string]canon.Value{}, lost: map[string]int{}}
	if at, err := t.read(messages.Items()); err != nil {
		return item, e.Fail(ruleThread, fmt.Sprintf("/messages/%d", at), err)
	}
	c.Turns = t.turns
	item = conversation.Item{Conversation: &c, Lost: e.Lost("/messages", t.lost, branches, parts, thoughts)}
	if more {
		item.Lost = append(item.Lost, codec.Loss{Pointer: e.At(""), Reason: lossMembers})
	}
	return item, nil
}

// thread is the messages of a conversation.
type thread struct {
	byID  map[string]canon.Value
	turns []conversation.Turn
	lost  map[string]int
}

// read adds the messages of the last one's branch; at is the place of an error.
func (t *thread) read(messages []canon.Value) (at int, err error) {
	linked := false
	var order []string
	for i, m := range messages {
		id := m.Get("id").Text()
		if _, again := t.byID[id]; id == "" || again {
			return i, errors.New("no id, or that of an earlier message")
		}
		if _, ok := memory.ParseInstant(m.Get("created_at").Text()); !ok {
			return i, errors.New("created_at is no date and time such as 2026-11-20T18:31:00Z")
		}
		t.byID[id] = m
		order = append(order, id)
		linked = linked || m.Get("parent_id").Text() != ""
	}
	if linked {
		all := len(order)
		if order, err = conversation.Path(order[all-1], t.parent); err != nil {
			return all - 1, err
		}
		t.lost[branches] = all - len(order)
	}
	parent := ""
	for _, id := range order {
		if turn := t.turn(id, parent); strings.TrimSpace(turn.Text) != "" {
			t.turns, parent = append(t.turns, turn), id
		}
	}
	return 0, nil
}

func (t *thread) parent(id string) string {
	parent := t.byID[id].Get("parent_id").Text()
	if _, ok := t.byID[parent]; !ok {
		return ""
	}
	return parent
}

// turn makes a turn of a message.
func (t *thread) turn(id, parent string) conversation.Turn {
	m := t.byID[id]
	for _, list := range []string{"attachments", "citations", "tool_calls"} {
		t.lost[parts] += m.Get(list).Len()
	}
	at, _ := memory.ParseInstant(m.Get("created_at").Text())
	turn := conversation.Turn{ID: id, Parent: parent, Author: author(m), Model: m.Get("model").Text(), At: at.UTC()}
	if m.Get("is_thought").True() {
		t.lost[thoughts]++
		return turn
	}
	turn.Text = t.text(m.Get("content"))
	return turn
}

func author(m canon.Value) conversation.Author {
	switch role := conversation.Author(m.Get("role").Text()); role {
	case conversation.User, conversation.Assistant, conversation.Tool:
		return role
	}
	return conversation.System
}

// text returns the text of a message.
func (t *thread) text(content canon.Value) string {
	said := []string{content.Get("text").Text()}
	for _, part := range content.Get("parts").Items() {
		switch part.Get("type").Text() {
		case "text":
			said = append(said, part.Get("text").Text())
		case "code":
			said = append(said, "```"+part.Get("language").Text()+"\n"+part.Get("text").Text()+"\n```")
		default:
			t.lost[parts]++
		}
	}
	return strings.TrimSpace(strings.Join(said, "\n"))
}
