package model

import (
	"cmp"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// openaiPath is the path of chat completions (AAIF-4.2-19).
func openaiPath(string, string, bool) string { return "/chat/completions" }

// openaiBody returns a request for chat completions.
func openaiBody(p profile, r Request) (canon.Value, []Note) {
	members := []canon.Member{words("model", r.Model), member("messages", openaiMessages(p, r))}
	if len(r.Tools) > 0 {
		var tools []canon.Value
		for _, t := range r.Tools {
			tools = append(tools, canon.Object(words("type", "function"), member("function", canon.Object(
				words("name", t.Name), description(t), member("parameters", t.Parameters)))))
		}
		members = append(members, member("tools", canon.Array(tools...)))
	}
	params, notes := p.params(r, nil)
	owned := []string{"model", "models", "messages", "tools", "functions", "mcp_servers", "stream", "stream_options"}
	format, schema, more := p.format(r)
	switch format {
	case "json":
		members = append(members, member("response_format", canon.Object(words("type", "json_object"))))
	case "json_schema":
		members = append(members, member("response_format", canon.Object(words("type", "json_schema"),
			member("json_schema", canon.Object(words("name", "answer"), member("schema", schema))))))
	}
	if format != "" {
		owned = append(owned, "response_format")
	}
	if r.Stream {
		members = append(members, member("stream", canon.Bool(true)))
		if !p.silent {
			members = append(members, member("stream_options", canon.Object(member("include_usage", canon.Bool(true)))))
		}
	}
	body, collisions := extend(object(members, params), r.Params.Extended, owned)
	return body, append(append(notes, more...), collisions...)
}

func openaiMessages(p profile, r Request) canon.Value {
	id := func(s string) canon.Member { return words("id", s) }
	answered := func(s string) canon.Member { return words("tool_call_id", s) }
	if p.shortIDs {
		id = func(s string) canon.Member { return words("id", shortID(s, 9, true, "")) }
		answered = func(s string) canon.Member { return words("tool_call_id", shortID(s, 9, true, "")) }
	}
	var all []canon.Value
	if r.System != "" {
		all = append(all, canon.Object(words("role", system), words("content", r.System)))
	}
	for _, t := range turnsOf(r) {
		switch {
		case t.role == tool:
			for i, result := range t.results {
				all = append(all, canon.Object(words("role", tool), answered(t.calls[i].ID), words("content", result)))
			}
			all = append(all, openaiPictures(t)...)
		case len(t.calls) > 0:
			content := canon.Null()
			if t.text != "" {
				content = canon.String(t.text)
			}
			var calls []canon.Value
			for _, c := range t.calls {
				calls = append(calls, canon.Object(id(c.ID), words("type", "function"), member("function", canon.Object(
					words("name", c.Tool), words("arguments", string(c.Arguments.Append(nil)))))))
			}
			all = append(all, canon.Object(words("role", assistant), member("content", content), member("tool_calls", canon.Array(calls...))))
		default:
			all = append(all, canon.Object(words("role", t.role), words("content", t.text)))
		}
	}
	return canon.Array(all...)
}

// openaiAnswer reads chat completions, whole or in chunks.
type openaiAnswer struct {
	text    strings.Builder
	calls   []*openaiCall
	in, out int
	stop    string
	refused bool // by the model
	ended   bool
}

type openaiCall struct {
	index     int
	id, name  string
	arguments strings.Builder
}

func (a *openaiAnswer) add(v canon.Value) (string, error) {
	if e := v.Get("error"); e.Type() == canon.TypeObject || e.Type() == canon.TypeString {
		status := int(e.Get("code").Float())
		if status < 400 || status > 599 {
			status = 500
		}
		return "", &errorInAnswer{status, v}
	}
	if u := v.Get("usage"); u.Type() == canon.TypeObject {
		a.in, a.out = count(u.Get("prompt_tokens")), count(u.Get("completion_tokens"))
	}
	choices := v.Get("choices")
	if choices.Type() != canon.TypeArray {
		return "", errShape
	}
	if choices.Len() == 0 {
		return "", nil // a chunk about tokens only
	}
	choice := choices.Items()[0]
	message, whole := choice.Get("delta"), false
	if message.Type() != canon.TypeObject {
		message, whole = choice.Get("message"), true
	}
	if message.Type() != canon.TypeObject {
		return "", errShape
	}
	refusal := message.Get("refusal").Text()
	piece := openaiText(message.Get("content")) + refusal
	a.text.WriteString(piece)
	a.refused = a.refused || refusal != ""
	for i, c := range message.Get("tool_calls").Items() {
		if a.call(i, whole, c); len(a.calls) > mostCalls {
			return "", errLarge
		}
	}
	if stop := choice.Get("finish_reason").Text(); stop != "" || whole {
		a.stop, a.ended = stop, true
	}
	return piece, nil
}

// openaiText returns a message's text, which some servers send in parts.
func openaiText(v canon.Value) string {
	if v.Type() != canon.TypeArray {
		return v.Text()
	}
	var b strings.Builder
	for _, part := range v.Items() {
		b.WriteString(part.Get("text").Text())
	}
	return b.String()
}

// call takes item i of a list of calls: a whole one, or a piece. Pieces of a call have its
// index; a piece without an index begins a call if it has an id, and else belongs to the
// latest.
func (a *openaiAnswer) call(i int, whole bool, v canon.Value) {
	f, id, last := v.Get("function"), v.Get("id").Text(), len(a.calls)-1
	switch at := v.Get("index"); {
	case whole:
	case at.Type() == canon.TypeNumber:
		i = int(at.Float())
	case last >= 0 && id != "":
		i = a.calls[last].index + 1
	case last >= 0:
		i = a.calls[last].index
	}
	at := -1
	for k := range a.calls {
		if a.calls[k].index == i && (id == "" || a.calls[k].id == "" || a.calls[k].id == id) {
			at = k
		}
	}
	if at < 0 {
		a.calls = append(a.calls, &openaiCall{index: i})
		at = len(a.calls) - 1
	}
	c := a.calls[at]
	c.id, c.name = cmp.Or(c.id, id), cmp.Or(c.name, f.Get("name").Text())
	if args := f.Get("arguments"); args.Type() == canon.TypeObject {
		c.arguments.Write(args.Append(nil)) // some servers send the object itself
	} else {
		c.arguments.WriteString(args.Text())
	}
}

func (a *openaiAnswer) done() (Answer, bool) {
	var calls []aaif.Call
	for _, c := range a.calls {
		calls = append(calls, arguments(c.name, c.id, c.arguments.String()))
	}
	answer := Answer{Text: a.text.String(), Calls: calls, InputTokens: a.in, OutputTokens: a.out, Stop: stopOf(a.stop, len(calls))}
	if a.refused {
		answer.Stop = StopFilter
	}
	return answer, a.ended
}
