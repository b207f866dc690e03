package aaif_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// ruleCase is an edit of a sample, and the violation that follows: none where pointer is
// empty.
type ruleCase struct {
	id           string // requirement; what it asks is said after a blank
	edit, value  string // pointer and JSON; an empty value removes
	pointer, not string // of the violation; not is the rule that it names, if not the id
}

func run(t *testing.T, name string, cases []ruleCase) {
	t.Helper()
	v, base := validator(t), sample(t, name)
	if found := v.Lint(base); aaif.HasErrors(found) {
		t.Fatalf("the sample is refused:%s", show(found))
	}
	for _, c := range cases {
		t.Run(c.id+" "+c.edit+"="+clip(c.value), func(t *testing.T) {
			found := refusals(v.Validate(changed(t, base, c.edit, c.value)))
			want, _, _ := strings.Cut(c.id, " ")
			if c.not != "" {
				want = c.not
			}
			switch {
			case c.pointer == "" && len(found) > 0:
				t.Errorf("refused:%s", show(found))
			case c.pointer != "" && (len(found) != 1 || found[0].Path != c.pointer || found[0].Rule != want):
				t.Errorf("want one violation of %s at %s, got:%s", want, c.pointer, show(found))
			}
		})
	}
}

func clip(s string) string { return strings.ReplaceAll(s[:min(len(s), 30)], "/", "_") }

// words puts every valid word, and one that is not, where a case edits.
func words(at ruleCase, valid []string, invalid string) []ruleCase {
	cases := []ruleCase{{id: at.id, edit: at.edit, value: `"` + invalid + `"`, pointer: at.edit}}
	for _, word := range valid {
		cases = append(cases, ruleCase{id: at.id, edit: at.edit, value: `"` + word + `"`})
	}
	return cases
}

func TestDefinition(t *testing.T) {
	run(t, "agent", []ruleCase{
		{id: "AAIF-4-2", edit: "/agent", pointer: "/agent"},
		{id: "AAIF-4-7", edit: "/agent/name", pointer: "/agent/name"},
		{id: "AAIF-4-7", edit: "/agent/name", value: `""`, pointer: "/agent/name"},
		{id: "AAIF-4-8", edit: "/agent/goal", pointer: "/agent/goal"},
		{id: "AAIF-4-3", edit: "/metadata", value: `{}`, pointer: "/metadata"},
		{id: "AAIF-4-3", edit: "/agent/model/foo", value: `1`, pointer: "/agent/model/foo"},
		{id: "AAIF-4-5", edit: "/sc_version", value: `"3.4"`, pointer: "/sc_version"},
		{id: "AAIF-4-5", edit: "/sc_version", value: `"3.4.0"`},
		{id: "AAIF-4-6", edit: "/tags", value: `["a","a"]`, pointer: "/tags/1"},
		{id: "AAIF-4-6", edit: "/tags", value: `["a","b"]`},
		{id: "AAIF-4-6", edit: "/tags", value: `[1]`, pointer: "/tags/0"},
		{id: "AAIF-4-9", edit: "/agent/version", value: `"v1"`, pointer: "/agent/version"},
		{id: "AAIF-4-9", edit: "/agent/skills", value: `"email"`, pointer: "/agent/skills"},
		{id: "AAIF-4-11", edit: "/agent/required_capabilities", value: `[1]`, pointer: "/agent/required_capabilities/0"},
		{id: "AAIF-4-11", edit: "/agent/required_capabilities", value: `["a.b","a.b"]`, pointer: "/agent/required_capabilities/1"},
		{id: "AAIF-4-12", edit: "/agent/model/other", value: `1`, pointer: "/agent/model/other", not: "AAIF-4-3"},
		{id: "AAIF-4-16", edit: "/agent/context/0/type", value: `"web"`, pointer: "/agent/context/0/type"},
		{id: "AAIF-4-16", edit: "/agent/context/0/value", pointer: "/agent/context/0/value"},
		{id: "AAIF-4-18", edit: "/agent/io/mode", value: `"stream"`, pointer: "/agent/io/mode"},
		{id: "AAIF-4-20", edit: "/agent/events/triggers/0/type", value: `"cron"`, pointer: "/agent/events/triggers/0/type"},
		{id: "AAIF-4-22", edit: "/provenance/who", value: `1`, pointer: "/provenance/who", not: "AAIF-4-3"},
		{id: "AAIF-4.1-1", edit: "/sc_standard", value: `"SC-005"`, pointer: "/sc_standard"},
		{id: "AAIF-4.1-1", edit: "/sc_standard", value: `6`, pointer: "/sc_standard"},
		{id: "AAIF-4.1-1", edit: "/sc_standard", pointer: "/sc_standard"},
		{id: "AAIF-4.1-7", edit: "/status", value: `"running"`, pointer: "/status"},
		{id: "AAIF-1.2-2", edit: "/agent/runtime"}, {id: "AAIF-1.2-2", edit: "/agent/telemetry"}, {id: "AAIF-1.2-2", edit: "/agent/io"},
		{id: "AAIF-U.W-3", edit: "/x-a", value: `1`},
		{id: "AAIF-U.W-3", edit: "/agent/x-a", value: `1`, pointer: "/agent/x-a", not: "AAIF-4-3"},
		{id: "AAIF-U.W-5", edit: "/_comment", value: `1`, pointer: "/_comment"},
		{id: "AAIF-U.D-1", edit: "/sc_version", value: `"2.1.0"`},
		{id: "AAIF-U.D-1", edit: "/sc_version", value: `"3.9.0"`},
		{id: "AAIF-U.D-1", edit: "/sc_version", value: `"4.0.0"`, pointer: "/sc_version"},
		{id: "AAIF-U.D-1", edit: "/sc_version", value: `"99999999999999999999.0.0"`, pointer: "/sc_version"},
		{id: "AAIF-U.context.jsonld-1", edit: "/@context", value: `{}`, pointer: "/@context", not: "AAIF-4-3"},
	})
	run(t, "agent", words(ruleCase{id: "AAIF-4-13", edit: "/agent/model/routing_strategy"}, []string{"preferred_first", "cost", "latency", "quality", "round_robin"}, "cheapest"))
	run(t, "agent", words(ruleCase{id: "AAIF-4-14", edit: "/agent/model/response_format"}, []string{"text", "json", "json_schema", "markdown"}, "yaml"))
	run(t, "agent", words(ruleCase{id: "AAIF-4-15", edit: "/agent/orchestration/role"}, []string{"orchestrator", "worker", "evaluator", "router", "synthesizer"}, "manager"))
	run(t, "agent", words(ruleCase{id: "AAIF-4-16", edit: "/agent/context/0/type"}, []string{"text", "file", "url", "dataset", "schema_ref"}, "page"))
}

