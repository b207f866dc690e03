package aaif_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// What nobody could run, though every schema takes it.
func TestLintOfTools(t *testing.T) {
	const tool, schema = "/agent/tools/0", "/agent/tools/0/parameters_schema"
	lints(t, "agent", []lintCase{
		{id: "AAIF-4.4-4", edit: schema + "/type", value: `"objct"`, code: aaif.WrongForm, pointer: schema + "/type"},
		{id: "AAIF-4.4-4", edit: schema + "/properties/amount", value: `{"type":["number","nul"]}`, code: aaif.WrongForm, pointer: schema + "/properties/amount/type/1"},
		{id: "AAIF-4.4-4", edit: schema + "/required", value: `true`, code: aaif.WrongForm, pointer: schema + "/required"},
		{id: "AAIF-4.4-4", edit: schema + "/required", value: `["amount"]`},
		{id: "AAIF-4.4-4", edit: schema + "/required", value: `["receipt_id","amuont"]`, code: aaif.Unresolved, pointer: schema + "/required/1", warning: true},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"additionalProperties":false,"required":["amuont"]}`, code: aaif.Unresolved, pointer: schema + "/required/0", warning: true},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{"type":"array","items":{"properties":{"a":{}},"required":["b"]}}}}`, code: aaif.Unresolved, pointer: schema + "/properties/receipt_id/items/required/0", warning: true},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"additionalProperties":true,"required":["amuont"]}`},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"additionalProperties":{"type":"string"},"required":["amuont"]}`},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"patternProperties":{"^a":{}},"required":["amuont"]}`},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"allOf":[{"properties":{"amuont":{}}}],"required":["amuont"]}`},
		{id: "AAIF-4.4-4", edit: schema, value: `{"type":"object","properties":{"receipt_id":{}},"anyOf":[{"required":["amuont"]}]}`},
		{id: "AAIF-4.4-4", edit: "/agent/tools/2/parameters_schema", value: `{"type":"object","required":["amount"]}`},
		{id: "AAIF-4-18", edit: "/agent/io/output_schema", value: `{"properties":{"a":{}},"required":["b"]}`, code: aaif.Unresolved, pointer: "/agent/io/output_schema/required/0", warning: true},
		{id: "AAIF-4.4-4", edit: schema + "/$ref", value: `"https://elsewhere.example/schema.json"`},
		{id: "AAIF-4.4-4", edit: schema + "/$schema", value: `"http://json-schema.org/draft-07/schema#"`},
		{id: "AAIF-4.4-4", edit: "/agent/tools/2/parameters_schema", value: `{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":1,"exclusiveMinimum":true}`},
		{id: "AAIF-4.4-4", edit: "/agent/tools/2/parameters_schema", value: `{"type":"number","minimum":1,"exclusiveMinimum":true}`, code: aaif.WrongForm, pointer: "/agent/tools/2/parameters_schema/exclusiveMinimum"},
		{id: "AAIF-4.4-4", edit: "/agent/tools/2/parameters_schema", value: `{"$schema":"https://acme.example/own","type":"any"}`},
		{id: "AAIF-4.4-4", edit: tool + "/output_schema/type", value: `"text"`, code: aaif.WrongForm, pointer: tool + "/output_schema/type"},
		{id: "AAIF-4-18", edit: "/agent/io/output_schema/type", value: `"text"`, code: aaif.WrongForm, pointer: "/agent/io/output_schema/type"},
		{id: "AAIF-4-18", edit: "/agent/io/input_schema/items", value: `7`, code: aaif.WrongForm, pointer: "/agent/io/input_schema/items"},
		{id: "AAIF-4.4-9", edit: tool + "/endpoint", value: `"ledger"`, code: aaif.WrongForm, pointer: tool + "/endpoint", warning: true},
		{id: "AAIF-4.4-9", edit: tool + "/endpoint", value: `"/receipts/{receipt_id}"`, code: aaif.WrongForm, pointer: tool + "/endpoint", warning: true},
		{id: "AAIF-4.4-6", edit: "/agent/tools/1/endpoint", value: `"ledger"`, code: aaif.WrongForm, pointer: "/agent/tools/1/endpoint", warning: true},
		{id: "AAIF-4.4-9", edit: tool + "/endpoint", value: `"https://ledger.example/receipts/{recipt_id}"`, code: aaif.Unresolved, pointer: tool + "/endpoint", warning: true},
		{id: "AAIF-4.4-9", edit: tool + "/parameters_schema", code: aaif.Unresolved, pointer: tool + "/endpoint", warning: true},
		{id: "AAIF-4.4-9", edit: tool + "/parameters_schema", value: `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"receipt_id":{}}}}}`},
		{id: "AAIF-4.4-9", edit: tool + "/endpoint", value: `"https://ledger.example/{receipt_id}/{amount}"`},
	})
}

