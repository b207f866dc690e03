package aaif_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// everything is a manifest of a platform that has all there is.
const everything = `{
  "sc_standard": "SC-006", "sc_version": "3.4.0", "x-aaif-capabilities": ["io.async", "io.batch", "compliance.constraints", "compliance.pii_handling"],
  "platform": {"name": "P", "version": "1", "aaif_conformance_level": "Core", "capabilities": {
    "tool": {"function": true, "mcp": true, "http": true, "openapi": true, "parallel_calls": true},
    "memory": {"in_memory": true, "redis": true, "postgres": true, "sqlite": true, "qdrant": true, "pinecone": true, "chroma": true, "weaviate": true, "vector": true},
    "model": {"streaming": true},
    "orchestration": {"pipeline": true, "parallel": true, "dynamic_routing": true, "handoff": true, "consensus": true,
      "condition_languages": ["jsonpath", "jmespath", "cel", "jsonlogic", "always", "never"]},
    "auth": {"bearer": true, "vault": {"supported": true, "providers": ["aws_secrets_manager", "hashicorp_vault"]}},
    "state": {"checkpoint": true},
    "compliance": {"human_in_the_loop": true, "audit_log": true, "pii_scrubbing": true, "data_residency_regions": ["EU"]},
    "telemetry": {"otel_traces": true, "otlp_export": true}
  }}}`

// levels are the safety levels, "" being none.
var levels = []string{"minimal", "standard", "strict", "regulated", ""}

// explicitEffect is what the text says of a capability that is listed and lacking.
func explicitEffect(level string) aaif.Effect {
	switch level {
	case "minimal":
		return aaif.Skipped
	case "strict", "regulated":
		return aaif.Refusal
	}
	return aaif.Disabled
}

// agentWith returns a definition with edits, pointer and JSON by turns.
func agentWith(t testing.TB, level string, edits ...string) aaif.Definition {
	t.Helper()
	d := doc(t, minimal)
	if level != "" {
		d = changed(t, d, "/agent/compliance/safety_level", `"`+level+`"`)
	}
	for i := 0; i+1 < len(edits); i += 2 {
		d = changed(t, d, edits[i], edits[i+1])
	}
	return aaif.ReadDefinition(d.Value)
}

func manifestWith(t testing.TB, edits ...string) aaif.Manifest {
	t.Helper()
	d := doc(t, everything)
	for i := 0; i+1 < len(edits); i += 2 {
		d = changed(t, d, edits[i], edits[i+1])
	}
	return aaif.ReadManifest(d.Value)
}

// only returns the one need that is not satisfied.
func only(t *testing.T, n aaif.Negotiation) aaif.Need {
	t.Helper()
	lacking := n.Unsatisfied()
	if len(lacking) != 1 {
		t.Fatalf("want one need that is not satisfied, got %+v", lacking)
	}
	return lacking[0]
}

// outcome checks what follows from one lacking need at a level.
func outcome(t *testing.T, n aaif.Negotiation, level string, effect aaif.Effect) {
	t.Helper()
	need := only(t, n)
	expect(t, need.Effect, effect)
	rejected := effect == aaif.Refusal
	expect(t, n.Verdict == aaif.Rejected, rejected)
	expect(t, n.Verdict == aaif.Degraded, !rejected)
	expect(t, n.Audit, rejected && level == "regulated")
	expect(t, n.Err() != nil, rejected)
	if rejected {
		expect(t, aaif.CodeOf(n.Err()), aaif.UnsatisfiedCapabilities)
		expect(t, strings.Contains(n.Err().Error(), need.Capability), true)
	}
	off := effect == aaif.Skipped || effect == aaif.Disabled
	expect(t, slices.Contains(n.Disabled(), need.Capability), off)
	words := n.Words()
	expect(t, len(words), 1)
	for _, part := range append(need.Pointers, need.Capability) {
		if !strings.Contains(words[0], part) {
			t.Errorf("%q does not say %q", words[0], part)
		}
	}
	if found := n.Value().Get("unsatisfied"); found.Len() != 1 || found.Items()[0].Text() != need.Capability {
		t.Errorf("got %s", found.Append(nil))
	}
}

