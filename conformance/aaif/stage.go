package aaifsuite

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// stage is the model and the tools of the agents that a run starts. The platform asks the
// model by the wire of chat completions, and calls the tools by HTTP.
type stage struct {
	base string // its address, without a slash at its end

	mu     sync.Mutex
	play   play
	asked  []canon.Value // requests to the model
	called []canon.Value // objects with the name of a tool, and what it was called with
}

// play says what the model answers, from the number of its turns so far.
type play func(turn int) line

// line is an answer of the model: a text, or a call of a tool.
type line struct {
	text      string
	tool      string
	arguments string
	after     time.Duration
}

// calls answers the first turn with a call of a tool, and then with a text.
func calls(tool, arguments string) play {
	return func(turn int) line {
		if turn == 0 {
			return line{tool: tool, arguments: arguments}
		}
		return line{text: done}
	}
}

// done is what the model says in the end.
const done = "It is done."

// set begins another play.
func (s *stage) set(p play) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.play, s.asked, s.called = p, nil, nil
}

// seen returns the requests to the model and the calls of the tools since the play began.
func (s *stage) seen() (asked, called []canon.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.called
}

// mostAsked is the most bytes of a request to the stage.
const mostAsked = 1 << 20

// ServeHTTP answers as the model or as a tool.
func (s *stage) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(q.Body, mostAsked))
	if err != nil {
		return
	}
	body, err := canon.Parse(raw, canon.Options{})
	if tool, ok := strings.CutPrefix(q.URL.Path, "/tools/"); ok {
		s.mu.Lock()
		s.called = append(s.called, text("tool", tool).With("arguments", body))
		s.mu.Unlock()
		answerJSON(w, canon.Object(canon.Member{Name: "result", Value: canon.String("result of " + tool)}))
		return
	}
	if err != nil || !strings.HasSuffix(q.URL.Path, "/chat/completions") {
		http.NotFound(w, q)
		return
	}
	turn := 0
	for _, m := range body.Get("messages").Items() {
		if m.Get("role").Text() == "assistant" {
			turn++
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, body)
	said := s.play(turn)
	s.mu.Unlock()
	select {
	case <-time.After(said.after):
	case <-q.Context().Done():
		return
	}
	answerJSON(w, said.completion(turn))
}

// completion writes a line as the answer of a provider.
func (l line) completion(turn int) canon.Value {
	message, why := text("role", "assistant", "content", l.text), "stop"
	if l.tool != "" {
		why = "tool_calls"
		call := text("id", "call_"+string(rune('a'+turn%26)), "type", "function").With("function", text("name", l.tool, "arguments", l.arguments))
		message = message.With("tool_calls", canon.Array(call))
	}
	choice := canon.Object(canon.Member{Name: "index", Value: canon.Int(0)}, canon.Member{Name: "message", Value: message}, canon.Member{Name: "finish_reason", Value: canon.String(why)})
	tokens := canon.Object(canon.Member{Name: "prompt_tokens", Value: canon.Int(9)}, canon.Member{Name: "completion_tokens", Value: canon.Int(3)}, canon.Member{Name: "total_tokens", Value: canon.Int(12)})
	return text("id", "chatcmpl-1", "object", "chat.completion", "model", "conformance").With("choices", canon.Array(choice)).With("usage", tokens)
}

func answerJSON(w http.ResponseWriter, v canon.Value) {
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(v.Append(nil)) // a platform that has gone reads nothing
}

// quoted writes a value as JSON.
func quoted(v any) string {
	raw, err := json.Marshal(v)
	if err != nil { // impossible for the values of this package
		return "null"
	}
	return string(raw)
}
