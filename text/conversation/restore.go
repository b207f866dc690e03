package conversation

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// FromRecords returns the conversation that records hold, in their order, as [Shape.Open]
// makes them, and the ID of the record of the whole conversation, "" if there is none. The
// structured body says who said what. A text that it does not cover is the user's if the
// record says that the user said it, and a tool's otherwise.
func FromRecords(session string, records []memory.Record) (c Conversation, head memory.ID) {
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
			for _, t := range parseTurns(r.Body.Text, beside.Get("turns").Items()) {
				c.add(t, at)
			}
		case beside.Has("participants"):
			head, c.Title = r.ID, beside.Get("title").Text()
		default:
			c.add(Turn{Author: sayer(r), At: r.Time.From(), Text: r.Body.Text}, at)
		}
	}
	if head == "" && len(records) > 0 {
		head = records[0].ID
	}
	c.Settle()
	return c, head
}

// add adds a turn, or continues one.
func (c *Conversation) add(t Turn, at map[string]int) {
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

// parseTurns splits the text of a record into turns. If a text contains lines that look
// like labels, parseTurns takes only as many labels as there are turns, in their order.
func parseTurns(text string, beside []canon.Value) []Turn {
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

// Ref is the source reference of the record of a whole conversation.
func Ref(id string) string { return "conversations/" + codec.RefPart(id) }
