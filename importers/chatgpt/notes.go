package chatgpt

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// memory reads one saved memory of a list. A memory that is switched off has ended.
func (r *exportReader) memory(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	if v.Get("content").Type() != canon.TypeString {
		return item, e.Fail(conversation.RuleShape, "/content", errors.New("expected the text of a memory"))
	}
	n := conversation.Note{
		Kind: memory.Semantic, Text: v.Get("content").Text(), Ref: []string{"memories", v.Get("id").Text()},
		Made: stamp(v.Get("created_at")), Changed: stamp(v.Get("updated_at")),
		Rest: r.rest(v, "content", "created_at", "updated_at", "enabled"),
	}
	r.repeated.note(n.Text)
	if on := v.Get("enabled"); on.Type() == canon.TypeBool && !on.True() {
		n.Ended = cmp.Or(n.Changed, n.Made, e.Modified()).UTC()
		n.Rest = n.Rest.With("enabled", on)
	}
	item.Notes = append(item.Notes, n)
	return item, nil
}

// stamp reads a date as text, or as a number of seconds.
func stamp(v canon.Value) time.Time {
	if at, ok := codec.Instant(v.Text()); ok {
		return at.UTC()
	}
	return instant(v)
}

// saved returns the memories that the model saved on the path: its messages to the tool
// bio.
func (t *tree) saved(path []string) (notes []conversation.Note) {
	for _, id := range path {
		m := t.nodes[id].Get("message")
		if m.Get("recipient").Text() != "bio" || m.Get("author").Get("role").Text() != "assistant" {
			continue
		}
		text := strings.TrimSpace(wordsOf(m))
		if first, _, _ := strings.Cut(strings.ToLower(text), " "); first == "forget" {
			t.lost[forgets]++
			continue
		}
		if text == "" {
			continue
		}
		notes = append(notes, conversation.Note{Kind: memory.Semantic, Text: text, Ref: []string{"memories", id}, Pointer: "/mapping", Made: instant(m.Get("create_time"))})
	}
	return notes
}

// wordsOf returns the text of a message that consists of text.
func wordsOf(m canon.Value) string {
	var parts []string
	for _, part := range m.Get("content").Get("parts").Items() {
		parts = append(parts, part.Text())
	}
	return cmp.Or(strings.Join(parts, "\n"), m.Get("content").Get("text").Text())
}

// latest is the latest form of a text that every conversation repeats.
type latest struct {
	text    string
	since   time.Time       // date of the first conversation that has it
	at      time.Time       // date of the last
	earlier map[string]bool // other texts
}

// take adds the text of a conversation.
func (l *latest) take(text string, at time.Time) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return
	case text == l.text:
		if l.since.IsZero() || !at.IsZero() && at.Before(l.since) {
			l.since = at
		}
		if at.After(l.at) {
			l.at = at
		}
		return
	case l.text != "" && !at.After(l.at):
		l.note(text)
		return
	case l.text != "":
		l.note(l.text)
	}
	l.text, l.since, l.at = text, at, at
	delete(l.earlier, text)
}

// note adds an earlier text.
func (l *latest) note(text string) {
	if l.earlier == nil {
		l.earlier = map[string]bool{}
	}
	if len(l.earlier) < mostEarlier {
		l.earlier[text] = true
	}
}

// mostEarlier bounds the number of earlier texts.
const mostEarlier = 1000

// isContext reports whether a message holds the custom instructions: facts about the user,
// and how to answer.
func isContext(m canon.Value) bool {
	return m.Get("content").Get("content_type").Text() == "user_editable_context" || m.Get("metadata").Get("user_context_message_data").Len() > 0
}

// context reads the custom instructions of a conversation.
func (r *exportReader) context(t *tree, path []string, at time.Time) {
	for _, id := range path {
		m := t.nodes[id].Get("message")
		if !isContext(m) {
			continue
		}
		data, content := m.Get("metadata").Get("user_context_message_data"), m.Get("content")
		r.profile.take(cmp.Or(data.Get("about_user_message").Text(), inside(content.Get("user_profile").Text())), at)
		r.instructions.take(cmp.Or(data.Get("about_model_message").Text(), inside(content.Get("user_instructions").Text())), at)
	}
}

// inside returns the content of a text's fence, or the text if it has none.
func inside(text string) string {
	_, rest, ok := strings.Cut(text, "```")
	if in, after, closed := strings.Cut(rest, "```"); ok && closed && strings.TrimSpace(after) == "" {
		return in
	}
	return text
}

// end returns the custom instructions, as the latest conversation has them, and the saved
// memories that only messages repeat.
func (r *exportReader) end() (item conversation.Item) {
	for _, n := range []conversation.Note{
		{Kind: memory.Identity, Text: r.profile.text, Ref: []string{"custom-instructions", "profile"}, Made: r.profile.since},
		{Kind: memory.Procedural, Text: r.instructions.text, Ref: []string{"custom-instructions", "answers"}, Made: r.instructions.since},
	} {
		if n.Text != "" {
			item.Notes = append(item.Notes, n)
		}
	}
	item.Notes = append(item.Notes, r.repeated.left()...)
	if n := len(r.profile.earlier) + len(r.instructions.earlier); n > 0 {
		item.Lost = append(item.Lost, codec.Loss{Reason: fmt.Sprintf("%d %s", n, earlier)})
	}
	item.Lost = append(item.Lost, r.tally.Lost(metadata)...)
	return item
}
