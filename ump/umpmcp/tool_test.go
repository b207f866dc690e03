package umpmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

func tools(t *testing.T, v umpmcp.Backend, o umpmcp.Options) map[string]*mcp.Tool {
	t.Helper()
	listed, err := connect(t, v, o, "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*mcp.Tool{}
	for _, tool := range listed.Tools {
		byName[tool.Name] = tool
	}
	if len(byName) != len(listed.Tools) {
		t.Error("a tool is listed twice")
	}
	return byName
}

func TestNames(t *testing.T) {
	underscored := []string{"ump_capabilities", "ump_forget", "ump_get", "ump_recall", "ump_remember", "ump_revise"}
	names := func(listed map[string]*mcp.Tool) []string {
		var all []string
		for name := range listed {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	t.Run("UMP-4.1-3 underscores by default", func(t *testing.T) {
		if got := names(tools(t, umptest.New(), umpmcp.Options{})); !slices.Equal(got, underscored) {
			t.Errorf("listed %q", got)
		}
	})
	t.Run("UMP-4.1-1 the reserved names under the option", func(t *testing.T) {
		var dotted []string
		for _, name := range underscored {
			dotted = append(dotted, strings.Replace(name, "_", ".", 1))
		}
		if got := names(tools(t, umptest.New(), umpmcp.Options{Dotted: true})); !slices.Equal(got, dotted) {
			t.Errorf("listed %q", got)
		}
	})
	t.Run("UMP-4.1-2 no feedback below level 3", func(t *testing.T) {
		client := connect(t, umptest.New(), umpmcp.Options{}, "")
		for _, name := range []string{"ump_feedback", "ump.feedback", "ump_subscribe"} {
			if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil {
				t.Errorf("%s can be called", name)
			}
		}
	})
}

func TestBothSpellings(t *testing.T) {
	requests := map[string]string{
		"capabilities": `{}`,
		"recall":       `{"query":"pnpm"}`,
		"remember":     `{"record":{"body":{"text":"Tabs, not spaces."}}}`,
		"get":          `{"id":"urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"}`,
		"revise":       `{"id":"urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa","patch":{"body":{"text":"Use bun."}}}`,
		"forget":       `{"id":"urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa","reason":"outdated"}`,
	}
	for _, dotted := range []bool{false, true} {
		for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(fmt.Sprintf("UMP-4.1-1 UMP-4.1-3 dotted listed %v, revision %s", dotted, revision), func(t *testing.T) {
				for op, request := range requests {
					client := connect(t, filled(t), umpmcp.Options{Dotted: dotted}, revision)
					if answer, failed := call(t, client, "ump."+op, json.RawMessage(request)); failed {
						t.Errorf("%s: %s", op, answer)
					}
					client = connect(t, filled(t), umpmcp.Options{Dotted: dotted}, revision)
					if text, failed := ask(t, client, "ump_"+op, request); failed || text == "" {
						t.Errorf("%s: %s", op, text)
					}
				}
			})
		}
	}
}

func compile(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validate(t *testing.T, schema *jsonschema.Schema, document []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestSchemas(t *testing.T) {
	listed := tools(t, umptest.New(), umpmcp.Options{Dotted: true})
	t.Run("UMP-4.1-4 recall requires a query and answers results", func(t *testing.T) {
		recall := listed["ump.recall"]
		input := recall.InputSchema.(map[string]any)
		if required, _ := input["required"].([]any); !slices.Contains(required, any("query")) {
			t.Errorf("required: %v", input["required"])
		}
		output := recall.OutputSchema.(map[string]any)
		if _, ok := output["properties"].(map[string]any)["results"]; !ok {
			t.Error("no results in the output schema")
		}
		if validate(t, compile(t, output), []byte(`{"other":1}`)) == nil {
			t.Error("the output schema admits anything")
		}
	})
	t.Run("UMP-4.1-4 a result names the members of a record", func(t *testing.T) {
		const members = "body consent id integrity kind lifecycle provenance relations scope superseded_by supersedes time ump"
		get := listed["ump.get"].OutputSchema.(map[string]any)["properties"].(map[string]any)["record"].(map[string]any)
		if got := strings.Join(slices.Sorted(maps.Keys(get["properties"].(map[string]any))), " "); got != members || len(get["required"].([]any)) != 6 {
			t.Errorf("they are %s", got)
		}
		if validate(t, compile(t, listed["ump.get"].OutputSchema), []byte(`{"record":{"ump":"0.1"}}`)) == nil {
			t.Error("the output schema admits half a record")
		}
	})
	t.Run("UMP-4.1-4 every answer and every refusal satisfies the output schema", func(t *testing.T) {
		client := connect(t, filled(t), umpmcp.Options{}, "")
		id := "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"
		for _, c := range []struct {
			op      string
			request string
			failed  bool
		}{
			{"capabilities", `{}`, false},
			{"recall", `{"query":"pnpm"}`, false},
			{"recall", `{}`, true},
			{"remember", `{"record":{"body":{"text":"Likes tea."}}}`, false},
			{"remember", `{"record":{"body":{}}}`, true},
			{"get", `{"id":"` + id + `"}`, false},
			{"get", `{"id":"urn:ump:no"}`, true},
			{"revise", `{"id":"` + id + `","patch":{"body":{"text":"Use bun."}}}`, false},
			{"revise", `{"id":"urn:ump:no","patch":{"body":{"text":"x"}}}`, true},
			{"forget", `{"id":"` + id + `","reason":"other"}`, false},
			{"forget", `{"id":"` + id + `"}`, true},
		} {
			answer, failed := call(t, client, "ump."+c.op, json.RawMessage(c.request))
			if failed != c.failed {
				t.Errorf("%s %s: failed %v: %s", c.op, c.request, failed, answer)
			}
			if err := validate(t, compile(t, listed["ump."+c.op].OutputSchema), answer); err != nil {
				t.Errorf("%s %s answers %s: %v", c.op, c.request, answer, err)
			}
			if input := validate(t, compile(t, listed["ump."+c.op].InputSchema), []byte(c.request)); !c.failed && input != nil {
				t.Errorf("%s: the input schema refuses %s, which works: %v", c.op, c.request, input)
			}
		}
	})
	t.Run("UMP-3.3-1 a bare record is taken as well", func(t *testing.T) {
		v := umptest.New()
		answer, failed := call(t, connect(t, v, umpmcp.Options{}, ""), "ump.remember", json.RawMessage(`{"body":{"text":"Likes tea."}}`))
		if failed || !bytes.Contains(answer, []byte(`"created"`)) || v.Len() != 1 {
			t.Errorf("%s, %d records", answer, v.Len())
		}
	})
}

func TestAnnotations(t *testing.T) {
	for name, tool := range tools(t, umptest.New(), umpmcp.Options{}) {
		read := name == "ump_recall" || name == "ump_get" || name == "ump_capabilities"
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Fatalf("%s has no annotations", name)
		}
		if a.ReadOnlyHint != read || *a.DestructiveHint != (name == "ump_forget") || *a.OpenWorldHint || a.IdempotentHint != (name != "ump_revise") {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	client := connect(t, filled(t), umpmcp.Options{}, "")
	for _, arguments := range []string{
		`null`, `[]`, `"query"`, `7`, `{}`, `{"query":[]}`, `{"query":"x","limit":"many"}`, `{"query":"x","filter":[]}`,
		`{"query":"x","query":"y"}`, `{"query":"` + strings.Repeat("x", 5<<20) + `"}`, strings.Repeat(`{"query":`, 200) + `"x"` + strings.Repeat(`}`, 200),
	} {
		t.Run("UMP-3-1 UMP-4.1-5 recall "+arguments[:min(len(arguments), 40)], func(t *testing.T) {
			answer, failed := call(t, client, "ump.recall", json.RawMessage(arguments))
			if got := code(t, answer); !failed || got != memory.InvalidRecord {
				t.Errorf("failed %v, code %s", failed, got)
			}
		})
	}
	t.Run("UMP-4.1-5 an unknown id is not_found", func(t *testing.T) {
		answer, failed := call(t, client, "ump.get", map[string]any{"id": "urn:ump:nothing"})
		if got := code(t, answer); !failed || got != memory.NotFound {
			t.Errorf("failed %v, code %s", failed, got)
		}
	})
}

func TestFaults(t *testing.T) {
	var reported []string
	var mu sync.Mutex
	v := umptest.New()
	fault := errors.New("disk on fire at /secret/path")
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		switch operation {
		case "recall":
			return fault
		case "get", "brief":
			panic("secret")
		}
		return nil
	}
	client := connect(t, v, umpmcp.Options{Report: func(doing string, err error) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, doing)
		if doing == "recall" && !errors.Is(err, fault) {
			t.Errorf("reported %v", err)
		}
	}}, "")
	for tool, request := range map[string]any{
		"ump.recall": map[string]any{"query": "x"}, "ump.get": map[string]any{"id": "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"},
	} {
		answer, failed := call(t, client, tool, request)
		if code(t, answer) != memory.Internal || !failed || bytes.Contains(answer, []byte("secret")) {
			t.Errorf("%s answers %s", tool, answer)
		}
	}
	for _, uri := range []string{"satchel://brief", "ump://_/urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"} {
		if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("prompt: %v", err)
	}
	if _, failed := call(t, client, "ump.capabilities", map[string]any{}); failed {
		t.Error("the server did not survive")
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(reported)
	if want := []string{"brief", "get", "read", "read", "recall"}; !slices.Equal(reported, want) {
		t.Errorf("reported %q, want %q", reported, want)
	}
}

func TestCaller(t *testing.T) {
	var seen memory.Caller
	v := umptest.New()
	v.Before = func(_ context.Context, _ string, c memory.Caller) error { seen = c; return nil }
	cases := []struct {
		name        string
		given, want memory.Caller
	}{
		{"the client's name is the agent", agent, memory.Caller{Owner: owner, Role: memory.Agent, Agent: "some-host", Session: "session-1"}},
		{"a configured agent stays", memory.Caller{Owner: owner, Role: memory.Agent, Agent: "mine"}, memory.Caller{Owner: owner, Role: memory.Agent, Agent: "mine"}},
		{"the owner is an agent here", memory.Caller{Owner: owner, Role: memory.Owner}, memory.Caller{Owner: owner, Role: memory.Agent, Agent: "some-host"}},
		{"a peer stays a peer", memory.Caller{Owner: owner, Role: memory.Peer}, memory.Caller{Owner: owner, Role: memory.Peer, Agent: "some-host"}},
	}
	for _, c := range cases {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(c.name+", "+revision, func(t *testing.T) {
				call(t, connect(t, v, umpmcp.Options{Caller: c.given}, revision), "ump.capabilities", map[string]any{})
				if seen != c.want {
					t.Errorf("caller %+v, want %+v", seen, c.want)
				}
			})
		}
	}
}
