package claudeai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/conversation"
)

// thread is the messages of a conversation.
type thread struct {
	messages map[string]canon.Value
	order    []string // ids, in their order in the file
	linked   bool     // they name the message that they answer
	model    string
	lost     map[string]int
	bare     map[string]bool // those that are texts alone, and name no others
	places   map[string]int  // in the file
	faulty   []faulty
}

// faulty is a message that cannot be read.
type faulty struct {
	id  string
	err error
}

// take adds messages.
func (t *thread) take(messages []canon.Value) {
	for _, m := range messages {
		t.add(m)
	}
	for _, id := range t.order {
		t.linked = t.linked || t.parent(id) != ""
	}
}

// add adds a message, or counts what is none. A message without an id of its own gets its
// place as id.
func (t *thread) add(m canon.Value) {
	id, place := m.Get("uuid").Text(), len(t.order)+t.lost[strange]
	if _, again := t.messages[id]; id == "" || again {
		id = "message_" + strconv.Itoa(place+1)
	}
	switch {
	case m.Type() == canon.TypeString && strings.TrimSpace(m.Text()) != "":
		m = canon.Object(canon.Member{Name: "text", Value: m})
		t.bare[id] = true
	case m.Type() != canon.TypeObject:
		t.lost[strange]++
		return
	}
	if t.places == nil {
		t.places = map[string]int{}
	}
	t.messages[id], t.places[id] = m, place
	t.order = append(t.order, id)
}

func (t *thread) parent(id string) string {
	parent := t.messages[id].Get("parent_message_uuid").Text()
	if _, ok := t.messages[parent]; !ok {
		return ""
	}
	return parent
}

// root is the parent of the first message, and of every other beginning of a conversation.
const root = "00000000-0000-4000-8000-000000000000"

// shown returns the turns up to the last shown message, by default the last in the file. If
// nothing was said on the way there, it takes the last message with words.
func (t *thread) shown(last string) ([]conversation.Turn, error) {
	path, err := t.path(last)
	turns := t.turns(path)
	if said := t.lastSaid(); err == nil && len(turns) == 0 && said != "" {
		t.lost, t.faulty = map[string]int{strange: t.lost[strange]}, nil
		path, err = t.path(said)
		turns = t.turns(path)
	}
	return turns, err
}

// lastSaid returns the id of the last message with words; empty: there is none.
func (t *thread) lastSaid() string {
	for _, id := range slices.Backward(t.order) {
		alone := thread{messages: t.messages, lost: map[string]int{}}
		if len(alone.turns([]string{id})) > 0 {
			return id
		}
	}
	return ""
}

// path returns the ids of the messages up to the last one, by default the last in the file.
// A message that answers a missing one follows the message before it in the file.
func (t *thread) path(last string) ([]string, error) {
	if !t.linked {
		return t.order, nil
	}
	if _, ok := t.messages[last]; !ok {
		last = t.order[len(t.order)-1]
	}
	before := make(map[string]string, len(t.order)) // in the file
	for i, id := range t.order[1:] {
		before[id] = t.order[i]
	}
	on := map[string]bool{}
	path, err := conversation.Path(last, func(id string) string {
		on[id] = true
		if t.parent(id) != "" || t.messages[id].Get("parent_message_uuid").Text() == root {
			return t.parent(id)
		}
		next := before[id]
		for ; on[next]; next = before[next] {
			if far := before[next]; on[far] {
				before[next] = before[far] // the next search passes over fewer
			}
		}
		return next
	})
	if err != nil {
		path, err = conversation.Path(last, t.parent)
	}
	path = t.withBare(path)
	t.lost[elsewhere] = len(t.order) - len(path)
	return path, err
}

// withBare adds the texts that stand in the file behind messages on the path.
func (t *thread) withBare(path []string) []string {
	if len(t.bare) == 0 {
		return path
	}
	on, behind := make(map[string]bool, len(path)), map[string]string{}
	for _, id := range path {
		on[id] = true
	}
	for i, id := range t.order[1:] {
		if before := t.order[i]; t.bare[id] && !on[id] && on[before] {
			on[id], behind[before] = true, id
		}
	}
	var all []string
	for _, id := range path {
		for ; id != ""; id = behind[id] {
			all = append(all, id)
		}
	}
	return all
}

// turns makes turns of the messages. A message with blocks of several authors becomes
// several turns; the texts of its attachments follow it.
func (t *thread) turns(path []string) []conversation.Turn {
	var turns []conversation.Turn
	parent := ""
	for _, id := range path {
		m := t.messages[id]
		base := conversation.Turn{Author: author(m), At: instant(m.Get("created_at"))}
		if base.Author == conversation.Assistant {
			base.Model = t.model
		}
		if undatable(m, nil) {
			t.lost[misdated]++
		}
		before := t.lost[blocks]
		said := t.blockTurns(m, base)
		if err := unreadable(m); len(said) == 0 && err != nil {
			t.faulty, t.lost[blocks] = append(t.faulty, faulty{id, err}), before
		}
		for _, a := range m.Get("attachments").Items() {
			if text := a.Get("extracted_content").Text(); strings.TrimSpace(text) != "" {
				said = append(said, conversation.Turn{Author: conversation.Document, Name: a.Get("file_name").Text(), At: base.At, Text: text})
				continue
			}
			t.lost[attached]++
		}
		t.lost[attached] += m.Get("files").Len()
		for n, turn := range said {
			turn.ID, turn.Parent = id, parent
			if n > 0 {
				turn.ID = fmt.Sprintf("%s.%d", id, n+1)
			}
			turns, parent = append(turns, turn), turn.ID
		}
	}
	return turns
}