// lists are the capabilities that may be listed, and the edit of a manifest that takes
// them away.
var lists = []struct{ id, edit, value, want string }{
	{"tool.function", "tool/function", "", ""}, {"tool.mcp", "tool/mcp", "", ""}, {"tool.http", "tool/http", "false", ""}, {"tool.openapi", "tool/openapi", "", ""},
	{"memory.vector", "memory/vector", "", ""}, {"memory.redis", "memory/redis", "", ""}, {"memory.postgres", "memory/postgres", "", ""},
	{"memory.pinecone", "memory/pinecone", "", ""}, {"memory.qdrant", "memory/qdrant", "", ""}, {"memory.in_memory", "memory/in_memory", "", ""},
	{"memory.chroma", "memory/chroma", "", ""}, {"memory.sqlite", "memory/sqlite", "", ""}, {"memory.weaviate", "memory/weaviate", "", ""},
	{"orchestration.parallel", "orchestration/parallel", "", ""}, {"orchestration.handoff", "orchestration/handoff", "", ""},
	{"orchestration.pipeline", "orchestration/pipeline", "", ""}, {"orchestration.consensus", "orchestration/consensus", "", ""},
	{"orchestration.dynamic_routing", "orchestration/dynamic_routing", "", ""},
	{"condition.structured", "orchestration/condition_languages", `["always","never"]`, ""}, {"condition.cel", "orchestration/condition_languages", `["jsonpath"]`, ""},
	{"telemetry.otel", "telemetry/otel_traces", "", ""}, {"telemetry.otel_traces", "telemetry/otel_traces", "", "telemetry.otel"}, {"telemetry.otlp_export", "telemetry/otlp_export", "", ""},
	{"compliance.hitl", "compliance/human_in_the_loop", "", ""}, {"compliance.human_in_the_loop", "compliance/human_in_the_loop", "", "compliance.hitl"},
	{"compliance.audit_log", "compliance/audit_log", "", ""}, {"compliance.data_residency", "compliance/data_residency_regions", "[]", ""},
	{"auth.bearer", "auth/bearer", "", ""},
	{"auth.vault", "auth/vault", "", ""}, {"auth.vault(aws_secretsmanager)", "auth/vault/providers", `["hashicorp_vault"]`, ""},
	{"auth.vault(aws_secrets_manager)", "auth/vault/supported", "false", "auth.vault(aws_secretsmanager)"},
	{"io.streaming", "model/streaming", "", ""}, {"io.async", "/x-aaif-capabilities", "", ""}, {"io.batch", "/x-aaif-capabilities", "", ""},
	{"compliance.constraints", "/x-aaif-capabilities", "", ""}, {"compliance.pii_handling", "/x-aaif-capabilities", "", ""},
	{"state.checkpoint", "state/checkpoint", "", ""}, {"state.restore", "state/checkpoint", "", ""},
}

func groupEdit(edit string) string {
	if strings.HasPrefix(edit, "/") {
		return edit
	}
	return "/platform/capabilities/" + edit
}

func TestListedCapabilities(t *testing.T) {
	for _, level := range levels {
		for _, c := range lists {
			t.Run("AAIF-7-2 AAIF-7-3 AAIF-7-4 AAIF-7-5 AAIF-7-6 AAIF-7-7 AAIF-7-8 AAIF-7-10 AAIF-U.P-1 AAIF-U.R-1 "+level+" "+c.id, func(t *testing.T) {
				d := agentWith(t, level, "/agent/required_capabilities", `["tool.parallel_calls","`+c.id+`","auth.bearer"]`)
				if c.id == "auth.bearer" {
					d = agentWith(t, level, "/agent/required_capabilities", `["`+c.id+`"]`)
				}
				full := aaif.Negotiate(d, manifestWith(t), aaif.NegotiateOptions{})
				if full.Verdict != aaif.Accepted || full.Err() != nil || len(full.Words()) != 0 || len(full.Disabled()) != 0 {
					t.Fatalf("a platform that has all: %s", full.Value().Append(nil))
				}
				n := aaif.Negotiate(d, manifestWith(t, groupEdit(c.edit), c.value), aaif.NegotiateOptions{})
				outcome(t, n, level, explicitEffect(level))
				want := c.want
				if want == "" {
					want = c.id
				}
				need := only(t, n)
				expect(t, need.Capability, want)
				expect(t, need.Implicit, false)
			})
		}
	}
}

