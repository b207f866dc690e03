package assistants

import (
	"unicode/utf16"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// The limits of an assistant, in characters and tools.
const (
	longestName         = 256
	longestDescription  = 512
	longestInstructions = 256_000
	mostTools           = 128
)

// visiblePart returns the members of a definition, or of a part of one, that an assistant
// has members for.
func visiblePart(v canon.Value) canon.Value {
	agent := v.Get("agent")
	model := agent.Get("model")
	params := model.Get("params")
	return canon.Object(
		member("object", canon.String("assistant")),
		member("name", cut(agent.Get("name"), longestName)),
		member("description", cut(agent.Get("description"), longestDescription)),
		member("model", model.Get("preferred")),
		member("instructions", cut(agent.Get("instructions"), longestInstructions)),
		member("tools", visibleTools(agent.Get("tools"))),
		member("temperature", model.Get("temperature")),
		member("top_p", params.Get("top_p")),
		member("reasoning_effort", text(params.Get("extended").Get("reasoning_effort"))),
		member("response_format", shownFormat(agent)))
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

// text returns a string that is not empty, else an undefined value.
func text(v canon.Value) canon.Value {
	if v.Text() == "" {
		return canon.Value{}
	}
	return v
}

// cut shortens a text to a number of characters, counted in UTF-16.
func cut(v canon.Value, most int) canon.Value {
	n := 0
	for i, r := range v.Text() {
		if n += utf16.RuneLen(r); n > most {
			return canon.String(v.Text()[:i])
		}
	}
	return v
}

func shownFormat(agent canon.Value) canon.Value {
	kind := func(name string) canon.Value { return canon.Object(member("type", canon.String(name))) }
	switch agent.Get("model").Get("response_format").Text() {
	case "text", "markdown":
		return kind("text")
	case "json":
		return kind("json_object")
	case "json_schema":
		return kind("json_schema").With("json_schema", canon.Object(
			member("name", canon.String(schemaName)), member("schema", agent.Get("io").Get("output_schema"))))
	}
	return canon.Value{}
}

// schemaName is the name of the output schema.
const schemaName = "output"

// visibleTools returns the function tools, each name once.
func visibleTools(tools canon.Value) canon.Value {
	var list []canon.Value
	had := map[string]bool{}
	for _, t := range tools.Items() {
		name := t.Get("name").Text()
		if isFunction(t) && !had[name] && len(list) < mostTools {
			had[name] = true
			list = append(list, canon.Object(member("type", canon.String("function")), member("function", canon.Object(
				member("name", t.Get("name")), member("description", t.Get("description")), member("parameters", t.Get("parameters_schema"))))))
		}
	}
	return canon.Array(list...)
}

func isFunction(tool canon.Value) bool {
	p := tool.Get("protocol").Text()
	return p == "" || p == string(aaif.FunctionTool)
}

// functions counts the function tools, each name once.
func functions(tools canon.Value) int {
	had := map[string]bool{}
	for _, t := range tools.Items() {
		if isFunction(t) {
			had[t.Get("name").Text()] = true
		}
	}
	return len(had)
}
