package aicf

import "github.com/satchel-memory/satchel/canon"

// talk reads a conversation. Its decisions and insights follow it.
func (x *dialectReader) talk(v canon.Value) {
	if v.Type() != canon.TypeObject {
		x.add(1, unknown(sourceName, "conversations", addMembers(nil, "value", v)))
		return
	}
	c := &Conversation{}
	x.add(1, c)
	x.talkMembers(c, v)
}

func (x *dialectReader) talkMembers(c *Conversation, v canon.Value) {
	for _, m := range v.Members() {
		switch m.Name {
		case "decisions":
			x.each(m.Value, x.decision)
		case "insights":
			x.each(m.Value, x.insight)
		case "metadata":
			if m.Value.Type() == canon.TypeObject {
				x.talkMembers(c, m.Value.Without(m.Name))
				m.Value = m.Value.Get(m.Name)
			}
			if m.Value.Type() != canon.TypeUndefined {
				c.Extra = addMembers(c.Extra, m.Name, m.Value)
			}
		default:
			if !x.talkMember(c, m) {
				c.Extra = addMembers(c.Extra, m.Name, m.Value)
			}
		}
	}
}

// talkMember reads a member of a conversation; false: the format has no such member.
func (x *dialectReader) talkMember(c *Conversation, m canon.Member) bool {
	text := plain(m.Value)
	switch m.Name {
	case "id", "sessionId", "session_id", "conversationId", "conversation_id":
		return text != "" && setOnce(&c.ID, text)
	case "messages", "message_count", "messageCount":
		if m.Value.Type() == canon.TypeArray {
			x.messages(c, m.Value)
			return true
		}
		countInto(&c.Messages, &c.Extra, m.Name, text)
	case "tokens", "tokenCount", "token_count":
		countInto(&c.Tokens, &c.Extra, m.Name, text)
	case "topic", "title":
		textInto(&c.Topic, &c.Extra, m.Name, text)
	case "platform":
		textInto(&c.Platform, &c.Extra, m.Name, text)
	case "startTime", "start_time", "timestamp_start", "timestamp", "created_at", "createdAt", "start":
		x.time(&c.TimestampStart, c, m)
	case "endTime", "end_time", "timestamp_end", "updated_at", "updatedAt", "end":
		x.time(&c.TimestampEnd, c, m)
	case "participants":
		if m.Value.Type() != canon.TypeArray || c.Participants != nil {
			return false
		}
		c.Participants = SplitList(listOfValues(m.Value))
	default:
		return false
	}
	return true
}

// time reads a time, and keeps the spelling of a number.
func (x *dialectReader) time(to *Stamp, c *Conversation, m canon.Member) {
	if m.Value.Type() == canon.TypeNumber {
		c.Extra = extra(c.Extra, extensionKey(m.Name), plain(m.Value))
		if s, _ := parseStampOrText(instant(m.Value)); !to.said() {
			*to = s
		}
		return
	}
	stampInto(to, &c.Extra, m.Name, instant(m.Value))
}

// setOnce sets an empty text; false: it is set already.
func setOnce[S ~string](to *S, text string) bool {
	if *to != "" || text == "" {
		return false
	}
	*to = S(text)
	return true
}

// messages reads the messages of a conversation.
func (x *dialectReader) messages(c *Conversation, v canon.Value) {
	for _, item := range v.Items() {
		if item.Type() != canon.TypeObject {
			x.turn(c, plain(item))
			continue
		}
		var at, role, text string
		var more []string
		for _, m := range item.Members() {
			said := plain(m.Value)
			switch {
			case (m.Name == "timestamp" || m.Name == "time" || m.Name == "created_at") && setOnce(&at, said):
			case (m.Name == "role" || m.Name == "sender" || m.Name == "author") && setOnce(&role, said):
			case (m.Name == "content" || m.Name == "text" || m.Name == "message") && setOnce(&text, said):
			default:
				more = append(more, m.Name+"="+said)
			}
		}
		x.addTurn(c, at, role, text, more...)
	}
}

// decision reads a decision: a text, or an object.
func (x *dialectReader) decision(v canon.Value) {
	d := &Decision{}
	d.Extra = objectMembers(v, &d.Text, func(name, text string) bool {
		switch name {
		case "id":
			return setOnce(&d.ID, text)
		case "decision", "description", "text":
			return setOnce(&d.Text, text)
		case "rationale", "reason", "reasoning":
			return setOnce(&d.Rationale, text)
		case "impact":
			return setOnce(&d.Impact, text)
		case "confidence":
			return setOnce(&d.Confidence, text)
		}
		return false
	})
	x.add(1, d)
}

// insight reads an insight: a text, or an object.
func (x *dialectReader) insight(v canon.Value) {
	in := &Insight{}
	in.Extra = objectMembers(v, &in.Text, func(name, text string) bool {
		switch name {
		case "id":
			return setOnce(&in.ID, text)
		case "insight", "text", "content", "description":
			return setOnce(&in.Text, text)
		case "category", "type":
			return setOnce(&in.Category, text)
		case "priority", "importance":
			return setOnce(&in.Priority, text)
		case "confidence":
			return setOnce(&in.Confidence, text)
		case "memory_type", "memoryType":
			return setOnce(&in.MemoryType, text)
		}
		return false
	})
	x.add(1, in)
}

// objectMembers passes the members of an object to take, and returns those that it refuses.
// Any other value is the text itself.
func objectMembers(v canon.Value, text *string, take func(name, text string) bool) []Field {
	if v.Type() != canon.TypeObject {
		*text = plain(v)
		return nil
	}
	var others []Field
	for _, m := range v.Members() {
		if !take(m.Name, plain(m.Value)) {
			others = addMembers(others, m.Name, m.Value)
		}
	}
	return others
}