// uses are what a definition may use without listing it (decision R19).
var uses = []struct {
	id, pointer string // of the need
	at, value   string // in the definition
	edit, lack  string // of the manifest
	kind        string // "": by the level; "safety"; "memory"
}{
	{"tool.function", "/agent/tools/0", "/agent/tools", `[{"name":"a","description":"b"}]`, "tool/function", "", ""},
	{"tool.function", "/agent/tools/0/protocol", "/agent/tools", `[{"name":"a","description":"b","protocol":"function"}]`, "tool/function", "", ""},
	{"tool.mcp", "/agent/tools/0/protocol", "/agent/tools", `[{"name":"a","description":"b","protocol":"mcp"}]`, "tool/mcp", "", ""},
	{"tool.http", "/agent/tools/0/protocol", "/agent/tools", `[{"name":"a","description":"b","protocol":"http"}]`, "tool/http", "", ""},
	{"tool.openapi", "/agent/tools/0/protocol", "/agent/tools", `[{"name":"a","description":"b","protocol":"openapi"}]`, "tool/openapi", "", ""},
	{"auth.vault(hashicorp_vault)", "/agent/tools/0/auth/vault_ref/provider", "/agent/tools", `[{"name":"a","description":"b","auth":{"vault_ref":{"provider":"hashicorp_vault","path":"x"}}}]`, "auth/vault/providers", `["aws_secretsmanager"]`, ""},
	{"auth.vault(aws_secretsmanager)", "/agent/tools/0/auth/vault_ref/provider", "/agent/tools", `[{"name":"a","description":"b","auth":{"vault_ref":{"provider":"aws_secretsmanager","path":"x"}}}]`, "auth/vault/providers", `[]`, ""},
	{"memory.redis", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"redis"}]`, "memory/redis", "", "memory"},
	{"memory.postgres", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"postgres"}]`, "memory/postgres", "", "memory"},
	{"memory.sqlite", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"sqlite"}]`, "memory/sqlite", "", "memory"},
	{"memory.pinecone", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"pinecone"}]`, "memory/pinecone", "", "memory"},
	{"memory.qdrant", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"qdrant"}]`, "memory/qdrant", "", "memory"},
	{"memory.vector", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"chroma"}]`, "memory/vector", "", "memory"},
	{"memory.vector", "/agent/memory/0/backend", "/agent/memory", `[{"scope":"user","content":"","backend":"weaviate"}]`, "memory/vector", "", "memory"},
	{"orchestration.parallel", "/agent/orchestration/parallel_execution", "/agent/orchestration", `{"parallel_execution":true}`, "orchestration/parallel", "", ""},
	{"orchestration.pipeline", "/agent/orchestration/pipeline", "/agent/orchestration", `{"pipeline":["a"]}`, "orchestration/pipeline", "", ""},
	{"orchestration.handoff", "/agent/orchestration/handoff", "/agent/orchestration", `{"handoff":[{"condition":"x","target_agent":"b"}]}`, "orchestration/handoff", "", ""},
	{"orchestration.consensus", "/agent/orchestration/consensus", "/agent/orchestration", `{"consensus":{"strategy":"first_success"}}`, "orchestration/consensus", "", ""},
	{"orchestration.consensus", "/agent/orchestration/consensus", "/agent/orchestration", `{"consensus":{"min_votes":2}}`, "orchestration/consensus", "", ""},
	{"orchestration.dynamic_routing", "/agent/orchestration/role", "/agent/orchestration", `{"role":"router","subagents":[{"ref":"a"}]}`, "orchestration/dynamic_routing", "", ""},
	{"condition.jmespath", "/agent/orchestration/subagents/0/when", "/agent/orchestration", `{"subagents":[{"ref":"a","when":{"lang":"jmespath","expr":"a"}}]}`, "orchestration/condition_languages", `["cel"]`, ""},
	{"condition.cel", "/agent/orchestration/handoff/0/condition", "/agent/orchestration", `{"handoff":[{"condition":{"lang":"cel","expr":"true"},"target_agent":"b"}]}`, "orchestration/condition_languages", `["jmespath"]`, ""},
	{"condition.jsonlogic", "/agent/events/triggers/0/filter", "/agent/events", `{"triggers":[{"type":"event","filter":{"lang":"jsonlogic","expr":{}}}]}`, "orchestration/condition_languages", "", ""},
	{"condition.always", "/agent/compliance/human_in_the_loop/trigger", "/agent/compliance/human_in_the_loop", `{"trigger":{"lang":"always"}}`, "orchestration/condition_languages", `["cel"]`, ""},
	{"telemetry.otel", "/agent/telemetry/tracing", "/agent/telemetry", `{"tracing":true}`, "telemetry/otel_traces", "", ""},
	{"io.streaming", "/agent/io/streaming", "/agent/io", `{"streaming":true}`, "model/streaming", "", ""},
	{"io.async", "/agent/io/mode", "/agent/io", `{"mode":"async"}`, "/x-aaif-capabilities", `[]`, ""},
	{"io.async", "/agent/runtime/async_execution", "/agent/runtime", `{"async_execution":true}`, "/x-aaif-capabilities", `["io.batch"]`, ""},
	{"io.batch", "/agent/io/mode", "/agent/io", `{"mode":"batch"}`, "/x-aaif-capabilities", `["io.async"]`, ""},
	{"compliance.constraints", "/agent/constraints", "/agent/constraints", `["Never guess."]`, "/x-aaif-capabilities", `["io.async"]`, "safety"},
	{"compliance.data_residency", "/agent/compliance/data_residency", "/agent/compliance/data_residency", `"EU"`, "compliance/data_residency_regions", `["US","eu"]`, "safety"},
	{"compliance.pii_handling", "/agent/compliance/pii_handling", "/agent/compliance/pii_handling", `"encrypt"`, "/x-aaif-capabilities", `["io.async"]`, "safety"},
	{"compliance.pii_handling", "/agent/compliance/pii_handling", "/agent/compliance/pii_handling", `"reject"`, "/x-aaif-capabilities", `[]`, "safety"},
	{"compliance.audit_log", "/agent/compliance/audit_log", "/agent/compliance/audit_log", `true`, "compliance/audit_log", "", "safety"},
	{"compliance.hitl", "/agent/compliance/human_in_the_loop/enabled", "/agent/compliance/human_in_the_loop", `{"enabled":true}`, "compliance/human_in_the_loop", "", "safety"},
}

func TestUsedCapabilities(t *testing.T) {
	for _, level := range levels {
		for _, u := range uses {
			t.Run("AAIF-7-11 AAIF-7-12 AAIF-7-18 AAIF-U.V-2 AAIF-4.5-10 "+level+" "+u.id+" by "+u.value, func(t *testing.T) {
				d := agentWith(t, level, u.at, u.value)
				if full := aaif.Negotiate(d, manifestWith(t), aaif.NegotiateOptions{}); full.Verdict != aaif.Accepted || len(full.Needs) == 0 {
					t.Fatalf("a platform that has all: %s", full.Value().Append(nil))
				}
				effect := explicitEffect(level)
				switch u.kind {
				case "safety":
					effect = aaif.Refusal
				case "memory":
					effect = aaif.Substituted
				}
				n := aaif.Negotiate(d, manifestWith(t, groupEdit(u.edit), u.lack), aaif.NegotiateOptions{})
				outcome(t, n, level, effect)
				need := only(t, n)
				expect(t, need.Capability, u.id)
				expect(t, strings.Join(need.Pointers, " "), u.pointer)
				expect(t, need.Implicit, true)
				expect(t, need.Safety, u.kind == "safety")
			})
		}
	}
}
