package aicf

import (
	"fmt"
	"strings"
)

// session takes the id that some writers put below the header.
func (m *migration) session(s *Session) {
	for _, key := range []string{"id", "session_id"} {
		if s.ID == "" {
			s.ID, s.Extra = taken(s.Extra, key)
		}
	}
	s.ID, s.Extra = inOneLine(s.ID, s.Extra)
}

// inOneLine takes line ends out of an id, which has none, and keeps it as it was.
func inOneLine(id string, fields []Field) (string, []Field) {
	if !strings.ContainsAny(id, "\r\n") {
		return id, fields
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(id), extra(fields, xKey("id"), id)
}

// taken returns the value of a member that the format does not know, decoded, and the
// other members.
func taken(fields []Field, key string) (string, []Field) {
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

// conversation takes a conversation over, or adds to an earlier one what is a turn of it.
func (m *migration) conversation(c *Conversation) []Entry {
	if c.ID == "" {
		c.ID, c.Extra = taken(c.Extra, "id")
	}
	if turn, rest := spokenIn(c); turn != nil {
		return m.turn(c, turn, rest)
	}
	if !c.TimestampStart.said() {
		var text string
		if text, c.Extra = taken(c.Extra, "timestamp"); text != "" {
			stampInto(&c.TimestampStart, &c.Extra, "timestamp", text)
		}
	}
	m.demanded(c)
	return []Entry{c}
}

// spokenIn returns time, speaker and text where an entry is one turn of a conversation
// and nothing else is known of that.
func spokenIn(c *Conversation) (turn []string, rest []Field) {
	role, rest := taken(c.Extra, "role")
	text, rest := taken(rest, "content")
	if text == "" || c.TimestampStart.said() || c.Messages != nil {
		return nil, nil
	}
	at, rest := taken(rest, "timestamp")
	return []string{at, role, text}, rest
}

// turn adds a turn to its conversation, which becomes an entry with the first of them.
func (m *migration) turn(c *Conversation, turn []string, rest []Field) []Entry {
	talk, known := m.talks[c.ID]
	if !known {
		talk = c
		m.talks[c.ID] = c
		c.Extra = nil
	}
	m.speech.spoken(talk, turn[0], turn[1], turn[2])
	talk.Extra = append(talk.Extra, rest...)
	n := int64(m.speech.turns[talk])
	talk.Messages = &n
	if known {
		return nil
	}
	m.demanded(c)
	return []Entry{c}
}

// demanded gives a conversation what it must have and the file did not say: the end where
// there is a beginning, and a number of messages. A time is never made up.
func (m *migration) demanded(c *Conversation) {
	var assumed []string
	c.ID, c.Extra = inOneLine(c.ID, c.Extra)
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
		if strings.HasPrefix(f.Key, xKey("turn_")) {
			n++
		}
	}
	return n
}

// unknown makes of sections of other writers what the format has for them.
func (m *migration) unknown(u *Unknown) []Entry {
	lines := strings.Split(strings.TrimRight(u.Raw, "\n"), "\n")[1:]
	switch {
	case u.Name == "MEMORY":
		if in := remembered(u, lines); in.Text != "" {
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
	return []Entry{u}
}

func hasAnyField(lines []string) bool {
	for _, l := range lines {
		if _, ok := splitField(l); ok {
			return true
		}
	}
	return false
}

// remembered makes an insight of a @MEMORY section.
func remembered(u *Unknown, lines []string) *Insight {
	in := &Insight{Origin: Origin{Line: u.Line}, ID: u.ID}
	for _, l := range lines {
		if f, ok := splitField(l); ok {
			in.Extra = append(in.Extra, f)
		} else if l != "" {
			in.Extra = append(in.Extra, Field{Raw: l})
		}
	}
	in.Text, in.Extra = taken(in.Extra, "content")
	if in.ID == "" {
		in.ID, in.Extra = taken(in.Extra, "id")
	}
	var kind string
	kind, in.Extra = taken(in.Extra, "type")
	in.MemoryType = Word(kind)
	return in
}