// unreadable returns what keeps the text or the blocks of a message from being read; nil:
// nothing does.
func unreadable(m canon.Value) error {
	switch text := m.Get("text"); text.Type() {
	case canon.TypeBool, canon.TypeNumber, canon.TypeObject:
		return fmt.Errorf("%s found where a string is wanted", text.Type())
	}
	switch content := m.Get("content"); content.Type() {
	case canon.TypeBool, canon.TypeNumber:
		return fmt.Errorf("%s found where a list is wanted", content.Type())
	}
	return nil
}

func author(m canon.Value) conversation.Author {
	switch m.Get("sender").Text() {
	case "human", "user":
		return conversation.User
	case "assistant":
		return conversation.Assistant
	}
	return conversation.System
}

// interjection is the kind of a block in which the user speaks while the model works.
const interjection = "user_interjection"

// blockTurns returns the turns of a message's blocks, or of its text if no block has text.
// Consecutive texts are one turn.
func (t *thread) blockTurns(m canon.Value, base conversation.Turn) (turns []conversation.Turn) {
	own := false
	for _, block := range t.blocksOf(m.Get("content")) {
		next := t.block(block, base)
		if strings.TrimSpace(next.Text) == "" {
			continue
		}
		own = own || next.Author == base.Author
		if last := len(turns) - 1; last >= 0 && turns[last].Author == base.Author && next.Author == base.Author {
			turns[last].Text += "\n" + next.Text
			continue
		}
		turns = append(turns, next)
	}
	if own {
		return turns
	}
	if base.Text = t.words(m.Get("text")); strings.TrimSpace(base.Text) != "" {
		turns = append([]conversation.Turn{base}, turns...)
	}
	return turns
}

// blocksOf returns the blocks of a message: those of a list, or the content itself.
func (t *thread) blocksOf(content canon.Value) []canon.Value {
	switch content.Type() {
	case canon.TypeArray:
		return content.Items()
	case canon.TypeUndefined, canon.TypeNull:
		return nil
	case canon.TypeString:
		if strings.TrimSpace(content.Text()) == "" {
			return nil
		}
	}
	return []canon.Value{content}
}

// words returns a text, the text of an object, or those of a list, and counts what is none.
func (t *thread) words(v canon.Value) string {
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull, canon.TypeString:
		return v.Text()
	case canon.TypeArray:
		var said []string
		for _, part := range v.Items() {
			if text := t.words(part); strings.TrimSpace(text) != "" {
				said = append(said, text)
			}
		}
		return strings.Join(said, "\n")
	}
	text := v.Get("text").Text()
	if strings.TrimSpace(text) == "" {
		t.lost[blocks]++
	}
	return text
}

// block returns the turn of a block; it has no text if the block is no turn.
func (t *thread) block(block canon.Value, turn conversation.Turn) conversation.Turn {
	name := block.Get("name").Text()
	switch block.Get("type").Text() {
	case "text":
		turn.Text = t.words(block.Get("text"))
		t.more(block)
		return turn
	case interjection:
		turn.Author, turn.Model, turn.Text = conversation.User, "", block.Get("text").Text()
	case "tool_use":
		turn.Author, turn.Name, turn.Text = conversation.Tool, name, input(block.Get("input"))
	case "tool_result":
		turn.Author, turn.Model, turn.Name, turn.Text = conversation.Tool, "", name, t.result(block.Get("content"))
	case "thinking":
		t.lost[thoughts]++
		return turn
	case "token_budget": // says nothing about the conversation
		return turn
	default:
		if turn.Text = block.Text(); turn.Text == "" {
			turn.Text = block.Get("text").Text()
		}
		if strings.TrimSpace(turn.Text) != "" {
			t.more(block)
		}
	}
	if strings.TrimSpace(turn.Text) == "" {
		t.lost[blocks]++
	}
	return turn
}

// more counts a block that says something beside its text.
func (t *thread) more(block canon.Value) {
	for _, m := range block.Members() {
		switch m.Name {
		case "type", "text", "start_timestamp", "stop_timestamp":
			continue
		}
		switch v := m.Value; {
		case v.Type() == canon.TypeNull, v.Type() == canon.TypeString && v.Text() == "", (v.Type() == canon.TypeArray || v.Type() == canon.TypeObject) && v.Len() == 0:
			continue
		}
		t.lost[beside]++
		return
	}
}

// input spells the input of a tool, a member per line.
func input(v canon.Value) string {
	var said []string
	for _, m := range v.Members() {
		text := m.Value.Text()
		if m.Value.Type() != canon.TypeString {
			text = string(m.Value.Append(nil))
		}
		said = append(said, m.Name+": "+text)
	}
	return strings.Join(said, "\n")
}

// result spells the output of a tool: texts, and titles and addresses of search results.
func (t *thread) result(v canon.Value) string {
	if v.Type() == canon.TypeString {
		return v.Text()
	}
	var said []string
	for _, part := range v.Items() {
		some := false
		for _, name := range [...]string{"title", "url", "text"} {
			if text := part.Get(name).Text(); strings.TrimSpace(text) != "" {
				said, some = append(said, text), true
			}
		}
		if !some {
			t.lost[blocks]++
		}
	}
	return strings.Join(said, "\n")
}
