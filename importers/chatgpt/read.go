package chatgpt

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

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
	c := conversation.Conversation{
		ID: id(v), Title: v.Get("title").Text(), Source: formatName,
		Started: instant(v.Get("create_time")), Ended: instant(v.Get("update_time")),
		Rest: conversation.Raw(r.rest(v, "conversation_id", "id", "title", "create_time", "update_time", "current_node", "mapping")),
	}
	t := newTree(mapping)
	path, err := conversation.Path(t.last(v.Get("current_node").Text()), t.parent)
	if err != nil {
		return item, e.Fail(ruleCircle, "/mapping", err)
	}
	c.Turns = t.turns(path)
	r.more = r.more || t.more
	r.context(t, path, cmp.Or(c.Started, c.Ended))
	notes := t.saved(path)
	for _, n := range notes {
		r.repeated.note(n.Text)
	}
	r.repeat(t, path, cmp.Or(c.Started, c.Ended))
	lost := e.Lost("/mapping", t.lost, perConversation()...)
	if v.Get("gizmo_id").Text() != "" {
		lost = append(lost, e.Lost("/gizmo_id", map[string]int{nameless: 1}, nameless)...)
	}
	return conversation.Item{Conversation: &c, Notes: notes, Lost: lost}, nil
}

// ruleCircle says that messages do not run in a circle.
const ruleCircle = "5"

func id(v canon.Value) string {
	if id := v.Get("conversation_id").Text(); id != "" {
		return id
	}
	return v.Get("id").Text()
}

// instant reads seconds since 1970; zero if there are none.
func instant(v canon.Value) time.Time {
	seconds := v.Float()
	if v.Type() != canon.TypeNumber || seconds <= 0 || seconds > 253402300799 {
		return time.Time{}
	}
	return codec.Seconds(seconds)
}

// isStrange reports whether a date is present and unreadable.
func isStrange(v canon.Value, read func(canon.Value) time.Time) bool {
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull:
		return false
	case canon.TypeNumber:
		return v.Float() != 0 && read(v).IsZero()
	}
	return read(v).IsZero()
}
