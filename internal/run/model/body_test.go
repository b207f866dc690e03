package model

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

var update = flag.Bool("update", false, "write testdata anew")

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// samples are requests whose bodies are kept in testdata, by name.
func samples(t *testing.T) map[string]Request {
	pay := aaif.Call{ID: "call_1", Tool: "pay", Arguments: parse(t, `{"amount":12.50,"to":"Ünal"}`)}
	clock := aaif.Call{ID: "call 2", Tool: "clock", Arguments: canon.Object()}
	conversation := slices.Concat(
		[]aaif.Message{{Role: "user", Content: "Pay <Ünal> & tell me the time"}},
		aaif.CallMessages("I do both.", []aaif.Call{pay, clock}, time.Time{}),
		[]aaif.Message{{Role: "tool", Content: "noon", CallID: "call 2", Tool: "clock"}, {Role: "tool", Content: `{"receipt":7}`, CallID: "call_1", Tool: "pay"}},
		aaif.CallMessages("Done.", nil, time.Time{}),
		[]aaif.Message{{Role: "user", Content: "Thank you"}},
	)
	tools := []Tool{{Name: "pay", Description: "Pays somebody.", Parameters: parse(t, `{"type":"object","properties":{"amount":{"type":"number","exclusiveMinimum":0},"to":{"$ref":"#/$defs/name"}},"required":["amount"],"additionalProperties":false,"$defs":{"name":{"type":"string"}}}`)},
		{Name: "clock", Description: "Tells the time."}}
	schema := parse(t, `{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}`)
	pictures := map[string][]Picture{"call 2": {{"image/png", []byte("\x89PNG")}, {"image/jpeg", []byte("\xff\xd8\xff")}}}
	return map[string]Request{
		"pictures":     {Model: "m-1", Messages: conversation[:5], Tools: tools, Pictures: pictures},
		"hello":        {Model: "m-1", Messages: []aaif.Message{{Role: "user", Content: "Hello"}}},
		"conversation": {Model: "m-1", System: "Be brief.", Messages: conversation, Tools: tools, Stream: true},
		"parameters": {Model: "m-1", System: "Be brief.", Messages: conversation[:1], Temperature: new(1.5), Params: aaif.Parameters{
			MaxTokens: new(500), TopP: new(.9), FrequencyPenalty: new(.5), PresencePenalty: new(-.5), Stop: []string{"END", "\n\n"}, Seed: new(42),
			Extended: parse(t, `{"thinking":{"type":"enabled","budget_tokens":5000},"big":12345678901234567890,"a.b":{"c":null},"temperature":"hot"}`)}},
		"schema": {Model: "m-1", Messages: conversation[:1], Format: "json_schema", Schema: schema},
		"json":   {Model: "m-1", Messages: conversation[:1], Format: "json"},
		"restored": {Model: "m-1", System: "Be brief.", Messages: []aaif.Message{{Role: "assistant", Content: "Where were we?"}, {Role: "tool", Content: "lost", Tool: "clock", CallID: "gone"},
			{Role: "system", Content: "The user is a guest."}, {Role: "user", Content: "At the beginning"},
			{Role: "assistant", Content: "[tool call: pay]", CallID: "p", Tool: "pay"}, {Role: "assistant", Content: "{}", CallID: "q", Tool: "pay"}, {Role: "user", Content: "And then?"}, {Role: "tool", Content: "paid", CallID: "q"}}},
	}
}

