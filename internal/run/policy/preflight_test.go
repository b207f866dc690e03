package policy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
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
	noCEL := condition.NewCompiler(condition.Options{Languages: []condition.Language{condition.JSONPath}})
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
		{"AAIF-7-6 a language that is off", two, policy.PreflightOptions{Compiler: noCEL}, "", "portability.string_condition /agent/orchestration/subagents/0/when, feature.disabled /agent/orchestration/subagents/1/when/lang, portability.string_condition /agent/orchestration/handoff/0/condition"},
		{"AAIF-7-6 a language that is off, at strict", two + level("strict"), policy.PreflightOptions{Compiler: noCEL}, "UNSATISFIED_CAPABILITIES /agent/orchestration/subagents/1/when/lang", "portability.string_condition /agent/orchestration/subagents/0/when, portability.string_condition /agent/orchestration/handoff/0/condition"},
		{"AAIF-5-19 an expression that cannot be read", `"orchestration":{"handoff":[{"condition":{"lang":"cel","expr":"("},"target_agent":"c"}]}`, policy.PreflightOptions{}, "CONDITION_PARSE /agent/orchestration/handoff/0/condition/expr", ""},
		{"AAIF-4-21 a hook that nobody registered", `"events":{"on_complete":"nope","on_start":"yes"}`, policy.PreflightOptions{Hooks: []string{"yes"}}, "", "hook.unresolved /agent/events/on_complete"},
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
	t.Run("AAIF-7-6 what the platform lacks is off, and said", func(t *testing.T) {
		d := agent(t, `"orchestration":{"handoff":[{"condition":{"lang":"always"},"target_agent":"c"}]}`)
		n := aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{})
		reasons, notices := policy.Preflight(d, policy.PreflightOptions{Negotiation: &n})
		if reasons != nil || !strings.Contains(events(notices), "feature.disabled /agent/orchestration/handoff") {
			t.Errorf("got %s, %v", reasonsOf(reasons), notices)
		}
	})
	t.Run("AAIF-7-6 at strict it is refused", func(t *testing.T) {
		d := agent(t, `"orchestration":{"handoff":[{"condition":{"lang":"always"},"target_agent":"c"}]}`+level("strict"))
		n := aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{})
		if reasons, _ := policy.Preflight(d, policy.PreflightOptions{Negotiation: &n}); !strings.Contains(reasonsOf(reasons), "UNSATISFIED_CAPABILITIES") {
			t.Errorf("got %s", reasonsOf(reasons))
		}
	})
	for _, c := range []struct {
		status, environment string
		o                   policy.PreflightOptions
		reasons, events     string
	}{
		{"active", "production", policy.PreflightOptions{RequireActive: true}, "", ""},
		{"deprecated", "production", policy.PreflightOptions{}, "AGENT_DEPRECATED /status", ""},
		{"deprecated", "production", policy.PreflightOptions{AllowDeprecated: true}, "", "agent.status /status"},
		{"draft", "production", policy.PreflightOptions{}, "", "agent.status /status"},
		{"draft", "production", policy.PreflightOptions{RequireActive: true}, "DRAFT_IN_PRODUCTION /status", ""},
		{"draft", "test", policy.PreflightOptions{RequireActive: true}, "", "agent.status /status"},
	} {
		t.Run("AAIF-4.1-8 "+c.status+" in "+c.environment+" "+c.reasons, func(t *testing.T) {
			d := agent(t, `"runtime":{"environment":"`+c.environment+`"}`)
			d.Status = aaif.Status(c.status)
			reasons, notices := policy.Preflight(d, c.o)
			want(t, "reasons", reasonsOf(reasons), c.reasons)
			want(t, "events", events(notices), c.events)
		})
	}
}
