package model

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// usualTokens is the most tokens of an answer if the definition does not say.
const usualTokens = 4096

func anthropicPath(base, _ string, _ bool) string {
	if strings.HasSuffix(base, "/v1") {
		return "/messages"
	}
	return "/v1/messages"
}

// anthropicBody returns a request for a message.
func anthropicBody(p profile, r Request) (canon.Value, []Note) {
	turns, instructions := fromUser(turnsOf(r))
	if r.System != "" {
		instructions = append([]string{r.System}, instructions...)
	}
	blocks := func(t turn) []canon.Value { return anthropicBlocks(r.Model, t) }
	members := []canon.Member{words("model", r.Model), member("messages", alternating(turns, assistant, "content", blocks))}
	if len(instructions) > 0 {
		members = append(members, words("system", strings.Join(instructions, "\n\n")))
	}
	if len(r.Tools) > 0 {
		var tools []canon.Value
		for _, t := range r.Tools {
			schema := t.Parameters
			if schema.Type() == canon.TypeUndefined {
				schema = canon.Object(words("type", "object"))
			}
			tools = append(tools, canon.Object(words("name", t.Name), description(t), member("input_schema", schema)))
		}
		members = append(members, member("tools", canon.Array(tools...)))
	}
	if r.Params.MaxTokens == nil { // required; a budget for thinking counts in
		most := usualTokens + count(r.Params.Extended.Get("thinking").Get("budget_tokens"))
		r.Params.MaxTokens = &most
	}
	params, notes := p.params(r, map[string]string{"stop": "stop_sequences"})
	owned := []string{"model", "messages", "system", "tools", "mcp_servers", "stream"}
	switch format, schema, more := p.format(r); format {
	case "json_schema":
		members = append(members, member("output_config", canon.Object(member("format",
			canon.Object(words("type", "json_schema"), member("schema", schema))))))
		owned = append(owned, "output_config.format", "output_format")
	case "json":
		if len(more) == 0 {
			more = []Note{{Dropped, "response_format"}} // it has schemas only
		}
		notes = append(notes, more...)
	}
	if r.Stream {
		members = append(members, member("stream", canon.Bool(true)))
	}
	body, collisions := extend(object(members, params), r.Params.Extended, owned)
	return body, append(notes, collisions...)
}

func anthropicBlocks(model string, t turn) []canon.Value {
	id := func(s string) string { return shortID(s, 64, false, "_-") }
	var blocks []canon.Value
	if carried := t.carry.Get("anthropic"); t.carry.Get("model").Text() == model {
		blocks = append(blocks, carried.Items()...)
	}
	if t.text != "" {
		blocks = append(blocks, canon.Object(words("type", "text"), words("text", t.text)))
	}
	if t.role == tool {
		for i, result := range t.results {
			blocks = append(blocks, canon.Object(words("type", "tool_result"), words("tool_use_id", id(t.calls[i].ID)), member("content", anthropicContent(result, t.pictures[i]))))
		}
		return blocks
	}
	for _, c := range t.calls {
		blocks = append(blocks, canon.Object(words("type", "tool_use"), words("id", id(c.ID)), words("name", c.Tool), member("input", c.Arguments)))
	}
	return blocks
}

// anthropicAnswer reads a message, whole or by events.
type anthropicAnswer struct {
	blocks  []*anthropicBlock
	in, out int
	stop    string
	ended   bool
}

// anthropicBlock is a block of a message: its beginning, and the pieces that follow.
type anthropicBlock struct {
	index                     int
	start                     canon.Value
	text, json, thought, sign strings.Builder
}

func (a *anthropicAnswer) add(v canon.Value) (string, error) {
	switch v.Get("type").Text() {
	case "error":
		return "", &errorInAnswer{anthropicStatus(v.Get("error").Get("type").Text()), v}
	case "message": // a whole one
		if v.Get("content").Len() > mostCalls {
			return "", errLarge
		}
		for i, b := range v.Get("content").Items() {
			a.blocks = append(a.blocks, &anthropicBlock{index: i, start: b})
		}
		a.usage(v.Get("usage"))
		a.stop, a.ended = v.Get("stop_reason").Text(), v.Get("content").Type() == canon.TypeArray
		if !a.ended {
			return "", errShape
		}
		answer, _ := a.done()
		return answer.Text, nil
	case "message_start":
		a.usage(v.Get("message").Get("usage"))
	case "content_block_start":
		b := &anthropicBlock{index: int(v.Get("index").Float()), start: v.Get("content_block")}
		if a.blocks = append(a.blocks, b); len(a.blocks) > mostCalls {
			return "", errLarge
		}
		return b.start.Get("text").Text(), nil
	case "content_block_delta":
		return a.delta(int(v.Get("index").Float()), v.Get("delta"))
	case "message_delta":
		a.stop = v.Get("delta").Get("stop_reason").Text()
		a.usage(v.Get("usage"))
	case "message_stop":
		a.ended = true
	case "":
		return "", errShape
	}
	return "", nil // pings, and events that may come one day
}

func (a *anthropicAnswer) delta(index int, d canon.Value) (string, error) {
	for _, b := range a.blocks {
		if b.index == index {
			b.text.WriteString(d.Get("text").Text())
			b.json.WriteString(d.Get("partial_json").Text())
			b.thought.WriteString(d.Get("thinking").Text())
			b.sign.WriteString(d.Get("signature").Text())
			return d.Get("text").Text(), nil
		}
	}
	return "", errShape
}

// usage takes numbers of tokens; what came from a cache, or went into one, is input.
func (a *anthropicAnswer) usage(u canon.Value) {
	if in := count(u.Get("input_tokens")) + count(u.Get("cache_read_input_tokens")) + count(u.Get("cache_creation_input_tokens")); in > 0 {
		a.in = in
	}
	if out := count(u.Get("output_tokens")); out > 0 {
		a.out = out
	}
}

func (a *anthropicAnswer) done() (Answer, bool) {
	answer := Answer{InputTokens: a.in, OutputTokens: a.out}
	var text strings.Builder
	var thoughts []canon.Value
	for _, b := range a.blocks {
		switch b.start.Get("type").Text() {
		case "text":
			text.WriteString(b.start.Get("text").Text() + b.text.String())
		case "tool_use":
			answer.Calls = append(answer.Calls, b.call())
		case "thinking", "redacted_thinking":
			thoughts = append(thoughts, b.thinking())
		}
	}
	answer.Text, answer.Stop = text.String(), stopOf(a.stop, len(answer.Calls))
	if len(thoughts) > 0 && len(answer.Calls) > 0 {
		answer.Carry = canon.Object(member("anthropic", canon.Array(thoughts...)))
	}
	return answer, a.ended
}

func (b *anthropicBlock) call() aaif.Call {
	name, id := b.start.Get("name").Text(), b.start.Get("id").Text()
	if b.json.Len() > 0 {
		return arguments(name, id, b.json.String())
	}
	return argumentsOf(name, id, b.start.Get("input"))
}

func (b *anthropicBlock) thinking() canon.Value {
	v := b.start
	if b.thought.Len() > 0 {
		v = v.With("thinking", canon.String(v.Get("thinking").Text()+b.thought.String()))
	}
	if b.sign.Len() > 0 {
		v = v.With("signature", canon.String(b.sign.String()))
	}
	return v
}

// anthropicStatus returns the status that an error of a stream would have had.
func anthropicStatus(kind string) int {
	switch kind {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "overloaded_error":
		return 529
	}
	return 500
}
