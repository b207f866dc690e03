package deepseek

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// ruleCircle says that messages do not run in a circle.
const ruleCircle = "5"

var errMapping = errors.New("expected the messages of a conversation")

// conversation reads one conversation.
func (r *exportReader) conversation(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	mapping := v.Get("mapping")
	if mapping.Type() != canon.TypeObject {
		return item, e.Fail(conversation.RuleShape, "/mapping", errMapping)
	}
	if most := e.Limits().Items; mapping.Len() > most {
		return item, e.Fail(conversation.RuleLimit, "/mapping", fmt.Errorf("more than %d messages in one conversation; raise the limit", most))
	}
	without := []string{"id", "title", "inserted_at", "updated_at", "mapping"}
	rest, more := conversation.Rest(v, slices.DeleteFunc(without, func(name string) bool {
		isName := name == "id" || name == "title"
		return strings.HasSuffix(name, "_at") && instant(v.Get(name)).IsZero() || isName && v.Get(name).Type() != canon.TypeString
	})...)
	c := conversation.Conversation{
		ID: v.Get("id").Text(), Title: v.Get("title").Text(), Source: formatName,
		Started: instant(v.Get("inserted_at")), Ended: instant(v.Get("updated_at")), Rest: conversation.Raw(rest),
	}
	t := newTree(mapping)
	path, err := conversation.Path(t.last(), t.parent)
	if err != nil {
		return item, e.Fail(ruleCircle, "/mapping", err)
	}
	c.Turns = t.turns(path)
	r.more = more || t.more
	return conversation.Item{Conversation: &c, Lost: e.Lost("/mapping", t.lost, perConversation()...)}, nil
}

// instant reads a time; zero: there is none.
func instant(v canon.Value) time.Time {
	at, _ := codec.Instant(v.Text())
	return at
}

// tree is the messages of a conversation.
type tree struct {
	nodes map[string]canon.Value
	order []string // ids, in their order in the file
	lost  map[string]int
	more  bool // a message or its place in the mapping has more data than a turn
}

func newTree(mapping canon.Value) *tree {
	t := &tree{nodes: make(map[string]canon.Value, mapping.Len()), lost: map[string]int{}}
	for _, m := range mapping.Members() {
		if m.Value.Type() != canon.TypeObject {
			t.rest(canon.Object(m))
			continue
		}
		t.nodes[m.Name], t.order = m.Value, append(t.order, m.Name)
		read := []string{"parent", "children"}
		if m.Value.Get("id").Text() == m.Name {
			read = append(read, "id")
		}
		if m.Value.Get("message").Type() == canon.TypeObject {
			read = append(read, "message")
		}
		t.rest(m.Value, read...)
	}
	return t
}

// parent returns the parent of a node that is there; empty: there is none.
func (t *tree) parent(id string) string {
	parent := t.nodes[id].Get("parent").Text()
	if _, ok := t.nodes[parent]; ok {
		return parent
	}
	return ""
}

// last returns the latest message without an answer, and among equals the last in the file.
func (t *tree) last() (last string) {
	answered, when := map[string]bool{}, time.Time{}
	for _, id := range t.order {
		answered[t.parent(id)] = true
	}
	for _, id := range t.order {
		at := instant(t.nodes[id].Get("message").Get("inserted_at"))
		if !answered[id] && !at.Before(when) {
			last, when = id, at
		}
	}
	return last
}

// turns makes turns of the messages on the path, and counts the other messages.
func (t *tree) turns(path []string) (turns []conversation.Turn) {
	on, parent, before := map[string]bool{}, "", conversation.Assistant
	for _, id := range path {
		on[id] = true
		m := t.nodes[id].Get("message")
		if m.Type() != canon.TypeObject {
			continue
		}
		turn, ok := t.turn(id, m, before)
		if before = turn.Author; !ok {
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

// turn makes a turn of a message; false: the message has no words. before is the author of
// the message before.
func (t *tree) turn(id string, m canon.Value, before conversation.Author) (conversation.Turn, bool) {
	turn := conversation.Turn{ID: id, Model: m.Get("model").Text(), At: instant(m.Get("inserted_at")), Author: conversation.Assistant}
	t.lost[attached] += m.Get("files").Len()
	if m.Get("search_results").Len() > 0 {
		t.lost[searched]++
	}
	var said []string
	say := func(text canon.Value) {
		switch {
		case text.Type() == canon.TypeString && strings.TrimSpace(text.Text()) != "":
			said = append(said, text.Text())
		case text.Type() == canon.TypeString && text.Text() != "", text.Type() != canon.TypeString && text.Type() != canon.TypeUndefined && text.Type() != canon.TypeNull:
			t.lost[noText]++
		}
	}
	for _, f := range m.Get("fragments").Items() {
		kept := []string{"type", "content"}
		switch f.Get("type").Text() {
		case "THINK":
			t.lost[thoughts]++
			continue
		case "SEARCH":
			t.lost[searched]++
			continue
		case "REQUEST":
			turn.Author = conversation.User
		case "RESPONSE":
		default:
			kept = kept[1:]
		}
		if !f.Has("content") {
			t.lost[noText]++
		}
		say(f.Get("content"))
		t.rest(f, kept...)
	}
	if isOlder(m) {
		turn.Author = t.speaker(m, before)
		say(m.Get("content"))
		if m.Get("reasoning_content").Text() != "" {
			t.lost[thoughts]++
		}
	}
	t.rest(m, membersRead(m)...)
	turn.Text = strings.Join(said, "\n\n")
	return turn, len(said) > 0
}

// speaker returns who wrote a message without fragments: who is named, or who did not write
// the message before.
func (t *tree) speaker(m canon.Value, before conversation.Author) conversation.Author {
	if author, ok := named(m); ok {
		return author
	}
	t.lost[unknown]++
	if before == conversation.Assistant && m.Get("reasoning_content").Text() == "" {
		return conversation.User
	}
	return conversation.Assistant
}

// named returns who a message without fragments says wrote it; false: it does not say so.
func named(m canon.Value) (conversation.Author, bool) {
	switch strings.ToLower(m.Get("role").Text()) {
	case "user":
		return conversation.User, true
	case "assistant":
		return conversation.Assistant, true
	}
	return "", false
}

// rest notes whether an object has data beside the members that are read.
func (t *tree) rest(v canon.Value, read ...string) {
	rest, more := conversation.Rest(v, read...)
	t.more = t.more || more || rest.Len() > 0
}

// membersRead lists the members of a message that are read, or have a loss of their own.
func membersRead(m canon.Value) (names []string) {
	older := isOlder(m)
	_, speaks := named(m)
	for name, read := range map[string]bool{
		"model":             m.Get("model").Type() == canon.TypeString,
		"inserted_at":       !instant(m.Get("inserted_at")).IsZero(),
		"files":             m.Get("files").Len() > 0,
		"search_results":    m.Get("search_results").Len() > 0,
		"fragments":         !older,
		"content":           older,
		"reasoning_content": older && m.Get("reasoning_content").Text() != "",
		"role":              older && speaks,
	} {
		if read {
			names = append(names, name)
		}
	}
	return names
}

// isOlder reports whether a message has no fragments, but a content.
func isOlder(m canon.Value) bool { return m.Get("fragments").Type() != canon.TypeArray }