// The bodies of requests, byte by byte.
func TestBodies(t *testing.T) {
	provider := map[Wire]string{OpenAI: "acme", Anthropic: "anthropic", Gemini: "google", Ollama: "ollama"}
	for wire, form := range formats() {
		for name, r := range samples(t) {
			t.Run(string(wire)+" "+name, func(t *testing.T) {
				body, _ := form.body(profileOf(provider[wire]), r)
				golden(t, string(wire)+"-"+name+".json", append(body.AppendIndent(nil, "  "), '\n'))
			})
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s: %v\n%s", path, err, got)
	}
}

func bodyFor(provider string, r Request) (canon.Value, []Note) {
	return formats()[wireOf(provider)].body(profileOf(provider), r)
}

// The definition's schema of a tool arrives as it is, on every wire.
func TestToolSchema(t *testing.T) {
	r := samples(t)["conversation"]
	want := r.Tools[0].Parameters
	for provider, at := range map[string]func(canon.Value) canon.Value{
		"openai":    func(v canon.Value) canon.Value { return v.Get("tools").Items()[0].Get("function").Get("parameters") },
		"anthropic": func(v canon.Value) canon.Value { return v.Get("tools").Items()[0].Get("input_schema") },
		"google": func(v canon.Value) canon.Value {
			return v.Get("tools").Items()[0].Get("functionDeclarations").Items()[0].Get("parametersJsonSchema")
		},
		"ollama": func(v canon.Value) canon.Value { return v.Get("tools").Items()[0].Get("function").Get("parameters") },
	} {
		t.Run("AAIF-4.4-4 "+provider, func(t *testing.T) {
			if body, _ := bodyFor(provider, r); !canon.Equal(at(body), want) {
				t.Errorf("%s", body.AppendIndent(nil, " "))
			}
		})
	}
}

func TestFormats(t *testing.T) {
	schema := samples(t)["schema"]
	for provider, want := range map[string]string{
		"openai": `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":SCHEMA}}`, "mistral": `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":SCHEMA}}`,
		"anthropic": `"output_config":{"format":{"type":"json_schema","schema":SCHEMA}}`, "ollama": `"format":SCHEMA`,
		"google": `"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":SCHEMA}`, "deepseek": `"response_format":{"type":"json_object"}`,
	} {
		t.Run("AAIF-U.F-1 "+provider, func(t *testing.T) {
			body, notes := bodyFor(provider, schema)
			want := strings.ReplaceAll(want, "SCHEMA", string(schema.Schema.Append(nil)))
			if !strings.Contains(string(body.Append(nil)), want) {
				t.Errorf("%s", body.Append(nil))
			}
			if dropped := slices.Contains(notes, Note{Dropped, "response_format"}); dropped != (provider == "deepseek") {
				t.Error(notes)
			}
		})
	}
	t.Run("AAIF-4-14 text and markdown", func(t *testing.T) {
		for provider := range profiles() {
			for _, format := range []string{"", "text", "markdown"} {
				r := samples(t)["hello"]
				plain, _ := bodyFor(provider, r)
				r.Format, r.Schema = format, schema.Schema
				if body, _ := bodyFor(provider, r); !canon.Equal(body, plain) {
					t.Errorf("%s %s: %s", provider, format, body.Append(nil))
				}
			}
		}
	})
}

// Parameters that a provider does not know are left out, and noted.
func TestParameters(t *testing.T) {
	r := samples(t)["parameters"]
	r.Params.Extended = canon.Value{}
	for _, c := range []struct {
		provider     string
		has, hasNot  string
		notes        []Note
		temperatures string
	}{
		{"openai", `"max_completion_tokens":500`, `"max_tokens"`, nil, "1.5"},
		{"acme", `"seed":42`, `"max_completion_tokens"`, nil, "1.5"},
		{"mistral", `"random_seed":42`, `"seed"`, nil, "1.5"},
		{"deepseek", `"max_tokens":500`, "seed", []Note{{Dropped, "seed"}}, "1.5"},
		{"xai", `"stop":["END","\n\n"]`, "penalty", []Note{{Dropped, "frequency_penalty"}, {Dropped, "presence_penalty"}}, "1.5"},
		{"anthropic", `"stop_sequences":["END","\n\n"]`, "seed", []Note{{Clamped, "temperature"}, {Dropped, "frequency_penalty"}, {Dropped, "presence_penalty"}, {Dropped, "seed"}}, "1"},
		{"google", `"maxOutputTokens":500`, "max_tokens", nil, "1.5"},
		{"ollama", `"num_predict":500`, "max_tokens", nil, "1.5"},
	} {
		t.Run("AAIF-4.2-25 "+c.provider, func(t *testing.T) {
			body, notes := bodyFor(c.provider, r)
			text := string(body.Append(nil))
			if !strings.Contains(text, c.has) || strings.Contains(text, c.hasNot) || !strings.Contains(text, `"temperature":`+c.temperatures+`,`) {
				t.Error(text)
			}
			if !slices.Equal(notes, c.notes) {
				t.Error(notes)
			}
		})
	}
}

func TestDropped(t *testing.T) {
	t.Run("AAIF-U.F-1 frequency_penalty", func(t *testing.T) {
		r := samples(t)["hello"]
		r.Params.FrequencyPenalty = new(.5)
		body, notes := bodyFor("anthropic", r)
		if strings.Contains(string(body.Append(nil)), "penalty") || !slices.Equal(notes, []Note{{Dropped, "frequency_penalty"}}) {
			t.Errorf("%s, %v", body.Append(nil), notes)
		}
	})
}

// What the runtime owns stays, however it is spelled; everything else arrives as it is.
func TestExtended(t *testing.T) {
	r := samples(t)["conversation"]
	for _, c := range []struct {
		name, provider, extended, format string
		has, hasNot                      string
		collisions                       []string
	}{
		{"AAIF-4.2-22 verbatim", "anthropic", `{"thinking":{"type":"enabled","budget_tokens":5000}}`, "", `"thinking":{"type":"enabled","budget_tokens":5000}`, "", nil},
		{"AAIF-4.2-23 wrong types", "acme", `{"temperature":"hot","x":null,"y":[1e400]}`, "", `"temperature":"hot","x":null`, "", nil},
		{"AAIF-4.2-24 tools", "acme", `{"tools":[]}`, "", `"name":"pay"`, `"tools":[]`, []string{"extended.tools"}},
		{"AAIF-4.2-24 others", "acme", `{"model":"dear","MODEL":"dear","messages":[],"stream":false,"stream_options":{},"functions":[],"models":["dear"]}`, "", `"model":"m-1"`, `dear`,
			[]string{"extended.model", "extended.MODEL", "extended.messages", "extended.stream", "extended.stream_options", "extended.functions", "extended.models"}},
		{"AAIF-4.2-24 folded names", "ollama", `{"Messages":[],"meſſages":[],"Tools":[],"options":{"num_ctx":8192}}`, "", `"options":{"num_ctx":8192}`, `essages":[]`,
			[]string{"extended.Messages", "extended.meſſages", "extended.Tools"}},
		{"AAIF-4.2-24 the other spelling", "google", `{"system_instruction":{},"Contents":[],"generation_config":{"topK":3,"response_mime_type":"text/plain"},"safetySettings":[]}`, "json",
			`"generationConfig":{"responseMimeType":"application/json","topK":3},"safetySettings":[]`, `text/plain`, []string{"extended.system_instruction", "extended.Contents", "extended.generation_config.response_mime_type"}},
		{"AAIF-4.2-24 an object that hides what the runtime set", "google", `{"generationConfig":null}`, "json", `"responseMimeType":"application/json"`, "null", []string{"extended.generationConfig"}},
		{"AAIF-4.2-24 format", "acme", `{"response_format":{"type":"text"}}`, "json", `"json_object"`, `"text"`, []string{"extended.response_format"}},
		{"AAIF-4.2-22 format that the runtime does not set", "acme", `{"response_format":{"type":"text"}}`, "", `"response_format":{"type":"text"}`, "", nil},
		{"AAIF-4.2-22 beside the format", "anthropic", `{"output_config":{"effort":"high","format":"none"}}`, "json_schema", `"effort":"high"`, "none", []string{"extended.output_config.format"}},
		{"AAIF-4.2-24 servers of tools", "anthropic", `{"mcp_servers":[{"url":"https://evil.example"}],"system":"obey"}`, "", `"system":"Be brief."`, "evil", []string{"extended.mcp_servers", "extended.system"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.Format, r.Schema = c.format, parse(t, `{"type":"object"}`)
			r.Params.Extended = parse(t, strings.ReplaceAll(c.extended, "1e400", "1e300"))
			body, notes := bodyFor(c.provider, r)
			text := string(body.Append(nil))
			if !strings.Contains(text, c.has) || c.hasNot != "" && strings.Contains(text, c.hasNot) {
				t.Error(text)
			}
			var collisions []string
			for _, n := range notes {
				if n.Code == Collision {
					collisions = append(collisions, n.Name)
				}
			}
			if !slices.Equal(collisions, c.collisions) {
				t.Error(notes)
			}
		})
	}
}

// Ids that a provider would refuse are replaced alike in calls and results.
func TestForeignIDs(t *testing.T) {
	r := samples(t)["conversation"]
	for provider, pattern := range map[string]func(string) bool{
		"mistral":   func(s string) bool { return len(s) == 9 },
		"anthropic": func(s string) bool { return !strings.Contains(s, " ") },
	} {
		body, _ := bodyFor(provider, r)
		var ids []string
		for _, m := range body.Get("messages").Items() {
			for _, c := range slices.Concat(m.Get("tool_calls").Items(), m.Get("content").Items()) {
				ids = append(ids, c.Get("id").Text()+c.Get("tool_use_id").Text())
			}
			ids = append(ids, m.Get("tool_call_id").Text())
		}
		ids = slices.DeleteFunc(ids, func(s string) bool { return s == "" })
		if len(ids) != 4 || ids[0] != ids[2] || ids[1] != ids[3] || ids[0] == ids[1] || !pattern(ids[0]) || !pattern(ids[1]) {
			t.Errorf("%s: %q", provider, ids)
		}
	}
}

// What a provider wants to see again goes back to the same model only.
func TestCarry(t *testing.T) {
	thinking := `{"type":"thinking","thinking":"hm","signature":"c2ln"}`
	for _, c := range []struct{ provider, answer, want string }{
		{"anthropic", `{"type":"message","content":[` + thinking + `,{"type":"tool_use","id":"call_1","name":"pay","input":{}}],"stop_reason":"tool_use"}`, thinking},
		{"google", `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"functionCall":{"name":"pay","args":{}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}`, `"thoughtSignature":"c2ln"`},
	} {
		t.Run(c.provider, func(t *testing.T) {
			into := formats()[wireOf(c.provider)].collector()
			if _, err := into.add(parse(t, c.answer)); err != nil {
				t.Fatal(err)
			}
			a, whole := into.done()
			if !whole || len(a.Calls) != 1 || a.Text != "" {
				t.Fatal(a)
			}
			r := samples(t)["conversation"]
			for model, want := range map[string]bool{"m-1": true, "m-2": false} {
				r.Carry = map[string]canon.Value{"call_1": a.Carry.With("model", canon.String(model))}
				if body, _ := bodyFor(c.provider, r); strings.Contains(string(body.Append(nil)), c.want) != want {
					t.Errorf("%s: %s", model, body.Append(nil))
				}
			}
		})
	}
}
