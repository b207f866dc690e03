package fakemodel

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

func anthropic() dialect {
	return dialect{wire: model.Anthropic, read: anthropicRead, whole: anthropicWhole, pieces: anthropicPieces,
		refusal: func(status int, code, text string) canon.Value {
			if code == "model_not_found" {
				code = "not_found_error"
			}
			return canon.Object(words("type", "error"), member("error", canon.Object(words("type", code), words("message", text))))
		}}
}

func anthropicRead(body canon.Value) []message {
	var all []message
	if s := body.Get("system"); s.Type() != canon.TypeUndefined {
		all = append(all, message{role: "system", text: texts(s)})
	}
	for _, m := range body.Get("messages").Items() {
		one := message{role: m.Get("role").Text(), text: texts(m.Get("content"))}
		for _, b := range m.Get("content").Items() {
			switch b.Get("type").Text() {
			case "tool_use":
				one.calls = append(one.calls, b.Get("id").Text())
			case "tool_result":
				one.results = append(one.results, b.Get("tool_use_id").Text())
				one.text += texts(b.Get("content")) + "\n"
			}
		}
		all = append(all, one)
	}
	return all
}

func anthropicUsage(a reply) canon.Member {
	u := a.Tokens()
	return member("usage", canon.Object(number("input_tokens", u.Input), number("output_tokens", u.Output)))
}

func anthropicWhole(a reply) canon.Value {
	var blocks []canon.Value
	if a.Answer != "" {
		blocks = append(blocks, canon.Object(words("type", "text"), words("text", a.Answer)))
	}
	for i, c := range a.Calls {
		blocks = append(blocks, canon.Object(words("type", "tool_use"), words("id", id(a, "toolu", i)), words("name", c.Tool), member("input", value(c))))
	}
	return canon.Object(words("id", "msg_1"), words("type", "message"), words("role", "assistant"), words("model", a.model),
		member("content", canon.Array(blocks...)), words("stop_reason", stop(a, "end_turn", "tool_use", "max_tokens")), anthropicUsage(a))
}

func anthropicPieces(a reply) []canon.Value {
	u := a.Tokens()
	all := []canon.Value{
		canon.Object(words("type", "message_start"), member("message", canon.Object(words("type", "message"), member("usage",
			canon.Object(number("input_tokens", u.Input), number("output_tokens", 1)))))),
		canon.Object(words("type", "ping")),
	}
	index := 0
	block := func(start canon.Value, kind, name string, pieces []string) {
		all = append(all, canon.Object(words("type", "content_block_start"), number("index", index), member("content_block", start)))
		for _, p := range pieces {
			all = append(all, canon.Object(words("type", "content_block_delta"), number("index", index),
				member("delta", canon.Object(words("type", kind), words(name, p)))))
		}
		all = append(all, canon.Object(words("type", "content_block_stop"), number("index", index)))
		index++
	}
	if a.Answer != "" {
		block(canon.Object(words("type", "text"), words("text", "")), "text_delta", "text", cutText(a.Answer))
	}
	for i, c := range a.Calls {
		start := canon.Object(words("type", "tool_use"), words("id", id(a, "toolu", i)), words("name", c.Tool), member("input", canon.Object()))
		block(start, "input_json_delta", "partial_json", cutText(c.Text()))
	}
	return append(all, canon.Object(words("type", "message_delta"), member("delta", canon.Object(words("stop_reason", stop(a, "end_turn", "tool_use", "max_tokens")))),
		member("usage", canon.Object(number("output_tokens", u.Output)))), canon.Object(words("type", "message_stop")))
}
