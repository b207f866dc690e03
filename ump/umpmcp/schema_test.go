package umpmcp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// The bounds within which all hosts take a tool: OpenAI's function calling without
// "strict", the subset of OpenAPI that Gemini reads, and the limits of Anthropic. One
// schema that breaks a bound makes some hosts refuse every tool.
const (
	mostTool        = 64   // characters of a name: Anthropic, OpenAI
	mostDescription = 1024 // characters: OpenAI
	mostDepth       = 5    // objects within objects: OpenAI
)

var (
	plainName  = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	schemaWord = []string{"type", "description", "properties", "required", "items", "enum", "minimum", "maximum"}
	simpleType = []string{"object", "array", "string", "integer", "number", "boolean"}
)

// unfit lists what of a schema a host may refuse.
func unfit(schema map[string]any, at string, depth int) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, at+": "+fmt.Sprintf(format, args...)) }
	for word := range schema {
		if !slices.Contains(schemaWord, word) {
			fault("the word %s", word)
		}
	}
	kind, _ := schema["type"].(string)
	properties, _ := schema["properties"].(map[string]any)
	items, _ := schema["items"].(map[string]any)
	switch {
	case !slices.Contains(simpleType, kind):
		fault("the type %v", schema["type"])
	case kind == "array" && items == nil:
		fault("an array without items")
	case kind == "object" && schema["properties"] == nil, kind == "object" && len(properties) == 0 && depth > 1:
		fault("an object without properties")
	case schema["enum"] != nil && kind != "string":
		fault("an enum of %s", kind)
	case depth > mostDepth:
		fault("%d objects deep", depth)
	}
	for _, name := range asList(schema["required"]) {
		if properties[name] == nil {
			fault("requires %s, which is no property", name)
		}
	}
	if items != nil {
		faults = append(faults, unfit(items, at+"/items", depth+1)...)
	}
	for name, inner := range properties {
		object, ok := inner.(map[string]any)
		if !ok || !plainName.MatchString(name) || len(name) > mostTool {
			fault("the property %s", name)
		}
		deeper := depth
		if object["type"] == "object" {
			deeper++
		}
		faults = append(faults, unfit(object, at+"/"+name, deeper)...)
	}
	return faults
}

func asList(v any) (list []string) {
	items, _ := v.([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item))
	}
	return list
}

func TestSchemasForHosts(t *testing.T) {
	for _, dotted := range []bool{false, true} {
		for name, tool := range tools(t, at3(t), umpmcp.Options{Dotted: dotted}) {
			t.Run("UMP-4.1-4 every host takes "+name, func(t *testing.T) {
				if got := strings.Replace(name, ".", "_", 1); !plainName.MatchString(got) || len(name) > mostTool {
					t.Errorf("the name")
				}
				if tool.Description == "" || len(tool.Description) > mostDescription || strings.Contains(tool.Description, "\n") {
					t.Errorf("a description of %d bytes", len(tool.Description))
				}
				if wrong := map[bool]string{false: "ump.", true: "ump_"}[dotted]; strings.Contains(tool.Description, wrong) {
					t.Errorf("the description names tools as %s…", wrong)
				}
				schema := tool.InputSchema.(map[string]any)
				if schema["type"] != "object" {
					t.Errorf("the arguments are no object")
				}
				for _, fault := range unfit(schema, "", 1) {
					t.Error(fault)
				}
				if (tool.OutputSchema != nil) != dotted {
					t.Errorf("output schema %v", tool.OutputSchema)
				}
			})
		}
	}
	t.Run("the test finds what hosts refuse", func(t *testing.T) {
		for _, bad := range []string{
			`{"type":"object","properties":{"a":{"type":["array","null"]}}}`, `{"type":"object","properties":{"a":{"type":"array"}}}`,
			`{"type":"object","properties":{"a":{"type":"object"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/b"}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`, `{"type":"object"}`, `{"type":"object","properties":{"a b":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}`,
			strings.Repeat(`{"type":"object","properties":{"a":`, 6) + `{"type":"string"}` + strings.Repeat(`}}`, 6),
			`{"type":"object","properties":{},"required":["a"]}`,
		} {
			var schema map[string]any
			if err := json.Unmarshal([]byte(bad), &schema); err != nil {
				t.Fatal(err)
			}
			if len(unfit(schema, "", 1)) == 0 {
				t.Errorf("%s passes", bad)
			}
		}
	})
}

// TestStrictSchemas holds the schemas under the option to the rules of OpenAI's strict
// function calling, and a call with null for everything optional to be taken.
func TestStrictSchemas(t *testing.T) {
	for _, dotted := range []bool{false, true} {
		for name, tool := range tools(t, at3(t), umpmcp.Options{Strict: true, Dotted: dotted}) {
			for _, fault := range loose(tool.InputSchema.(map[string]any), name) {
				t.Error(fault)
			}
		}
	}
	client := connect(t, filled(t), umpmcp.Options{Strict: true}, "")
	for tool, arguments := range map[string]string{
		"ump_recall":   `{"query":"pnpm","project":null,"kind":null,"valid_at":null,"limit":null,"budget":null,"view":null}`,
		"ump_remember": `{"text":"Likes tea.","kind":null,"project":null,"valid_from":null,"valid_to":null}`,
		"ump_get":      `{"id":"baaaaaaa","offset":null,"budget":null,"view":null}`,
		"ump_revise":   `{"id":"baaaaaaa","text":"Use bun.","kind":null,"project":null,"valid_from":null,"valid_to":null}`,
		"ump_forget":   `{"id":"caaaaaaa","reason":"outdated","note":null,"chain":null}`,
	} {
		if text, failed := ask(t, client, tool, arguments); failed {
			t.Errorf("%s %s: %s", tool, arguments, text)
		}
	}
}

// loose lists what of a schema is not strict.
func loose(schema map[string]any, at string) (faults []string) {
	if items, ok := schema["items"].(map[string]any); ok {
		faults = append(faults, loose(items, at+"/items")...)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return faults
	}
	if schema["additionalProperties"] != false || len(asList(schema["required"])) != len(properties) {
		faults = append(faults, at+" is open")
	}
	for name, inner := range properties {
		faults = append(faults, loose(inner.(map[string]any), at+"/"+name)...)
	}
	return faults
}
