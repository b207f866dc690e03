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
		return strings.HasSuffix(name, "_at") && instant(v.Get(name)).IsZero()
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
	more  bool // a message has more data than a turn
}

func newTree(mapping canon.Value) *tree {
	t := &tree{nodes: make(map[string]canon.Value, mapping.Len()), lost: map[string]int{}}
	for _, m := range mapping.Members() {
		if m.Value.Type() == canon.TypeObject {
			t.nodes[m.Name], t.order = m.Value, append(t.order, m.Name)
		}
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
		switch f.Get("type").Text() {
		case "THINK":
			t.lost[thoughts]++
			continue
		case "SEARCH":
			t.lost[searched]++
			continue
		case "REQUEST":
			turn.Author = conversation.User
		}
		if !f.Has("content") {
			t.lost[noText]++
		}
		say(f.Get("content"))
	}
	if !m.Has("fragments") {
		turn.Author = t.speaker(m, before)
		say(m.Get("content"))
		if m.Get("reasoning_content").Text() != "" {
			t.lost[thoughts]++
		}
	}
	if turn.Author == conversation.User {
		turn.Model = ""
	}
	_, more := conversation.Rest(m, "files", "search_results", "fragments")
	t.more = t.more || more
	turn.Text = strings.Join(said, "\n\n")
	return turn, len(said) > 0
}

// speaker returns who wrote a message without fragments: who is named, or who did not write
// the message before.
func (t *tree) speaker(m canon.Value, before conversation.Author) conversation.Author {
	switch strings.ToLower(m.Get("role").Text()) {
	case "user":
		return conversation.User
	case "assistant":
		return conversation.Assistant
	}
	t.lost[unknown]++
	if before == conversation.Assistant && m.Get("reasoning_content").Text() == "" {
		return conversation.User
	}
	return conversation.Assistant
}