func TestRequiredSlip(t *testing.T) {
	for _, p := range validator(t).Lint(changed(t, sample(t, "agent"), "/agent/tools/0/parameters_schema/required", `["amuont"]`)) {
		if strings.HasSuffix(p.Path, "/required/0") {
			expect(t, p.Err.Error(), "requires what properties has not, so that nobody knows what it is; did you mean amount?")
			return
		}
	}
	t.Error("AAIF-4.4-4: nothing is said")
}

func TestLintOfRuns(t *testing.T) {
	const at, trigger, gate = "/agent/events/triggers/0/schedule", "/agent/orchestration/handoff/0/target_agent", "/agent/compliance/human_in_the_loop/trigger"
	const base = "/agent/model/base_url"
	wrong := func(value string) lintCase {
		return lintCase{id: "AAIF-4-20", edit: at, value: value, code: aaif.WrongForm, pointer: at, warning: true}
	}
	var cases []lintCase
	for _, bad := range []string{`"every morning"`, `"0 9 * *"`, `"0 25 * * *"`, `"60 9 * * *"`, `"0 9 * * 8"`, `"0 9 0 * *"`, `"0 9 * 13 *"`, `"*/0 9 * * *"`, `"5-1 9 * * *"`, `"@sometimes"`, `"@every x"`, `"PT"`, `"0 0 9 * * * *"`, `""`} {
		cases = append(cases, wrong(bad))
	}
	for _, good := range []string{`"0 9 * * 1-5"`, `"*/15 * * * *"`, `"0 9 1,15 JAN-mar MON"`, `"0-30/5 9 ? * 7"`, `"@daily"`, `"@every 1h30m"`, `"PT15M"`, `"P1D"`} {
		cases = append(cases, lintCase{id: "AAIF-4-20", edit: at, value: good})
	}
	for _, bad := range []string{`"htps://models.example/v1"`, `"localhost:11434"`, `"ftp://models.example"`, `"https:///v1"`, `"https:models.example"`} {
		cases = append(cases, lintCase{id: "AAIF-4.2-18", edit: base, value: bad, code: aaif.WrongForm, pointer: base, warning: true})
	}
	for _, good := range []string{`"http://localhost:11434"`, `"HTTPS://models.example/v1"`, `"http://[::1]:8080/"`} {
		cases = append(cases, lintCase{id: "AAIF-4.2-18", edit: base, value: good})
	}
	lints(t, "agent", append(cases, []lintCase{
		{id: "AAIF-4.4-16", edit: "/agent/tools/1/auth/token_url", value: `"htps://login.example"`, code: aaif.WrongForm, pointer: "/agent/tools/1/auth/token_url", warning: true},
		{id: "AAIF-4-20", edit: at, code: aaif.Incomplete, pointer: at, warning: true},
		{id: "AAIF-4.3-17", edit: trigger, value: `"raeder"`, code: aaif.Unresolved, pointer: trigger, warning: true},
		{id: "AAIF-4.3-17", edit: trigger, value: `"https://agents.example/writer"`},
		{id: "AAIF-4.3-17", edit: trigger, value: `"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a77"`},
		{id: "AAIF-4.3-17", edit: trigger, value: `"./billing.json"`},
		{id: "AAIF-12-5", edit: "/agent/constraints", value: `["Never delete a receipt.","  "]`, code: aaif.Empty, pointer: "/agent/constraints/1", warning: true},
		{id: "AAIF-4.9-14", edit: gate, value: `{"lang":"never"}`, code: aaif.NobodyAsked, pointer: gate, warning: true},
		{id: "AAIF-4.9-14", edit: gate, value: `{"lang":"jsonlogic","expr":false}`, code: aaif.NobodyAsked, pointer: gate, warning: true},
		{id: "AAIF-4.9-14", edit: gate, value: `{"lang":"jsonlogic","expr":true}`},
		{id: "AAIF-5-3", edit: "/agent/orchestration/handoff/0/condition", value: `{"lang":"python","expr":{"a":1}}`, code: aaif.SchemaViolation, pointer: "/agent/orchestration/handoff/0/condition/lang"},
		{id: "AAIF-10-6", edit: "/agent/model/fallbacks/0/provider", value: `"litellm"`, code: aaif.Unregistered, pointer: "/agent/model/fallbacks/0/provider"},
	}...))
	t.Run("AAIF-4.9-14 a trigger that is not in force may be any", func(t *testing.T) {
		d := changed(t, changed(t, sample(t, "agent"), gate, `{"lang":"never"}`), "/agent/compliance/human_in_the_loop/enabled", "false")
		expect(t, len(validator(t).Lint(d)), 1)
	})
}

