package fakemodel

import (
	"cmp"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

func openai() dialect {
	return dialect{wire: model.OpenAI, read: openaiRead, whole: openaiWhole, pieces: openaiPieces, done: true,
		refusal: func(status int, code, text string) canon.Value {
			return canon.Object(member("error", canon.Object(words("message", text), words("type", "error"), words("code", code), number("status", status))))
		}}
}

func openaiRead(body canon.Value) []message {
	var all []message
	for _, m := range body.Get("messages").Items() {
		one := message{role: m.Get("role").Text(), text: texts(m.Get("content"))}
		for _, c := range m.Get("tool_calls").Items() {
			one.calls = append(one.calls, c.Get("id").Text())
		}
		if id := m.Get("tool_call_id").Text(); id != "" {
			one.results = []string{id}
		}
		all = append(all, one)
	}
	return openaiTurns(all)
}

// openaiTurns puts the results of one turn into one message.
func openaiTurns(all []message) []message {
	var turns []message
	for _, m := range all {
		if last := len(turns) - 1; m.role == "tool" && last >= 0 && turns[last].role == "tool" {
			turns[last].text += "\n" + m.text
			turns[last].results = append(turns[last].results, m.results...)
			continue
		}
		turns = append(turns, m)
	}
	return turns
}

// id returns the id of call i of a turn.
func id(a reply, prefix string, i int) string {
	return cmp.Or(a.Calls[i].ID, fmt.Sprintf("%s_%d_%d", prefix, a.turn, i))
}

func openaiUsage(a reply) canon.Member {
	u := a.Tokens()
	return member("usage", canon.Object(number("prompt_tokens", u.Input), number("completion_tokens", u.Output), number("total_tokens", u.Input+u.Output)))
}

func openaiCall(a reply, i int, arguments string) canon.Value {
	return canon.Object(words("id", id(a, "call", i)), words("type", "function"),
		member("function", canon.Object(words("name", a.Calls[i].Tool), words("arguments", arguments))))
}

func openaiWhole(a reply) canon.Value {
	message := canon.Object(words("role", "assistant"), words("content", a.Answer))
	var calls []canon.Value
	for i, c := range a.Calls {
		calls = append(calls, openaiCall(a, i, c.Text()))
	}
	if len(calls) > 0 {
		message = message.With("tool_calls", canon.Array(calls...))
	}
	return canon.Object(words("id", "chatcmpl-1"), words("object", "chat.completion"), words("model", a.model),
		member("choices", canon.Array(canon.Object(number("index", 0), member("message", message), words("finish_reason", stop(a, "stop", "tool_calls", "length"))))),
		openaiUsage(a))
}

func openaiPieces(a reply) []canon.Value {
	chunk := func(delta canon.Value, stop canon.Value) canon.Value {
		return canon.Object(words("object", "chat.completion.chunk"), words("model", a.model), member("choices", canon.Array(
			canon.Object(number("index", 0), member("delta", delta), member("finish_reason", stop)))))
	}
	all := []canon.Value{chunk(canon.Object(words("role", "assistant"), words("content", "")), canon.Null())}
	for _, piece := range cutText(a.Answer) {
		all = append(all, chunk(canon.Object(words("content", piece)), canon.Null()))
	}
	for i, c := range a.Calls {
		first := openaiCall(a, i, "").With("index", canon.Int(int64(i)))
		all = append(all, chunk(canon.Object(member("tool_calls", canon.Array(first))), canon.Null()))
		for _, piece := range cutText(c.Text()) {
			rest := canon.Object(number("index", i), member("function", canon.Object(words("arguments", piece))))
			all = append(all, chunk(canon.Object(member("tool_calls", canon.Array(rest))), canon.Null()))
		}
	}
	return append(all, chunk(canon.Object(), canon.String(stop(a, "stop", "tool_calls", "length"))),
		canon.Object(words("object", "chat.completion.chunk"), member("choices", canon.Array()), openaiUsage(a)))
}
