package e2e

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ask calls a tool as a model does, and returns the one text of the answer and whether
// it is an error.
func (s *session) ask(tool, arguments string) (string, bool) {
	s.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "ump_" + tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		s.Fatalf("%s %s: %v", tool, arguments, err)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || len(r.Content) != 1 || r.StructuredContent != nil {
		s.Fatalf("%s: the answer is not one text: %+v", tool, r)
	}
	return text.Text, r.IsError
}

// said is ask for a call that succeeds, whose answer matches a pattern. It returns the
// first group of the pattern.
func (s *session) said(tool, arguments, pattern string) string {
	s.Helper()
	text, failed := s.ask(tool, arguments)
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if failed || found == nil {
		s.Fatalf("%s %s: failed %v, and it does not say %s: %s", tool, arguments, failed, pattern, text)
	}
	return found[len(found)-1]
}

// refused is ask for a call that is refused with a code, and words that say what to do.
func (s *session) refused(tool, arguments, code string, words ...string) {
	s.Helper()
	text, failed := s.ask(tool, arguments)
	if !failed || !strings.HasPrefix(text, code+": ") {
		s.Errorf("%s %s: failed %v: %s", tool, arguments, failed, text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			s.Errorf("%s %s: it does not say %q: %s", tool, arguments, word, text)
		}
	}
}

const oneID = `\b([a-z2-7]{8,})\b`

// modelScenario does what a model does that knows nothing but the listed tools.
func modelScenario(t *testing.T, s *session) {
	t.Helper()
	s.TB = t
	tea := s.said("remember", `{"text":"The user drinks sencha."}`, `^Remembered as `+oneID)
	s.said("remember", `{"text":"Releases of the shop happen on Mondays.","kind":"procedural","project":"github.com/o/shop"}`, oneID)
	s.said("recall", `{"query":"sencha"}`, `^<ump:memory [^>]*>\n.*\n\{"id":"`+tea+`","kind":"semantic","when":"[-0-9]+","text":"The user drinks sencha."\}\n</ump:memory [^>]*>$`)
	s.said("recall", `{"query":"when are releases?","project":"github.com/o/shop","kind":"procedural","limit":3}`, `"project":"github.com/o/shop"`)
	now := s.said("revise", `{"id":"`+tea+`","text":"The user drinks matcha."}`, `^Revised: `+oneID+` replaces `+tea)
	s.said("get", `{"id":"`+tea+`"}`, `"superseded_by":"`+now+`"`)
	s.refused("revise", `{"id":"`+tea+`","text":"The user drinks water."}`, "invalid_record", ": "+now+" replaced "+tea+"; revise the new one.")
	s.refused("remember", `{"text":"The user drinks water.","supersedes":["`+tea+`"]}`, "invalid_record", ": "+now+" replaced "+tea)
	s.refused("remember", `{"text":"x","kind":["semantic","episodic"]}`, "invalid_record", "one kind")
	s.said("get", `{"id":"`+now+`","view":"full"}`, `"signature":"`)
	s.said("feedback", `{"id":"`+now+`","outcome":"followed"}`, `^Noted`)
	long := s.said("remember", `{"text":"`+strings.Repeat("Once upon a time there was a fox. ", 600)+`"}`, `^Remembered as `+oneID)
	more := s.said("recall", `{"query":"fox"}`, `ump_get (\{"id":"`+long+`","offset":\d+\})$`)
	s.said("get", more, `"id":"`+long+`"`)
	s.refused("get", `{"id":"aaaaaaaa"}`, "not_found", "ump_recall")
	s.refused("forget", `{"id":"`+now+`","reason":"user_revoked","hard":true}`, "forbidden_scope")
	s.said("forget", `{"id":"`+now+`","reason":"user_revoked"}`, `^Forgotten`)
	s.said("recall", `{"query":"matcha"}`, `^No memory answers that|ump:memory`)
	judged(s)
}

// judged does what a model gets wrong, and is told or understood.
func judged(s *session) {
	s.Helper()
	work := s.said("remember", `{"text":"the user works at Globex."}`, `^Remembered as `+oneID)
	s.said("remember", `{"text":"The user works at Globex"}`, `merged into `+work)
	moved := s.said("revise", `{"id":"`+work+`","patch":{"text":"The user works at Initech."}}`, oneID+` replaces `+work)
	s.said("get", `{"id":"`+moved+`"}`, `"text":"The user works at Initech."`)
	s.refused("revise", `{"id":"`+work+`","patch":{"mood":"calm"}}`, "invalid_record", "mood")
	s.refused("revise", `{"id":"`+moved+`","mode":"hard"}`, "invalid_record", "mode is not known here")
	s.refused("recall", `{"query":"tea","projct":"shop"}`, "invalid_record", "did you mean project?")
	key := s.said("remember", `{"text":"The key is ghp_abcdefghijklmnopqrstuvwxyz0123456789."}`, `^Remembered as `+oneID+`\.\nNote: 1 secret`)
	if text, _ := s.ask("get", `{"id":"`+key+`"}`); strings.Contains(text, "ghp_") {
		s.Errorf("the key is stored: %s", text)
	}
	s.said("recall", `{"query":"what do you know about me?"}`, `The user works at Initech`)
}
