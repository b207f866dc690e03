package conversation

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Told is the conversation that records tell of, in their order, as [Shape.Open] makes
// them, and the record that stands for it as a whole, "" where none does. Who said what
// is taken from what lies beside the text. A text of which that is not known is taken for
// the user's if the record says that the user said it, and for a tool's otherwise.
func Told(session string, records []memory.Record) (c Conversation, head memory.ID) {
	c.ID = session
	at := map[string]int{}
	for _, r := range records {
		beside := canon.Value{}
		if r.Provenance != nil && codec.IsResidue(r.Provenance.Method) {
			beside, _ = codec.Residue(r, r.Provenance.Method)
		}
		c.Source = r.Scope.Agent
		switch {
		case beside.Get("turns").Type() == canon.TypeArray:
			for _, t := range turnsTold(r.Body.Text, beside.Get("turns").Items()) {
				c.tell(t, at)
			}
		case beside.Has("participants"):
			head, c.Title = r.ID, beside.Get("title").Text()
		default:
			c.tell(Turn{Author: sayer(r), At: r.Time.From(), Text: r.Body.Text}, at)
		}
	}
	if head == "" && len(records) > 0 {
		head = records[0].ID
	}
	c.Settle()
	return c, head
}

// tell adds a turn, or goes on with one that was begun.
func (c *Conversation) tell(t Turn, at map[string]int) {
	if i, begun := at[t.ID]; begun && t.ID != "" {
		c.Turns[i].Text += "\n\n" + t.Text
		return
	}
	at[t.ID] = len(c.Turns)
	c.Turns = append(c.Turns, t)
}

func sayer(r memory.Record) Author {
	if r.Provenance != nil && r.Provenance.ActorKind == memory.ByUser {
		return User
	}
	return Tool
}

// turnsTold takes the text of a record apart. Of a text that holds what looks like a
// label, no more is taken for one than there are turns, in their order.
func turnsTold(text string, beside []canon.Value) []Turn {
	var turns []Turn
	for _, v := range beside {
		t := Turn{ID: v.Get("id").Text(), Author: Author(v.Get("author").Text()), Name: v.Get("name").Text(), Model: v.Get("model").Text()}
		if !slices.Contains([]Author{User, Assistant, System, Tool, Document}, t.Author) {
			t.Author = Tool
		}
		t.At, _ = time.Parse(time.RFC3339Nano, v.Get("at").Text()) //nolint:errcheck // not said
		turns = append(turns, t)
	}
	rest := text
	for i := range turns {
		rest = strings.TrimPrefix(rest, turns[i].label())
		turns[i].Text = rest
		if i+1 == len(turns) {
			break
		}
		said, more, found := strings.Cut(rest, "\n\n"+turns[i+1].label())
		if !found {
			return turns[:i+1]
		}
		turns[i].Text, rest = said, more
	}
	return turns
}

// Ref is the source reference of the record that stands for a conversation.
func Ref(id string) string { return "conversations/" + codec.RefPart(id) }
