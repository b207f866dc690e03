package conversation

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// maker makes records of conversations and notes.
type maker struct {
	shape  Shape
	opt    codec.Options
	limits codec.Limits
	now    time.Time
	source time.Time // when the source was last written
	name   string    // the source's name
}

// conversation makes the records of a conversation. place names a conversation without an
// id.
func (m *maker) conversation(c Conversation, place string) []memory.Record {
	ref := "conversations/" + codec.RefPart(c.ID)
	if c.ID == "" {
		ref = place
	}
	var made []memory.Record
	if !c.Alone {
		made = append(made, m.head(c, ref))
	}
	when := cmp.Or(c.Started, c.Ended)
	for from := 0; from < len(c.Turns); {
		to := from + 1
		for to < len(c.Turns) && c.Turns[to].Author != User {
			to++
		}
		made = append(made, m.exchange(c, ref, from, to, &when)...)
		from = to
	}
	return made
}

// head makes the record of the conversation itself.
func (m *maker) head(c Conversation, ref string) memory.Record {
	title := strings.Join(strings.Fields(c.Title), " ")
	text := "Conversation with " + m.shape.Platform
	if title != "" {
		text += ": " + title
	}
	r := m.draft(memory.Episodic, text+extent(c), ref)
	r.Scope.Session, r.Scope.Agent = c.ID, c.Source
	r.Time = memory.Times{Created: m.date(cmp.Or(c.Ended, c.Started)), Observed: c.Ended.UTC(), ValidFrom: c.Started.UTC()}
	residue := canon.Object(canon.Member{Name: "turns", Value: canon.Int(int64(len(c.Turns)))})
	var who []canon.Value
	for _, p := range c.Participants {
		who = append(who, canon.String(p))
	}
	for _, m := range []canon.Member{named("title", c.Title), named("id", c.ID)} {
		if m.Value.Text() != "" {
			residue = canon.Object(append([]canon.Member{m}, residue.Members()...)...)
		}
	}
	residue = residue.With("participants", canon.Array(who...))
	if rest, err := canon.Parse(c.Rest, canon.Options{Bytes: int64(len(c.Rest)) + 1, Inexact: true}); err == nil {
		residue = residue.With("rest", rest)
	}
	return codec.WithResidue(r, m.shape.Format, residue)
}

// extent describes the length and the dates of a conversation.
func extent(c Conversation) string {
	turns := "1 turn"
	if n := len(c.Turns); n != 1 {
		turns = fmt.Sprintf("%d turns", n)
	}
	if c.Started.IsZero() {
		return " (" + turns + ")"
	}
	from, to := c.Started.UTC().Format(time.DateOnly), c.Ended.UTC().Format(time.DateOnly)
	if from != to {
		from += " to " + to
	}
	return " (" + turns + ", " + from + ")"
}

// exchange makes the records of some turns; when is the latest date so far.
func (m *maker) exchange(c Conversation, ref string, from, to int, when *time.Time) (made []memory.Record) {
	all := make([]utterance, 0, to-from)
	for i := from; i < to; i++ {
		if strings.TrimSpace(c.Turns[i].Text) == "" {
			continue
		}
		all = append(all, utterance{c.Turns[i].label(), c.Turns[i].Text, i})
	}
	if !c.Alone {
		ref += "/" + codec.RefPart(c.Turns[from].ID)
	}
	for n, p := range pieces(all, pieceLength) {
		if len(p.turns) == 0 {
			continue
		}
		at := c.Turns[p.turns[0]].At
		if !at.IsZero() {
			*when = at
		}
		r := m.draft(memory.Episodic, p.text.String(), numbered(ref, n))
		r.Scope.Session, r.Scope.Agent = c.ID, c.Source
		if c.Alone {
			r.Scope.Session = ""
		}
		r.Time = memory.Times{Created: m.date(*when), Observed: at.UTC()}
		made = append(made, codec.WithResidue(r, m.shape.Format, turns(c, p.turns)))
	}
	return made
}

// label is the text before the words of a turn.
func (t Turn) label() string {
	author := string(t.Author)
	author = strings.ToUpper(author[:1]) + author[1:]
	if t.Name != "" {
		return author + " " + strings.Join(strings.Fields(t.Name), " ") + ": "
	}
	return author + ": "
}

// turns lists the authors of the turns that a record holds.
func turns(c Conversation, indices []int) canon.Value {
	var list []canon.Value
	for _, i := range indices {
		t := c.Turns[i]
		v := canon.Object()
		for _, m := range []canon.Member{named("id", t.ID), named("author", string(t.Author)), named("name", t.Name), named("model", t.Model)} {
			if m.Value.Text() != "" {
				v = v.With(m.Name, m.Value)
			}
		}
		if !t.At.IsZero() {
			v = v.With("at", canon.String(t.At.UTC().Format(time.RFC3339Nano)))
		}
		list = append(list, v)
	}
	return canon.Object(canon.Member{Name: "turns", Value: canon.Array(list...)})
}

func named(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(text)}
}

// date returns the date of a record, or else that of its file to the second.
func (m *maker) date(at time.Time) time.Time {
	return cmp.Or(at, m.source.Truncate(time.Second), m.now.Truncate(time.Second)).UTC()
}

// draft makes a record with a text.
func (m *maker) draft(kind memory.Kind, text, ref string) memory.Record {
	in := codec.JSONReader{Rules: codec.Rules{Format: m.shape.Format}, Options: m.opt}
	if kind == memory.Identity {
		in.Options.Project = "" // the identity of a person does not depend on it
	}
	return in.Draft(kind, text, m.shape.Provider, ref)
}

// numbered names the n-th piece of a thing.
func numbered(ref string, n int) string {
	if n == 0 {
		return ref
	}
	return fmt.Sprintf("%s/%d", ref, n+1)
}