func TestModelRules(t *testing.T) {
	run(t, "agent", []ruleCase{
		{id: "AAIF-4.2-5", edit: "/agent/model/fallbacks/0/model", pointer: "/agent/model/fallbacks/0/model"},
		{id: "AAIF-4.2-5", edit: "/agent/model/fallbacks/0/max_cost_usd_per_1k_tokens", value: `"0.1"`, pointer: "/agent/model/fallbacks/0/max_cost_usd_per_1k_tokens"},
		{id: "AAIF-4.2-18", edit: "/agent/model/provider_id", pointer: "/agent/model/provider_id"},
		{id: "AAIF-4.2-21", edit: "/agent/model/params/extended", value: `{"a":[{"b":null}]}`},
		{id: "AAIF-4.2-23", edit: "/agent/model/params/extended", value: `{"temperature":"hot","tools":null,"x":[1,"2"]}`},
		{id: "AAIF-4.2-25", edit: "/agent/model/params/top_p", value: `1.5`, pointer: "/agent/model/params/top_p"},
		{id: "AAIF-4.2-25", edit: "/agent/model/params/stop", value: `["a","b","c","d","e"]`, pointer: "/agent/model/params/stop"},
		{id: "AAIF-4.2-25", edit: "/agent/model/temperature", value: `2.1`, pointer: "/agent/model/temperature"},
		{id: "AAIF-4.3-2", edit: "/agent/orchestration/subagents/0/ref", pointer: "/agent/orchestration/subagents/0/ref"},
		{id: "AAIF-4.3-10", edit: "/agent/orchestration/consensus/strategy", value: `"quorum"`, pointer: "/agent/orchestration/consensus/strategy"},
		{id: "AAIF-4.3-10", edit: "/agent/orchestration/consensus/min_votes", value: `0`, pointer: "/agent/orchestration/consensus/min_votes"},
		{id: "AAIF-4.3-17", edit: "/agent/orchestration/handoff/0/target_agent", pointer: "/agent/orchestration/handoff/0/target_agent"},
		{id: "AAIF-4.3-23", edit: "/agent/orchestration/max_iterations", value: `0`, pointer: "/agent/orchestration/max_iterations"},
		{id: "AAIF-5-2", edit: "/agent/orchestration/handoff/0/condition", value: `{"lang":"cel","expr":"true","x":1}`, pointer: "/agent/orchestration/handoff/0/condition/x", not: "AAIF-4-3"},
		{id: "AAIF-5-2", edit: "/agent/orchestration/handoff/0/condition", value: `3`, pointer: "/agent/orchestration/handoff/0/condition"},
		{id: "AAIF-5-3", edit: "/agent/orchestration/handoff/0/condition", value: `{}`, pointer: "/agent/orchestration/handoff/0/condition/lang", not: "AAIF-5-2"},
		{id: "AAIF-5-3", edit: "/agent/orchestration/subagents/0/when/lang", value: `"regex"`, pointer: "/agent/orchestration/subagents/0/when/lang"},
		{id: "AAIF-5-4", edit: "/agent/events/triggers/1/filter", value: `{"lang":"cel"}`, pointer: "/agent/events/triggers/1/filter/expr"},
		{id: "AAIF-5-12", edit: "/agent/orchestration/subagents/0/when", value: `"after review"`},
	})
	providers := strings.Fields("openai anthropic google vertex_ai mistral cohere groq ollama azure_openai bedrock huggingface together fireworks deepseek xai openrouter custom")
	run(t, "agent", words(ruleCase{id: "AAIF-4.2-17", edit: "/agent/model/provider"}, providers, "acme"))
	run(t, "agent", words(ruleCase{id: "AAIF-5-3", edit: "/agent/orchestration/subagents/0/when/lang"}, []string{"jsonpath", "jmespath", "cel", "jsonlogic", "always", "never"}, "lua"))
}

