package aicf

import (
	"fmt"
	"strings"
)

// session reads the id that some writers put below the header.
func (m *migration) session(s *Session) {
	for _, key := range []string{"id", "session_id"} {
		if s.ID == "" {
			s.ID, s.Extra = takeExtra(s.Extra, key)
		}
	}
	s.ID, s.Extra = inOneLine(s.ID, s.Extra)
}

// inOneLine removes line ends from an id, which cannot have any, and keeps the original.
func inOneLine(id string, fields []Field) (string, []Field) {
	if !strings.ContainsAny(id, "\r\n") {
		return id, fields
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(id), extra(fields, extensionKey("id"), id)
}

// takeExtra returns the decoded value of an unknown member, and the other members.
func takeExtra(fields []Field, key string) (string, []Field) {
	said := ""
	rest := fields[:0:0]
	for _, f := range fields {
		if f.Key == key && said == "" {
			said, _ = Unescape(f.Raw)
			continue
		}
		rest = append(rest, f)
	}
	return said, rest
}

// conversation adds a conversation, or a turn of an earlier one.
func (m *migration) conversation(c *Conversation) []Entry {
	if c.ID == "" {
		c.ID, c.Extra = takeExtra(c.Extra, "id")
	}
	if turn, rest := turnIn(c); turn != nil {
		return m.turn(c, turn, rest)
	}
	if !c.TimestampStart.said() {
		var text string
		if text, c.Extra = takeExtra(c.Extra, "timestamp"); text != "" {
			stampInto(&c.TimestampStart, &c.Extra, "timestamp", text)
		}
	}
	m.fillConversation(c)
	c.Extra = asFields(c.Extra)
	return []Entry{c}
}

// turnIn returns time, speaker and text of an entry that is one turn of a conversation
// and nothing else.
func turnIn(c *Conversation) (turn []string, rest []Field) {
	role, rest := takeExtra(c.Extra, "role")
	text, rest := takeExtra(rest, "content")
	if text == "" || c.TimestampStart.said() || c.Messages != nil {
		return nil, nil
	}
	at, rest := takeExtra(rest, "timestamp")
	return []string{at, role, text}, rest
}

// turn adds a turn to its conversation, which becomes an entry with its first turn.
func (m *migration) turn(c *Conversation, turn []string, rest []Field) []Entry {
	talk, known := m.talks[c.ID]
	if !known {
		talk = c
		m.talks[c.ID] = c
		c.Extra = nil
	}
	m.speech.addTurn(talk, turn[0], turn[1], turn[2])
	talk.Extra = append(talk.Extra, rest...)
	n := int64(m.speech.turns[talk])
	talk.Messages = &n
	if known {
		return nil
	}
	m.fillConversation(c)
	return []Entry{c}
}

// fillConversation sets required members of a conversation: the end to its beginning, or both
// to the time of the file, and a number of messages. It never invents a time.
func (m *migration) fillConversation(c *Conversation) {
	var assumed []string
	c.ID, c.Extra = inOneLine(c.ID, c.Extra)
	c.Extra = unreadable(c.Extra, map[string]bool{
		"timestamp_start": c.TimestampStart.said(), "timestamp_end": c.TimestampEnd.said(), "messages": c.Messages != nil, "tokens": c.Tokens != nil,
	})
	if c.ID == "" {
		m.unnamed++
		c.ID = fmt.Sprintf("conversation_%03d", m.unnamed)
		assumed = append(assumed, "id")
	}
	switch {
	case c.TimestampStart.said() && !c.TimestampEnd.said():
		c.TimestampEnd = c.TimestampStart
		assumed = append(assumed, "timestamp_end")
	case c.TimestampEnd.said() && !c.TimestampStart.said():
		c.TimestampStart = c.TimestampEnd
		assumed = append(assumed, "timestamp_start")
	case !c.TimestampStart.said() && !m.modified.IsZero():
		c.TimestampStart = Stamp{Time: m.modified}
		c.TimestampEnd = c.TimestampStart
		assumed = append(assumed, "timestamp_start", "timestamp_end")
	}
	if c.Messages == nil {
		n := int64(turnsOf(c))
		c.Messages = &n
		if n == 0 {
			assumed = append(assumed, "messages")
		}
	}
	c.Extra = append(c.Extra, m.assume(c, assumed)...)
}

func turnsOf(c *Conversation) int {
	n := 0
	for _, f := range c.Extra {
		if strings.HasPrefix(f.Key, extensionKey("turn_")) {
			n++
		}
	}
	return n
}

// unknown makes entries of this format from sections of other writers.
func (m *migration) unknown(u *Unknown) []Entry {
	lines := strings.Split(strings.TrimRight(u.Raw, "\n"), "\n")[1:]
	switch {
	case u.Name == "MEMORY":
		if in := memoryInsight(u, lines); in.Text != "" {
			return m.insight(in)
		}
	case u.Name == "FLOW" && u.ID == "" && len(lines) > 0 && !hasAnyField(lines):
		s := &State{Origin: Origin{Line: u.Line}, Scope: ScopeSession}
		for _, l := range lines {
			s.Flow = append(s.Flow, SplitList(l)...)
		}
		m.stated = true
		return []Entry{s}
	}
	return []Entry{m.valid(u)}
}

func hasAnyField(lines []string) bool {
	for _, l := range lines {
		if _, ok := splitField(l); ok {
			return true
		}
	}
	return false
}

// memoryInsight makes an insight from a @MEMORY section.
func memoryInsight(u *Unknown, lines []string) *Insight {
	in := &Insight{Origin: Origin{Line: u.Line}, ID: u.ID}
	for _, l := range lines {
		if f, ok := splitField(l); ok {
			in.Extra = append(in.Extra, f)
		} else if l != "" {
			in.Extra = append(in.Extra, Field{Raw: l})
		}
	}
	in.Text, in.Extra = takeExtra(in.Extra, "content")
	if in.ID == "" {
		in.ID, in.Extra = takeExtra(in.Extra, "id")
	}
	var kind string
	kind, in.Extra = takeExtra(in.Extra, "type")
	in.MemoryType = Word(kind)
	return in
}