// What is said of a slip names what was meant.
func TestMeant(t *testing.T) {
	for _, c := range []struct{ id, name, edit, value, want string }{
		{"AAIF-4-3", "agent", "/agent/descripton", `"x"`, "did you mean description?"},
		{"AAIF-4-3", "agent", "/agent/model/fallback", `[]`, "did you mean fallbacks?"},
		{"AAIF-4-3", "agent", "/tag", `[]`, "did you mean tags?"},
		{"AAIF-4-3", "state", "/conversation/0/rolle", `"x"`, "did you mean role?"},
		{"AAIF-4-3", "agent", "/agent/zzz", `1`, "begin with x-"},
		{"AAIF-4-3", "agent", "/agent/zzz", `1`, "there are name, goal, version, description,"},
		{"AAIF-4-3", "agent", "/agent/model/fallbacks/0/provider_id", `"litellm"`, "there are provider, model, max_cost_usd_per_1k_tokens; a member of this name is at /agent/model/provider_id;"},
		{"AAIF-4.2-5", "agent", "/agent/model/fallbacks/0", `"gpt-4o"`, "is of type string; wanted: object with provider, model, and if wanted max_cost_usd_per_1k_tokens"},
		{"AAIF-5-2", "agent", "/agent/compliance/human_in_the_loop/trigger", `7`, "is of type number; wanted: string or object with lang, and if wanted expr, nl"},
		{"AAIF-4-3", "agent", "/agent/runtime", `"fast"`, "wanted: object of timeout_seconds, max_retries,"},
		{"AAIF-4-3", "agent", "/agent/x-note", `1`, "not here"},
		{"AAIF-U.context.jsonld-1", "agent", "/@context", `{}`, "convert it first"},
		{"AAIF-4.4-9", "agent", "/agent/tools/0/endpoint", `"https://ledger.example/{recipt_id}"`, "did you mean receipt_id?"},
		{"AAIF-4.3-17", "agent", "/agent/orchestration/handoff/0/target_agent", `"raeder"`, "did you mean reader?"},
		{"AAIF-4.3-5", "agent", "/agent/orchestration/pipeline/0", `"raeder"`, "did you mean reader?"},
		{"AAIF-4.4-4", "agent", "/agent/tools/0/parameters_schema/type", `"objct"`, "did you mean object?"},
		{"AAIF-4.2-17", "agent", "/agent/model/provider", `"opnai"`, "did you mean openai?"},
		{"AAIF-7-3", "agent", "/agent/required_capabilities/0", `"compliance.hitll"`, "did you mean compliance.hitl?"},
		{"AAIF-10-6", "agent", "/agent/model/fallbacks/0/provider", `"litellm"`, `provisional in aaif-model-providers, and not standard yet; write "custom", which stands for /agent/model/provider_id`},
		{"AAIF-10-6", "agent", "/agent/model/fallbacks/0/provider", `"vllm"`, `/agent/model/provider_id, which names another already`},
		{"AAIF-10-5", "agent", "/agent/model/fallbacks/0/provider", `"opnai"`, "did you mean openai?"},
		{"AAIF-4.2-18", "agent", "/agent/model/base_url", `"htps://x"`, "did you mean https?"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"99 * * * *"`, "the minute is none of 0 to 59"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"0 9 * 13 *"`, "the month is none of 1 to 12"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"0 9 * * 1-8"`, "the day of the week is none of 0 to 7"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"0 9 * *"`, "has 4 fields; cron has five"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"every morning"`, "neither cron nor an interval"},
		{"AAIF-4-20", "agent", "/agent/events/triggers/0/schedule", `"PT"`, "neither cron nor an interval"},
		{"AAIF-8.1-13", "state", "/memory_snapshot/0/backend", `"mongo"`, "in no registry"},
	} {
		t.Run(c.id+" "+c.edit, func(t *testing.T) {
			var said []string
			for _, p := range validator(t).Lint(changed(t, sample(t, c.name), c.edit, c.value)) {
				if p.Path == c.edit {
					said = append(said, p.Err.Error())
				}
			}
			if len(said) != 1 || !strings.Contains(said[0], c.want) {
				t.Errorf("got %q", said)
			}
		})
	}
}

// A document of very many slips takes no longer for each of them than one of few.
func TestManySlips(t *testing.T) {
	const many = 30_000
	list := func(item func(i int) string) string {
		items := make([]string, many)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	long := func(i int) string { return strings.Repeat("a", 50) + strconv.Itoa(i) }
	props := list(func(i int) string { return `"` + long(i) + `":{}` })
	for _, c := range []struct{ name, at, value string }{
		{"capabilities", "/agent/required_capabilities", `[` + list(func(i int) string { return `"compliance.` + long(i) + `"` }) + `]`},
		{"steps", "/agent/orchestration", `{"subagents":[{"ref":"` + long(0) + `"}],"pipeline":[` + list(func(i int) string { return `"` + long(i) + `x"` }) + `]}`},
		{"places in an address", "/agent/tools", `[{"name":"a","description":"b","protocol":"http","endpoint":"https://x.example/` + strings.ReplaceAll(list(func(i int) string { return "{" + long(i) + "x}" }), ",", "") + `","parameters_schema":{"properties":{"a":1}}}]`},
		{"parameters", "/agent/tools", `[{"name":"a","description":"b","protocol":"http","endpoint":"https://x.example/{b}","parameters_schema":{"properties":{` + props + `}}}]`},
		{"wrong schemas", "/agent/tools", `[{"name":"a","description":"b","parameters_schema":{"properties":{` + strings.ReplaceAll(props, "{}", `{"type":"objct"}`) + `}}}]`},
	} {
		t.Run("AAIF-4-1 "+c.name, func(t *testing.T) {
			v := set(tree(t, minimal), c.at, largeTree(t, c.value))
			done := make(chan int)
			go func() { done <- len(validator(t).Lint(aaif.Document{Kind: aaif.AgentKind, Value: v})) }()
			select {
			case n := <-done:
				if n > 1001 {
					t.Errorf("%d findings", n)
				}
			case <-time.After(time.Minute):
				t.Error("still at it")
			}
		})
	}
}

func largeTree(t *testing.T, raw string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{Bytes: 32 << 20, Values: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