func TestToolRules(t *testing.T) {
	run(t, "agent", []ruleCase{
		{id: "AAIF-4.4-1", edit: "/agent/tools/0/name", value: `"9bad"`, pointer: "/agent/tools/0/name"},
		{id: "AAIF-4.4-1", edit: "/agent/tools/0/name", value: `"` + strings.Repeat("a", 65) + `"`, pointer: "/agent/tools/0/name"},
		{id: "AAIF-4.4-1", edit: "/agent/tools/0/description", pointer: "/agent/tools/0/description"},
		{id: "AAIF-4.4-13", edit: "/agent/tools/0/auth"},
		{id: "AAIF-4.4-22", edit: "/agent/tools/0/auth/vault_ref/path", pointer: "/agent/tools/0/auth/vault_ref/path"},
		{id: "AAIF-4.4-22", edit: "/agent/tools/0/auth/vault_ref/provider", value: `"safe"`, pointer: "/agent/tools/0/auth/vault_ref/provider"},
		{id: "AAIF-4.4-25", edit: "/agent/tools/0/cache_ttl_seconds", value: `-1`, pointer: "/agent/tools/0/cache_ttl_seconds"},
		{id: "AAIF-4.4-26", edit: "/agent/tools/0/timeout_seconds", value: `0`, pointer: "/agent/tools/0/timeout_seconds"},
		{id: "AAIF-4.4-27", edit: "/agent/tools/0/rate_limit/requests_per_minute", value: `0`, pointer: "/agent/tools/0/rate_limit/requests_per_minute"},
		{id: "AAIF-4.5-1", edit: "/agent/memory/0/scope", pointer: "/agent/memory/0/scope", not: "AAIF-4.5-2"},
		{id: "AAIF-4.5-1", edit: "/agent/memory/0/content", pointer: "/agent/memory/0/content"},
		{id: "AAIF-4.5-13", edit: "/agent/memory/0/top_k", value: `0`, pointer: "/agent/memory/0/top_k"},
		{id: "AAIF-4.5-14", edit: "/agent/memory/0/ttl_seconds", value: `-1`, pointer: "/agent/memory/0/ttl_seconds"},
		{id: "AAIF-4.6-2", edit: "/agent/runtime/timeout_seconds", value: `0`, pointer: "/agent/runtime/timeout_seconds"},
		{id: "AAIF-4.6-3", edit: "/agent/runtime/concurrency", value: `0`, pointer: "/agent/runtime/concurrency"},
		{id: "AAIF-4.6-4", edit: "/agent/runtime/max_retries", value: `-1`, pointer: "/agent/runtime/max_retries"},
		{id: "AAIF-4.7-11", edit: "/agent/telemetry/log_level", value: `"trace"`, pointer: "/agent/telemetry/log_level"},
		{id: "AAIF-4.8-2", edit: "/agent/evaluation/metrics/0/name", value: `"bleu"`, pointer: "/agent/evaluation/metrics/0/name"},
		{id: "AAIF-4.8-4", edit: "/agent/evaluation/test_cases/0/id", pointer: "/agent/evaluation/test_cases/0/id"},
		{id: "AAIF-4.8-4", edit: "/agent/evaluation/test_cases/0/input", pointer: "/agent/evaluation/test_cases/0/input"},
		{id: "AAIF-4.9-11", edit: "/agent/compliance/human_in_the_loop/more", value: `1`, pointer: "/agent/compliance/human_in_the_loop/more", not: "AAIF-4-3"},
		{id: "AAIF-4.9-11", edit: "/agent/compliance/human_in_the_loop/enabled", value: `"yes"`, pointer: "/agent/compliance/human_in_the_loop/enabled"},
	})
	run(t, "agent", words(ruleCase{id: "AAIF-4.4-3", edit: "/agent/tools/0/protocol"}, []string{"function", "mcp", "http", "openapi"}, "grpc"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.4-14", edit: "/agent/tools/0/auth/type"}, []string{"none", "bearer", "api_key", "oauth2", "aws_sigv4", "basic", "mtls"}, "digest"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.4-22", edit: "/agent/tools/0/auth/vault_ref/provider"}, []string{"aws_secretsmanager", "hashicorp_vault", "azure_keyvault", "gcp_secretmanager", "1password", "custom"}, "chest"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.5-2", edit: "/agent/memory/0/scope"}, []string{"user", "session", "task", "long_term"}, "global"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.5-9", edit: "/agent/memory/0/backend"}, []string{"in_memory", "redis", "postgres", "sqlite", "pinecone", "weaviate", "qdrant", "chroma", "custom"}, "mongodb"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.5-12", edit: "/agent/memory/0/retrieval_strategy"}, []string{"similarity", "keyword", "hybrid", "recency"}, "semantic"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.6-5", edit: "/agent/runtime/retry_backoff"}, []string{"fixed", "linear", "exponential"}, "random"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.6-9", edit: "/agent/runtime/environment"}, []string{"production", "staging", "development", "test"}, "prod"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.9-1", edit: "/agent/compliance/safety_level"}, []string{"minimal", "standard", "strict", "regulated"}, "maximum"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.9-3", edit: "/agent/compliance/data_residency"}, []string{"global", "EU", "US", "UK", "APAC", "custom"}, "DE"))
	run(t, "agent", words(ruleCase{id: "AAIF-4.9-7", edit: "/agent/compliance/pii_handling"}, []string{"none", "detect", "anonymize", "encrypt", "reject"}, "hide"))
}

