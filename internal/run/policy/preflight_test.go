package policy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// reasonsOf returns the codes of reasons with their pointers.
func reasonsOf(reasons []*codec.ParseError) string {
	var list []string
	for _, r := range reasons {
		list = append(list, strings.TrimSpace(string(aaif.CodeOf(r))+" "+r.Path))
	}
	return strings.Join(list, ", ")
}

func TestPreflight(t *testing.T) {
	level := func(l string) string { return `,"compliance":{"safety_level":"` + l + `"}` }
	const two = `"orchestration":{"subagents":[{"ref":"a","when":"if it is large"},{"ref":"b","when":{"lang":"cel","expr":"true"}}],"handoff":[{"condition":"done","target_agent":"c"}]}`
	for _, c := range []struct {
		name, members   string
		o               policy.PreflightOptions
		reasons, events string
	}{
		{"AAIF-3-3 nothing to say", `"description":"x"`, policy.PreflightOptions{}, "", ""},
		{"AAIF-3-3 a constraint without rule or judge", `"constraints":["Be kind"]`, policy.PreflightOptions{}, "", "constraint.unenforced /agent/constraints/0"},
		{"AAIF-3-3 the same at minimal", `"constraints":["Be kind"]` + level("minimal"), policy.PreflightOptions{}, "", "constraint.unenforced /agent/constraints/0"},
		{"AAIF-3-3 the same at strict", `"constraints":["Be kind"]` + level("strict"), policy.PreflightOptions{}, "CONSTRAINT_UNENFORCED /agent/constraints/0", ""},
		{"AAIF-3-3 the same at regulated", `"constraints":["Be kind"]` + level("regulated"), policy.PreflightOptions{}, "CONSTRAINT_UNENFORCED /agent/constraints/0", ""},
		{"AAIF-3-3 with a judge", `"constraints":["Be kind"]` + level("strict"), policy.PreflightOptions{Judge: true}, "", ""},
		{"AAIF-3-3 with a rule", `"constraints":["Never output the word banana"]` + level("strict"), policy.PreflightOptions{Rules: rules(t, bananas)}, "", ""},
		{"AAIF-3-3 with a rule about another constraint", `"constraints":["Be kind"]` + level("strict"), policy.PreflightOptions{Rules: rules(t, bananas)}, "CONSTRAINT_UNENFORCED /agent/constraints/0", "constraint.unenforced"},
		{"AAIF-12-6 a constraint of another, at its level", `"description":"x"`, policy.PreflightOptions{Over: []aaif.Definition{banana(t, "strict")}}, "CONSTRAINT_UNENFORCED", ""},
		{"AAIF-5-14 conditions in words, once per place", two, policy.PreflightOptions{}, "", "portability.string_condition /agent/orchestration/subagents/0/when, portability.string_condition /agent/orchestration/handoff/0/condition"},
		{"AAIF-4.9-15 a trigger in words", `"compliance":{"human_in_the_loop":{"enabled":true,"trigger":"before_write"}}`, policy.PreflightOptions{}, "", "portability.string_condition /agent/compliance/human_in_the_loop/trigger"},
		{"AAIF-5-19 an expression that cannot be read", `"orchestration":{"handoff":[{"condition":{"lang":"cel","expr":"("},"target_agent":"c"}]}`, policy.PreflightOptions{}, "CONDITION_PARSE /agent/orchestration/handoff/0/condition/expr", ""},
		{"AAIF-4-21 a hook that nobody registered", `"events":{"on_complete":"nope"}`, policy.PreflightOptions{}, "", "hook.unresolved /agent/events/on_complete"},
		{"AAIF-4-21 the same at strict", `"events":{"on_complete":"nope"}` + level("strict"), policy.PreflightOptions{}, "HOOK_UNRESOLVED /agent/events/on_complete", ""},
		{"AAIF-4-18 a schema that cannot be used", `"io":{"output_schema":{"type":"objekt"}}`, policy.PreflightOptions{}, "SCHEMA_UNUSABLE /agent/io/output_schema", ""},
		{"AAIF-4-17 context that may not be read", `"context":[{"type":"text","value":"x"},{"type":"file","value":"a"},{"type":"url","value":"https://example.com"},{"type":"dataset","value":"d"}]`, policy.PreflightOptions{}, "CONTEXT_DENIED /agent/context/1, CONTEXT_DENIED /agent/context/2, CONTEXT_DENIED /agent/context/3", ""},
		{"AAIF-4-17 context that may be read", `"context":[{"type":"url","value":"https://example.com"},{"type":"schema_ref","value":"https://example.com"}]`, policy.PreflightOptions{Context: &policy.Prompter{Fetch: (&web{}).fetch}}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reasons, notices := policy.Preflight(agent(t, c.members), c.o)
			want(t, "reasons", reasonsOf(reasons), c.reasons)
			want(t, "events", events(notices), c.events)
		})
	}
	for _, c := range []struct{ status, environment, events string }{
		{"active", "production", ""},
		{"deprecated", "production", "agent.status /status"},
		{"draft", "production", "agent.status /status"},
		{"draft", "test", "agent.status /status"},
	} {
		t.Run("AAIF-4.1-8 "+c.status+" in "+c.environment, func(t *testing.T) {
			d := agent(t, `"runtime":{"environment":"`+c.environment+`"}`)
			d.Status = aaif.Status(c.status)
			reasons, notices := policy.Preflight(d, policy.PreflightOptions{})
			want(t, "reasons", reasonsOf(reasons), "")
			want(t, "events", events(notices), c.events)
		})
	}
}
