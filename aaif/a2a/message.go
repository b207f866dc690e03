package a2a

import (
	"cmp"

	"github.com/satchel-memory/satchel/canon"
)

// Part is a piece of a message or an artifact: a text, or a value in JSON.
type Part struct {
	Text string
	Data canon.Value // undefined: the part is the text
	// Other names a content that is neither, such as "file". Such parts are read, so that a
	// caller can refuse them, and never written.
	Other string
}

// Message is what a client says to an agent, or an agent to a client.
type Message struct {
	ID        string
	Context   string // empty: none
	Task      string // empty: none
	FromAgent bool
	Parts     []Part
}

// longestID is the most bytes of an id that a peer chooses.
const longestID = 256

// Document returns the message in JSON.
func (m Message) Document(v Version) canon.Value {
	role := "user"
	if m.FromAgent {
		role = "agent"
	}
	if v == V1 {
		role = map[string]string{"user": "ROLE_USER", "agent": "ROLE_AGENT"}[role]
	}
	return canon.Object(member("kind", kindOf(v, "message")), member("role", canon.String(role)), member("messageId", canon.String(m.ID)),
		member("contextId", optional(m.Context)), member("taskId", optional(m.Task)), member("parts", partsDocument(v, m.Parts)))
}

// kindOf returns the member kind, by which A2A 0.3 tells objects apart.
func kindOf(v Version, kind string) canon.Value {
	if v == V03 {
		return canon.String(kind)
	}
	return canon.Value{}
}

// optional returns a text, or nothing for an empty one.
func optional(text string) canon.Value {
	if text == "" {
		return canon.Value{}
	}
	return canon.String(text)
}

func partsDocument(v Version, parts []Part) canon.Value {
	list := make([]canon.Value, len(parts))
	for i, p := range parts {
		list[i] = p.document(v)
	}
	return canon.Array(list...)
}

// document returns the part in JSON. Data of A2A 0.3 is an object: other values become texts.
func (p Part) document(v Version) canon.Value {
	switch {
	case p.Data.Type() == canon.TypeUndefined || v == V03 && p.Data.Type() != canon.TypeObject:
		text := p.Text
		if p.Data.Type() != canon.TypeUndefined {
			text = string(p.Data.Append(nil))
		}
		return canon.Object(member("kind", kindOf(v, "text")), member("text", canon.String(text)))
	case v == V1:
		return canon.Object(member("data", p.Data), member("mediaType", canon.String("application/json")))
	}
	return canon.Object(member("kind", kindOf(v, "data")), member("data", p.Data))
}

// ReadMessage reads a message. Failures are [*Fault].
func ReadMessage(v Version, doc canon.Value) (Message, error) {
	if doc.Type() != canon.TypeObject {
		return Message{}, wrong("message", "is no object")
	}
	m := Message{ID: doc.Get("messageId").Text(), Context: doc.Get("contextId").Text(), Task: doc.Get("taskId").Text()}
	if m.ID == "" {
		return m, wrong("message.messageId", "is missing or empty")
	}
	if len(m.ID) > longestID || len(m.Context) > longestID || len(m.Task) > longestID {
		return m, wrong("message", "has an id of more than 256 bytes")
	}
	switch role := doc.Get("role").Text(); role {
	case "user", "ROLE_USER":
	case "agent", "ROLE_AGENT":
		m.FromAgent = true
	default:
		return m, wrong("message.role", "is neither that of the user nor that of the agent")
	}
	var err error
	m.Parts, err = readParts(v, doc.Get("parts"), "message.parts")
	return m, err
}

func readParts(v Version, list canon.Value, at string) ([]Part, error) {
	if list.Type() != canon.TypeArray || list.Len() == 0 {
		return nil, wrong(at, "is no list with at least one part")
	}
	parts := make([]Part, 0, list.Len())
	for _, item := range list.Items() {
		p, ok := readPart(v, item)
		if !ok {
			return nil, wrong(at, "has a part that is neither a text nor data nor a file")
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// readPart reads a part. In A2A 1.0 the member that is there says what it is.
func readPart(v Version, item canon.Value) (Part, bool) {
	text, data := item.Get("text"), item.Get("data")
	if v == V03 {
		switch kind := item.Get("kind").Text(); kind {
		case "text":
			return Part{Text: text.Text()}, text.Type() == canon.TypeString
		case "data":
			return Part{Data: data}, data.Type() == canon.TypeObject
		case "file":
			return Part{Other: kind}, item.Get("file").Type() == canon.TypeObject
		}
		return Part{}, false
	}
	switch {
	case text.Type() == canon.TypeString:
		return Part{Text: text.Text()}, true
	case data.Type() != canon.TypeUndefined:
		return Part{Data: data}, true
	case item.Get("raw").Type() == canon.TypeString, item.Get("url").Type() == canon.TypeString:
		return Part{Other: cmp.Or(item.Get("mediaType").Text(), "file")}, true
	}
	return Part{}, false
}
