package fakemodel

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

func ollama() dialect {
	return dialect{wire: model.Ollama, read: ollamaRead, whole: ollamaWhole, pieces: ollamaPieces, lines: true,
		refusal: func(_ int, _, text string) canon.Value { return canon.Object(words("error", text)) }}
}

func ollamaRead(body canon.Value) []message {
	var all []message
	for _, m := range body.Get("messages").Items() {
		one := message{role: m.Get("role").Text(), text: m.Get("content").Text()}
		for _, c := range m.Get("tool_calls").Items() {
			one.calls = append(one.calls, c.Get("function").Get("name").Text())
		}
		if one.role == "tool" {
			one.results = []string{m.Get("tool_name").Text()}
		}
		all = append(all, one)
	}
	return openaiTurns(all)
}

// ollamaLine returns a line of an answer. Calls have no ids.
func ollamaLine(a reply, text string, calls, last bool) canon.Value {
	message := canon.Object(words("role", "assistant"), words("content", text))
	if calls && len(a.Calls) > 0 {
		var all []canon.Value
		for _, c := range a.Calls {
			all = append(all, canon.Object(member("function", canon.Object(words("name", c.Tool), member("arguments", value(c))))))
		}
		message = message.With("tool_calls", canon.Array(all...))
	}
	line := canon.Object(words("model", a.model), member("message", message), member("done", canon.Bool(last)))
	if u := a.Tokens(); last {
		line = line.With("done_reason", canon.String(stop(a, "stop", "stop", "length"))).
			With("prompt_eval_count", canon.Int(int64(u.Input))).With("eval_count", canon.Int(int64(u.Output)))
	}
	return line
}

func ollamaWhole(a reply) canon.Value { return ollamaLine(a, a.Answer, true, true) }

func ollamaPieces(a reply) []canon.Value {
	var all []canon.Value
	for _, piece := range cutText(a.Answer) {
		all = append(all, ollamaLine(a, piece, false, false))
	}
	return append(all, ollamaLine(a, "", true, false), ollamaLine(a, "", false, true))
}
