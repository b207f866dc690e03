package fakemodel

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

func gemini() dialect {
	return dialect{wire: model.Gemini, read: geminiRead, whole: geminiWhole, pieces: geminiPieces,
		refusal: func(status int, code, text string) canon.Value {
			if code == "model_not_found" {
				code = "NOT_FOUND"
			}
			return canon.Object(member("error", canon.Object(number("code", status), words("message", text), words("status", code))))
		}}
}

func geminiRead(body canon.Value) []message {
	var all []message
	if s := body.Get("systemInstruction"); s.Type() == canon.TypeObject {
		all = append(all, message{role: "system", text: texts(s.Get("parts"))})
	}
	for _, c := range body.Get("contents").Items() {
		one := message{role: c.Get("role").Text(), text: texts(c.Get("parts"))}
		if one.role == "model" {
			one.role = "assistant"
		}
		for _, p := range c.Get("parts").Items() {
			if f := p.Get("functionCall"); f.Type() == canon.TypeObject {
				one.calls = append(one.calls, f.Get("name").Text())
			}
			if f := p.Get("functionResponse"); f.Type() == canon.TypeObject {
				one.results = append(one.results, f.Get("name").Text())
				one.text += string(f.Get("response").Append(nil)) + "\n"
			}
		}
		all = append(all, one)
	}
	return all
}

// geminiChunk returns generated content of some parts. Calls have no ids.
func geminiChunk(a reply, last bool, parts ...canon.Value) canon.Value {
	candidate := canon.Object(member("content", canon.Object(words("role", "model"), member("parts", canon.Array(parts...)))))
	u := a.Tokens()
	usage := canon.Object(number("promptTokenCount", u.Input))
	if last {
		candidate = candidate.With("finishReason", canon.String(stop(a, "STOP", "STOP", "MAX_TOKENS")))
		usage = usage.With("candidatesTokenCount", canon.Int(int64(u.Output)))
	}
	return canon.Object(member("candidates", canon.Array(candidate)), member("usageMetadata", usage))
}

func geminiCalls(a reply) []canon.Value {
	var parts []canon.Value
	for _, c := range a.Calls {
		parts = append(parts, canon.Object(member("functionCall", canon.Object(words("name", c.Tool), member("args", value(c))))))
	}
	return parts
}

func geminiWhole(a reply) canon.Value {
	var parts []canon.Value
	if a.Answer != "" {
		parts = append(parts, canon.Object(words("text", a.Answer)))
	}
	return geminiChunk(a, true, append(parts, geminiCalls(a)...)...)
}

func geminiPieces(a reply) []canon.Value {
	var all []canon.Value
	for _, piece := range cutText(a.Answer) {
		all = append(all, geminiChunk(a, false, canon.Object(words("text", piece))))
	}
	return append(all, geminiChunk(a, true, geminiCalls(a)...))
}