// What the invalid documents of the public test suite get wrong, and where it is said.
func TestInvalidForTheirReason(t *testing.T) {
	edits := []struct{ base, pointer, value, at string }{
		{minimal, "/status", `"running"`, ""},
		{minimal, "/agent/orchestration", `{"subagents":[{"ref":"a","when":{"lang":"regex","expr":"x"}}]}`, "/agent/orchestration/subagents/0/when/lang"},
		{minimal, "/agent/model/routing_strategy", `"cheapest"`, ""},
		{minimal, "/agent/compliance/safety_level", `"maximum"`, ""},
		{minimal, "/agent/tools", `[{"name":"a","description":"b","protocol":"grpc"}]`, "/agent/tools/0/protocol"},
		{minimal, "/agent/events", `{"triggers":[{"type":"webhook","filter":{"lang":"jsonpath"}}]}`, "/agent/events/triggers/0/filter/expr"},
		{minimal, "/agent/model", `{"provider":"custom"}`, "/agent/model/provider_id"},
		{minimal, "/agent/goal", ``, ""},
		{minimal, "/agent/name", ``, ""},
		{checkpoint, "/agent_id", ``, ""},
		{minimal, "/metadata", `{}`, ""},
	}
	for _, e := range edits {
		if e.at == "" {
			e.at = e.pointer
		}
		t.Run("AAIF-U.Y-2 AAIF-6-12 "+e.at, func(t *testing.T) {
			found := validator(t).Validate(changed(t, doc(t, e.base), e.pointer, e.value))
			if len(found) != 1 || found[0].Path != e.at || found[0].Warning {
				t.Errorf("got %s", show(found))
			}
		})
	}
}
