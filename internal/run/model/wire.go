package model

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// format is a provider's form of requests and answers, as pure functions.
type format struct {
	// path returns the path of the operation behind a base path, and its query.
	path func(base, model string, stream bool) string
	body func(profile, Request) (canon.Value, []Note)
	// collector returns what reads an answer.
	collector func() collector
}

// collector reads an answer: one object, or those of a stream in their order.
type collector interface {
	// add takes an object and returns the piece of text in it. It fails with an *errorInAnswer that holds
	// what the provider says instead of an answer, or because the object is none.
	add(v canon.Value) (piece string, err error)
	// done returns the answer; false: its end is missing. Ids of calls may be empty.
	done() (Answer, bool)
}

// errorInAnswer is an error that a provider reports inside of an answer.
type errorInAnswer struct {
	status int // of HTTP, as the provider's words would have
	body   canon.Value
}

func (s *errorInAnswer) Error() string { return "the provider reports an error" }

// formats returns the four formats.
func formats() map[Wire]format {
	return map[Wire]format{
		OpenAI:    {openaiPath, openaiBody, func() collector { return &openaiAnswer{} }},
		Anthropic: {anthropicPath, anthropicBody, func() collector { return &anthropicAnswer{} }},
		Gemini:    {geminiPath, geminiBody, func() collector { return &geminiAnswer{} }},
		Ollama:    {ollamaPath, ollamaBody, func() collector { return &ollamaAnswer{} }},
	}
}

// header returns the header of a request.
func (p profile) headers(e Endpoint) http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream, application/x-ndjson"}, "User-Agent": {"satchel"}}
	if e.Wire == Anthropic {
		h.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case e.Key == "":
	case p.header == "":
		h.Set("Authorization", "Bearer "+e.Key)
	default:
		h.Set(p.header, e.Key)
	}
	return h
}

// member returns a member of an object.
func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

// words returns a member with a text.
func words(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(text)}
}

// description returns the member that describes a tool; nothing if it has no description.
func description(t Tool) canon.Member {
	if t.Description == "" {
		return canon.Member{}
	}
	return words("description", t.Description)
}

// object returns an object with one list of members after the other.
func object(lists ...[]canon.Member) canon.Value {
	var all []canon.Member
	for _, l := range lists {
		all = append(all, l...)
	}
	return canon.Object(all...)
}

// arguments reads the arguments of a call. Arguments that are no object, or that hold a
// number which would not survive, count as unreadable.
func arguments(tool, id, text string) aaif.Call {
	c := aaif.Call{ID: id, Tool: tool, Arguments: canon.Object()}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return c
	}
	v, err := canon.Parse([]byte(text), canon.Options{}) // without Inexact: no number may change on its way
	if err != nil || v.Type() != canon.TypeObject {
		c.Guessed = true
		return c
	}
	c.Arguments = v
	return c
}

// argumentsOf is arguments of a value.
func argumentsOf(tool, id string, v canon.Value) aaif.Call {
	if v.Type() == canon.TypeUndefined {
		return arguments(tool, id, "")
	}
	return arguments(tool, id, string(v.Append(nil)))
}

// count returns a number of tokens.
func count(v canon.Value) int { return int(max(0, min(v.Float(), 1<<40))) }

// stopOf returns a provider's reason to stop in the words of this package.
func stopOf(reason string, calls int) string {
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "eos", "":
		if calls > 0 {
			return StopCalls
		}
		return StopEnd
	case "tool_calls", "tool_use", "function_call":
		return StopCalls
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return StopLength
	case "content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety":
		return StopFilter
	}
	return strings.ToLower(reason)
}
