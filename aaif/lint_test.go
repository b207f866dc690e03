package aaif_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestAgentLint(t *testing.T) {
	const orchestration, tool = "/agent/orchestration", "/agent/tools/0"
	lints(t, "agent", []lintCase{
		{id: "AAIF-2-3", edit: "/agent/required_capabilities", value: `["toolmcp"]`, code: aaif.NotNamespaced, pointer: "/agent/required_capabilities/0", warning: true},
		{id: "AAIF-2-3", edit: "/agent/required_capabilities", value: `["tool.mcp"]`},
		{id: "AAIF-7-3", edit: "/agent/required_capabilities", value: `["tool.telepathy"]`, code: aaif.Unregistered, pointer: "/agent/required_capabilities/0", warning: true},
		{id: "AAIF-7-4", edit: "/agent/required_capabilities", value: `["memory.in_memory","compliance.human_in_the_loop","telemetry.otel_traces","condition.cel"]`},
		{id: "AAIF-7-3", edit: "/agent/required_capabilities", value: `["compliance.hitll"]`, code: aaif.Unregistered, pointer: "/agent/required_capabilities/0", warning: true},
		{id: "AAIF-3-5", edit: orchestration + "/subagents/0/ref", value: `""`, code: aaif.Empty, pointer: orchestration + "/subagents/0/ref"},
		{id: "AAIF-3-5", edit: orchestration + "/subagents/0/ref", value: `"./reader.json"`},
		{id: "AAIF-4-8", edit: "/agent/goal", value: `" "`, code: aaif.Empty, pointer: "/agent/goal"},
		{id: "AAIF-4-14", edit: "/agent/io/output_schema", code: aaif.Incomplete, pointer: "/agent/model/response_format", warning: true},
		{id: "AAIF-4-22", edit: "/provenance/created_at", value: `"yesterday"`, code: "FORMAT_DATE_TIME", pointer: "/provenance/created_at"},
		{id: "AAIF-4.1-2", edit: "/agent_id", value: `"not-a-uuid"`, code: "FORMAT_UUID", pointer: "/agent_id", warning: true},
		{id: "AAIF-4.1-2", edit: "/agent_id", value: `"sc:agent/x@1.0"`, code: aaif.WrongForm, pointer: "/agent_id"},
		{id: "AAIF-4.1-3", edit: "/agent_id", value: `""`, code: aaif.SchemaViolation, pointer: "/agent_id"},
		{id: "AAIF-4.1-9", edit: "/status", value: `"draft"`},
		{id: "AAIF-4.2-5", edit: "/agent/model/fallbacks/0/max_cost_usd_per_1k_tokens", value: `-1`, code: aaif.WrongForm, pointer: "/agent/model/fallbacks/0/max_cost_usd_per_1k_tokens"},
		{id: "AAIF-4.2-18", edit: "/agent/model/base_url", value: `"not a url"`, code: "FORMAT_URI", pointer: "/agent/model/base_url"},
		{id: "AAIF-10-5", edit: "/agent/model/fallbacks/0/provider", value: `"acme"`, code: aaif.Unregistered, pointer: "/agent/model/fallbacks/0/provider"},
		{id: "AAIF-10-5", edit: "/agent/model/fallbacks/0/provider", value: `"custom"`},
		{id: "AAIF-4.3-3", edit: orchestration + "/subagents/1/alias", value: `"reader"`, code: aaif.Duplicated, pointer: orchestration + "/subagents/1/alias"},
		{id: "AAIF-4.3-5", edit: orchestration + "/pipeline", value: `["reader","ghost"]`, code: aaif.PipelineUnresolved, pointer: orchestration + "/pipeline/1"},
		{id: "AAIF-4.3-12", edit: orchestration + "/consensus/strategy", value: `"best_of_n"`},
		{id: "AAIF-4.3-13", edit: orchestration + "/consensus/referee_agent", code: aaif.ConsensusConfig, pointer: orchestration + "/consensus/referee_agent"},
		{id: "AAIF-4.4-2", edit: "/agent/tools/1/name", value: `"book_receipt"`, code: aaif.Duplicated, pointer: "/agent/tools/1/name"},
		{id: "AAIF-4.4-6", edit: "/agent/tools/1/endpoint", code: aaif.Incomplete, pointer: "/agent/tools/1/endpoint"},
		{id: "AAIF-4.4-9", edit: tool + "/endpoint", code: aaif.Incomplete, pointer: tool + "/endpoint"},
		{id: "AAIF-4.4-14", edit: tool + "/auth/type", value: `"mtls"`, code: aaif.RegisteredOnly, pointer: tool + "/auth/type", warning: true},
		{id: "AAIF-4.4-16", edit: "/agent/tools/1/auth/token_url", code: aaif.Incomplete, pointer: "/agent/tools/1/auth/token_url"},
		{id: "AAIF-4.4-20", edit: tool + "/auth/env_var", value: `"9-LEDGER"`, code: aaif.WrongForm, pointer: tool + "/auth/env_var"},
		{id: "AAIF-4.5-11", edit: "/agent/memory/0/embedding_model", code: aaif.NoEmbedding, pointer: "/agent/memory/0/embedding_model", warning: true},
		{id: "AAIF-4.8-2", edit: "/agent/evaluation/metrics/1/custom_name", code: aaif.Incomplete, pointer: "/agent/evaluation/metrics/1/custom_name"},
		{id: "AAIF-4.8-4", edit: "/agent/evaluation/test_cases", value: `[{"id":"a","input":1},{"id":"a","input":2}]`, code: aaif.Duplicated, pointer: "/agent/evaluation/test_cases/1/id"},
		{id: "AAIF-4.9-11", edit: "/agent/compliance/human_in_the_loop/timeout_seconds", value: `0`, code: aaif.WrongForm, pointer: "/agent/compliance/human_in_the_loop/timeout_seconds"},
		{id: "AAIF-5-4", edit: orchestration + "/handoff/0/condition", value: `{"lang":"jsonpath","expr":{}}`, code: aaif.ExprType, pointer: orchestration + "/handoff/0/condition/expr"},
		{id: "AAIF-5-4", edit: orchestration + "/handoff/0/condition", value: `{"lang":"jsonlogic","expr":"x"}`, code: aaif.ExprType, pointer: orchestration + "/handoff/0/condition/expr"},
		{id: "AAIF-5-4", edit: orchestration + "/handoff/0/condition", value: `{"lang":"always","expr":"x"}`, code: aaif.ExprType, pointer: orchestration + "/handoff/0/condition/expr", warning: true},
	})
	t.Run("AAIF-4.1-9 a draft that runs in production", func(t *testing.T) {
		d := changed(t, changed(t, doc(t, minimal), "/status", `"draft"`), "/agent/runtime", `{"environment":"production"}`)
		found := validator(t).Lint(d)
		if len(found) != 1 || aaif.CodeOf(found[0]) != aaif.DraftInProduction || !found[0].Warning {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-2-3 what is reported is bounded", func(t *testing.T) {
		var ids []string
		for i := range 1500 {
			ids = append(ids, `"c`+strconv.Itoa(i)+`"`)
		}
		if found := validator(t).Lint(changed(t, doc(t, minimal), "/agent/required_capabilities", "["+strings.Join(ids, ",")+"]")); len(found) != 1001 {
			t.Errorf("got %d", len(found))
		}
	})
	t.Run("AAIF-4.3-12 the best of several wants a judge", func(t *testing.T) {
		found := validator(t).Lint(changed(t, doc(t, minimal), "/agent/orchestration", `{"consensus":{"strategy":"best_of_n"}}`))
		if len(found) != 1 || found[0].Rule != "AAIF-4.3-12" || aaif.CodeOf(found[0]) != aaif.ConsensusConfig || !aaif.BlocksIntake(found[0]) {
			t.Errorf("got %s", show(found))
		}
	})
}

func TestStringConditions(t *testing.T) {
	const at = "/agent/orchestration/subagents/1/when"
	t.Run("AAIF-5-13 AAIF-U.V-3 warned of at Portable", func(t *testing.T) {
		found := validator(t).Lint(sample(t, "agent"))
		if len(found) != 1 || found[0].Path != at || aaif.CodeOf(found[0]) != aaif.StringCondition || !found[0].Warning {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-5-13 and not below", func(t *testing.T) {
		d := changed(t, sample(t, "agent"), "/agent/constraints", "")
		if found := validator(t).Lint(d); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-5-1 the four places of conditions", func(t *testing.T) {
		var got []string
		for _, g := range aaif.ReadDefinition(sample(t, "agent").Value).Conditions() {
			got = append(got, string(g.Gate)+" "+g.Pointer+" "+string(g.Condition.Lang)+g.Condition.Hint)
		}
		want := []string{
			"when /agent/orchestration/subagents/0/when jsonpath", "when " + at + " once the reader is done",
			"condition /agent/orchestration/handoff/0/condition cel", "filter /agent/events/triggers/1/filter jsonlogic",
			"trigger /agent/compliance/human_in_the_loop/trigger always",
		}
		if len(got) != len(want) {
			t.Fatalf("got %q", got)
		}
		for i := range want {
			expect(t, got[i], want[i])
		}
	})
}
