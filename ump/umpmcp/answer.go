package umpmcp

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer is the answer of a tool. A call by a name with a dot gets the same JSON twice: as
// structured content, and as text for hosts that show their model only text.
type answer struct {
	text       string
	structured json.RawMessage // compact JSON; nil: none
	failed     bool
}

// result returns the answer for the SDK to encode.
func (a answer) result() *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.text}}, IsError: a.failed}
	if a.structured != nil {
		result.StructuredContent = a.structured
	}
	return result
}

// slot keeps the answer to one call, so that the transport encodes it once. The SDK
// encodes only marks in its place: it would copy and check a whole answer four times.
type slot struct{ answer *answer }

// slotKey is the key of the slot in a request's token info.
const slotKey = "slot"

// The marks, as the SDK encodes them.
const (
	textMark       = `"satchel:text"`
	structuredMark = `"satchel:structured"`
)

// slotOf returns the slot that the transport gave a call, or nil.
func slotOf(r *mcp.CallToolRequest) *slot {
	if r.Extra == nil || r.Extra.TokenInfo == nil {
		return nil
	}
	s, _ := r.Extra.TokenInfo.Extra[slotKey].(*slot)
	return s
}

// fill keeps the answer and returns the marks, or without a slot the answer itself.
func (s *slot) fill(a answer) *mcp.CallToolResult {
	if s == nil {
		return a.result()
	}
	s.answer = &a
	marks := answer{text: textMark[1 : len(textMark)-1], failed: a.failed}
	if a.structured != nil {
		marks.structured = json.RawMessage(structuredMark)
	}
	return marks.result()
}

// splice replaces the marks in an encoded message by the answer, in the encoding of the
// SDK. Other messages have no marks. The last mark counts: the id of the call, which is
// the client's text, stands before the result.
func (s *slot) splice(message []byte) []byte {
	if s == nil || s.answer == nil {
		return message
	}
	at := bytes.LastIndex(message, []byte(textMark))
	if at < 0 {
		return message
	}
	text, err := json.Marshal(s.answer.text)
	if err != nil {
		panic("umpmcp: a text has no JSON: " + err.Error()) // every string has
	}
	const more = 256 // room for escapes and the end of the line
	whole := bytes.NewBuffer(make([]byte, 0, len(message)+len(text)+len(s.answer.structured)+more))
	whole.Write(message[:at])
	whole.Write(text)
	rest := message[at+len(textMark):]
	if before, after, ok := bytes.Cut(rest, []byte(structuredMark)); ok {
		whole.Write(before)
		json.HTMLEscape(whole, s.answer.structured)
		rest = after
	}
	whole.Write(rest)
	return whole.Bytes()
}
