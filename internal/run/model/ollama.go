package model

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

func ollamaPath(base, _ string, _ bool) string {
	if strings.HasSuffix(base, "/api") {
		return "/chat"
	}
	return "/api/chat"
}

// ollamaBody returns a request of a chat. Without stream Ollama would send pieces.
func ollamaBody(p profile, r Request) (canon.Value, []Note) {
	members := []canon.Member{words("model", r.Model), member("messages", ollamaMessages(r))}
	if len(r.Tools) > 0 {
		var tools []canon.Value
		for _, t := range r.Tools {
			tools = append(tools, canon.Object(words("type", "function"), member("function", canon.Object(
				words("name", t.Name), description(t), member("parameters", t.Parameters)))))
		}
		members = append(members, member("tools", canon.Array(tools...)))
	}
	members = append(members, member("stream", canon.Bool(r.Stream)))
	owned := []string{"model", "messages", "tools", "stream"}
	format, schema, more := p.format(r)
	switch format {
	case "json":
		members = append(members, words("format", "json"))
	case "json_schema":
		members = append(members, member("format", schema))
	}
	if format != "" {
		owned = append(owned, "format")
	}
	options, notes := p.params(r, map[string]string{"max_tokens": "num_predict"})
	if len(options) > 0 {
		members = append(members, member("options", canon.Object(options...)))
	}
	body, collisions := extend(object(members), r.Params.Extended, owned)
	return body, append(append(notes, more...), collisions...)
}

func ollamaMessages(r Request) canon.Value {
	var all []canon.Value
	if r.System != "" {
		all = append(all, canon.Object(words("role", system), words("content", r.System)))
	}
	for _, t := range turnsOf(r) {
		switch {
		case t.role == tool:
			for i, result := range t.results {
				all = append(all, canon.Object(words("role", tool), words("content", result), words("tool_name", t.calls[i].Tool)))
			}
			all = append(all, ollamaPictures(t)...)
		case len(t.calls) > 0:
			var calls []canon.Value
			for _, c := range t.calls {
				calls = append(calls, canon.Object(member("function", canon.Object(words("name", c.Tool), member("arguments", c.Arguments)))))
			}
			all = append(all, canon.Object(words("role", assistant), words("content", t.text), member("tool_calls", canon.Array(calls...))))
		default:
			all = append(all, canon.Object(words("role", t.role), words("content", t.text)))
		}
	}
	return canon.Array(all...)
}

// ollamaAnswer reads a chat's answer, whole or in lines, which have the same form.
type ollamaAnswer struct {
	text    strings.Builder
	calls   []aaif.Call
	in, out int
	stop    string
	ended   bool
}

func (a *ollamaAnswer) add(v canon.Value) (string, error) {
	if e := v.Get("error"); e.Type() == canon.TypeString {
		return "", &errorInAnswer{500, v}
	}
	message := v.Get("message")
	if message.Type() != canon.TypeObject {
		return "", errShape
	}
	piece := message.Get("content").Text()
	a.text.WriteString(piece)
	for _, c := range message.Get("tool_calls").Items() {
		f := c.Get("function")
		a.calls = append(a.calls, argumentsOf(f.Get("name").Text(), c.Get("id").Text(), f.Get("arguments")))
	}
	if v.Get("done").True() {
		a.in, a.out = count(v.Get("prompt_eval_count")), count(v.Get("eval_count"))
		a.stop, a.ended = v.Get("done_reason").Text(), true
	}
	return piece, nil
}

func (a *ollamaAnswer) done() (Answer, bool) {
	return Answer{Text: a.text.String(), Calls: a.calls, InputTokens: a.in, OutputTokens: a.out, Stop: stopOf(a.stop, len(a.calls))}, a.ended
}
