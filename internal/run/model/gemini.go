package model

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

func geminiPath(_, model string, stream bool) string {
	path := "/models/" + url.PathEscape(strings.TrimPrefix(model, "models/"))
	if stream {
		return path + ":streamGenerateContent?alt=sse"
	}
	return path + ":generateContent"
}

// geminiBody returns a request to generate content. The model is in the path.
func geminiBody(p profile, r Request) (canon.Value, []Note) {
	turns, instructions := fromUser(turnsOf(r))
	if r.System != "" {
		instructions = append([]string{r.System}, instructions...)
	}
	parts := func(t turn) []canon.Value { return geminiParts(r.Model, t) }
	members := []canon.Member{member("contents", alternating(turns, "model", "parts", parts))}
	if len(instructions) > 0 {
		members = append(members, member("systemInstruction", canon.Object(member("parts", canon.Array(
			canon.Object(words("text", strings.Join(instructions, "\n\n"))))))))
	}
	if len(r.Tools) > 0 {
		var tools []canon.Value
		for _, t := range r.Tools {
			tools = append(tools, canon.Object(words("name", t.Name), description(t), member("parametersJsonSchema", t.Parameters)))
		}
		members = append(members, member("tools", canon.Array(canon.Object(member("functionDeclarations", canon.Array(tools...))))))
	}
	config, notes := p.params(r, map[string]string{"max_tokens": "maxOutputTokens", "top_p": "topP",
		"frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty", "stop": "stopSequences"})
	owned := []string{"model", "contents", "systemInstruction", "tools", "stream"}
	format, schema, more := p.format(r)
	if format != "" {
		config = append(config, words("responseMimeType", "application/json"), member("responseJsonSchema", schema))
		owned = append(owned, "generationConfig.responseMimeType", "generationConfig.responseSchema", "generationConfig.responseJsonSchema")
	}
	if len(config) > 0 {
		members = append(members, member("generationConfig", canon.Object(config...)))
	}
	body, collisions := extend(object(members), r.Params.Extended, owned)
	return body, append(append(notes, more...), collisions...)
}

// geminiParts returns the parts of a turn. Signatures go back with the calls that they came
// with. Newer models refuse the first call of a turn without one; skip is the provider's
// word for a call that another model made.
func geminiParts(model string, t turn) []canon.Value {
	const skip = "skip_thought_signature_validator"
	var parts, signatures []canon.Value
	if t.carry.Get("model").Text() == model {
		signatures = t.carry.Get("gemini").Items()
	}
	if t.text != "" {
		parts = append(parts, canon.Object(words("text", t.text)))
	}
	if t.role == tool {
		var behind []canon.Value
		for i, result := range t.results {
			within := geminiPictures(t.pictures[i])
			if len(within) > 0 && !isGemini3(model) { // it takes them behind the results
				behind = append(append(behind, canon.Object(words("text", beside(t.calls[i])))), within...)
				within = nil
			}
			parts = append(parts, geminiResult(t.calls[i].Tool, result, within))
		}
		return append(parts, behind...)
	}
	for i, c := range t.calls {
		part := canon.Object(member("functionCall", canon.Object(words("name", c.Tool), member("args", c.Arguments))))
		switch {
		case i < len(signatures) && signatures[i].Type() == canon.TypeString:
			part = part.With("thoughtSignature", signatures[i])
		case i == 0 && len(signatures) == 0 && isGemini3(model):
			part = part.With("thoughtSignature", canon.String(skip))
		}
		parts = append(parts, part)
	}
	return parts
}

func isGemini3(model string) bool {
	return strings.HasPrefix(strings.TrimPrefix(model, "models/"), "gemini-3")
}

// geminiResult returns the result of a call, which has to be an object, with the parts of its
// pictures.
func geminiResult(name, text string, pictures []canon.Value) canon.Value {
	response, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{})
	if err != nil || response.Type() != canon.TypeObject {
		response = canon.Object(words("result", text))
	}
	result := canon.Object(words("name", name), member("response", response))
	if len(pictures) > 0 {
		result = result.With("parts", canon.Array(pictures...))
	}
	return canon.Object(member("functionResponse", result))
}

// geminiAnswer reads generated content, whole or in pieces, which have the same form.
type geminiAnswer struct {
	text       strings.Builder
	calls      []aaif.Call
	signatures []canon.Value
	signed     bool
	in, out    int
	stop       string
	ended      bool
}

func (a *geminiAnswer) add(v canon.Value) (string, error) {
	if e := v.Get("error"); e.Type() == canon.TypeObject {
		status := int(e.Get("code").Float())
		if status < 400 || status > 599 {
			status = 500
		}
		return "", &errorInAnswer{status, v}
	}
	if u := v.Get("usageMetadata"); u.Type() == canon.TypeObject {
		a.in = count(u.Get("promptTokenCount"))
		a.out = count(u.Get("candidatesTokenCount")) + count(u.Get("thoughtsTokenCount"))
	}
	if v.Get("promptFeedback").Get("blockReason").Text() != "" {
		a.stop, a.ended = "safety", true
		return "", nil
	}
	candidates := v.Get("candidates")
	if candidates.Len() == 0 {
		if v.Has("usageMetadata") {
			return "", nil
		}
		return "", errShape
	}
	candidate := candidates.Items()[0]
	var b strings.Builder
	for _, part := range candidate.Get("content").Get("parts").Items() {
		b.WriteString(a.part(part))
	}
	piece := b.String()
	a.text.WriteString(piece)
	if stop := candidate.Get("finishReason").Text(); stop != "" {
		a.stop, a.ended = stop, true
	}
	return piece, nil
}

// part takes a part and returns its text; thoughts are none.
func (a *geminiAnswer) part(v canon.Value) string {
	if f := v.Get("functionCall"); f.Type() == canon.TypeObject {
		a.calls = append(a.calls, argumentsOf(f.Get("name").Text(), f.Get("id").Text(), f.Get("args")))
		signature := canon.Null()
		if s := v.Get("thoughtSignature"); s.Type() == canon.TypeString {
			signature, a.signed = s, true
		}
		a.signatures = append(a.signatures, signature)
		return ""
	}
	if v.Get("thought").True() {
		return ""
	}
	return v.Get("text").Text()
}

func (a *geminiAnswer) done() (Answer, bool) {
	answer := Answer{Text: a.text.String(), Calls: a.calls, InputTokens: a.in, OutputTokens: a.out, Stop: stopOf(a.stop, len(a.calls))}
	if a.signed {
		answer.Carry = canon.Object(member("gemini", canon.Array(a.signatures...)))
	}
	return answer, a.ended
}
