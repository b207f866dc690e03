package chatgpt

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/conversation"
)

// tree is the messages of a conversation.
type tree struct {
	nodes map[string]canon.Value
	order []string          // ids, in their order in the file
	above map[string]string // the ids of parents, by the ids of their missing children
	lost  map[string]int
	more  bool // a message has more data than a turn
}

func newTree(mapping canon.Value) *tree {
	t := &tree{nodes: make(map[string]canon.Value, mapping.Len()), above: map[string]string{}, lost: map[string]int{}}
	for _, m := range mapping.Members() {
		if m.Value.Type() == canon.TypeObject { // a node that is null is missing
			t.nodes[m.Name] = m.Value
			t.order = append(t.order, m.Name)
		}
	}
	for _, id := range t.order {
		for _, child := range t.nodes[id].Get("children").Items() {
			if name := child.Text(); name != "" && !t.has(name) {
				t.above[name] = id
			}
		}
	}
	t.bridge()
	return t
}

// has reports whether the export holds a node.
func (t *tree) has(id string) bool {
	_, ok := t.nodes[id]
	return ok
}

// last returns the last node of the conversation: the named one, or else the latest without
// an answer, and among equals the last in the file.
func (t *tree) last(said string) string {
	if t.has(said) {
		return said
	}
	answered := map[string]bool{}
	for _, id := range t.order {
		answered[t.parent(id)] = true
	}
	last, when := "", time.Time{}
	for _, id := range t.order {
		at := instant(t.nodes[id].Get("message").Get("create_time"))
		if !answered[id] && !t.hasChild(id) && !at.Before(when) {
			last, when = id, at
		}
	}
	return last
}

// hasChild reports whether one of a node's children is there.
func (t *tree) hasChild(id string) bool {
	return slices.ContainsFunc(t.nodes[id].Get("children").Items(), func(child canon.Value) bool { return t.has(child.Text()) })
}

// parent returns the parent of a node, and for a missing parent the node above that;
// empty: there is none.
func (t *tree) parent(id string) string {
	parent := t.nodes[id].Get("parent").Text()
	if t.has(parent) {
		return parent
	}
	return t.above[parent]
}

// isCut reports whether the parent of a node is missing.
func (t *tree) isCut(id string) bool {
	parent := t.nodes[id].Get("parent").Text()
	return parent != "" && !t.has(parent)
}

// turns makes turns of the messages on the path, and counts the other messages.
func (t *tree) turns(path []string) []conversation.Turn {
	var turns []conversation.Turn
	on, parent := make(map[string]bool, len(path)), ""
	for _, id := range path {
		on[id] = true
		if t.isCut(id) && t.parent(id) != "" {
			t.lost[gaps]++
		}
		turn, ok := t.turn(id)
		if !ok {
			continue
		}
		turn.Parent, parent = parent, turn.ID
		turns = append(turns, turn)
	}
	for _, id := range t.order {
		if !on[id] && t.nodes[id].Get("message").Type() == canon.TypeObject {
			t.lost[elsewhere]++
		}
	}
	return turns
}

// turn makes a turn of a message; false: the message has no words.
func (t *tree) turn(id string) (conversation.Turn, bool) {
	m := t.nodes[id].Get("message")
	if m.Type() != canon.TypeObject || isContext(m) || isSaved(m) {
		return conversation.Turn{}, false
	}
	meta := m.Get("metadata")
	text := t.text(m)
	t.lost[attached] += meta.Get("attachments").Len()
	switch {
	case strings.TrimSpace(text) == "":
		return conversation.Turn{}, false
	case meta.Get("is_visually_hidden_from_conversation").True():
		t.lost[hidden]++
		return conversation.Turn{}, false
	}
	t.more = t.more || meta.Len() > 1 || isStrange(m.Get("create_time"), instant)
	turn := conversation.Turn{
		ID: id, Author: author(m), Model: meta.Get("model_slug").Text(), At: instant(m.Get("create_time")), Text: text,
	}
	if turn.Author == conversation.Tool {
		turn.Name = tool(m)
	}
	return turn, true
}

// author returns the author of a message. The model's messages to a tool are not answers.
func author(m canon.Value) conversation.Author {
	switch m.Get("author").Get("role").Text() {
	case "user":
		return conversation.User
	case "assistant":
		if !toTool(m) {
			return conversation.Assistant
		}
		return conversation.Tool
	case "tool":
		return conversation.Tool
	}
	return conversation.System
}

func toTool(m canon.Value) bool {
	to := m.Get("recipient").Text()
	return to != "" && to != "all"
}

// tool names the tool that sent or receives a message.
func tool(m canon.Value) string {
	if m.Get("author").Get("role").Text() == "assistant" {
		return m.Get("recipient").Text()
	}
	return m.Get("author").Get("name").Text()
}
