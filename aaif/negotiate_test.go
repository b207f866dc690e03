package aaif_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// everything is a manifest of a platform that has all there is.
const everything = `{
  "sc_standard": "SC-006", "sc_version": "3.4.0", "x-aaif-capabilities": ["io.async", "io.batch", "compliance.constraints"],
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
	{"compliance.pii_scrubbing", "compliance/pii_scrubbing", "", ""}, {"auth.bearer", "auth/bearer", "", ""},
	{"auth.vault", "auth/vault", "", ""}, {"auth.vault(aws_secretsmanager)", "auth/vault/providers", `["hashicorp_vault"]`, ""},
	{"auth.vault(aws_secrets_manager)", "auth/vault/supported", "false", "auth.vault(aws_secretsmanager)"},
	{"io.streaming", "model/streaming", "", ""}, {"io.async", "/x-aaif-capabilities", "", ""}, {"io.batch", "/x-aaif-capabilities", "", ""},
	{"compliance.constraints", "/x-aaif-capabilities", "", ""},
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
	{"compliance.pii_scrubbing", "/agent/compliance/pii_handling", "/agent/compliance/pii_handling", `"anonymize"`, "compliance/pii_scrubbing", "false", "safety"},
	{"compliance.pii_scrubbing", "/agent/compliance/pii_handling", "/agent/compliance/pii_handling", `"encrypt"`, "compliance/pii_scrubbing", "", "safety"},
	{"compliance.pii_scrubbing", "/agent/compliance/pii_handling", "/agent/compliance/pii_handling", `"reject"`, "compliance", "", "safety"},
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

func TestNothingNeeded(t *testing.T) {
	for at, value := range map[string]string{
		"/agent/tools": `[]`, "/agent/memory": `[{"scope":"user","content":"","backend":"custom"},{"scope":"user","content":""}]`,
		"/agent/orchestration": `{"role":"router","parallel_execution":false,"pipeline":[],"handoff":[],"consensus":{},"subagents":[]}`,
		"/agent/telemetry":     `{"tracing":false}`, "/agent/io": `{"streaming":false,"mode":"sync"}`, "/agent/runtime": `{"streaming":true}`,
		"/agent/compliance":  `{"data_residency":"global","pii_handling":"detect","audit_log":false,"human_in_the_loop":{"enabled":false,"trigger":"before it writes"}}`,
		"/agent/constraints": `[]`, "/agent/skills": `["x"]`,
	} {
		t.Run("AAIF-7-11 nothing is made up of "+at, func(t *testing.T) {
			n := aaif.Negotiate(agentWith(t, "regulated", "/agent/compliance/pii_handling", `"none"`, at, value), aaif.Manifest{}, aaif.NegotiateOptions{})
			if n.Verdict != aaif.Accepted || len(n.Needs) != 0 {
				t.Errorf("got %s", n.Value().Append(nil))
			}
		})
	}
}

func TestUnknownCapabilities(t *testing.T) {
	for _, id := range []string{"compliance.hitll", "toolmcp", "tool.", "x", "auth.vault(acme)", "auth.vault(1password", "condition.lua", "memory.custom2", "\u001b[31mred\n", strings.Repeat("a", 300)} {
		t.Run("AAIF-7-3 AAIF-7-4 "+clip(canonText(id)), func(t *testing.T) {
			d := agentWith(t, "strict", "/agent/required_capabilities", `["tool.mcp",`+canonText(id)+`]`)
			m := manifestWith(t)
			m.Extra = append(m.Extra, id) // whatever a platform says
			n := aaif.Negotiate(d, m, aaif.NegotiateOptions{})
			need := only(t, n)
			expect(t, need.Unregistered, true)
			expect(t, n.Verdict, aaif.Rejected)
			for _, said := range append(n.Words(), n.Err().Error()) {
				if strings.ContainsAny(said, "\x1b\n") || len(said) > 300 {
					t.Errorf("says %q", said)
				}
			}
			expect(t, pathOf(n.Err()), "/agent/required_capabilities/1")
		})
	}
	t.Run("AAIF-10-4 a registry may add one", func(t *testing.T) {
		entry := tree(t, `{"id":"tool.grpc","status":"standard","category":"tool"}`)
		more := aaif.StandardRegistries()[aaif.Capabilities]
		more.Entries = append(slices.Clone(more.Entries), aaif.Entry{ID: "tool.grpc", Status: aaif.StandardEntry, Value: entry})
		o := aaif.NegotiateOptions{Registries: aaif.StandardRegistries().With(more)}
		d := agentWith(t, "strict", "/agent/required_capabilities", `["tool.grpc"]`)
		m := manifestWith(t, "/x-aaif-capabilities", `["tool.grpc"]`)
		expect(t, aaif.Negotiate(d, m, o).Verdict, aaif.Accepted)
		expect(t, aaif.Negotiate(d, manifestWith(t), o).Verdict, aaif.Rejected)
		expect(t, aaif.Negotiate(d, m, aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
		more.Entries[len(more.Entries)-1].Status = aaif.ProvisionalEntry
		expect(t, aaif.Negotiate(d, m, o).Verdict, aaif.Rejected)
	})
}

func canonText(s string) string { return string(canon.String(s).Append(nil)) }

func TestPinned(t *testing.T) {
	const used = `[{"scope":"user","content":"","backend":"redis"}]`
	lacking := manifestWith(t, "/platform/capabilities/memory/redis", "")
	t.Run("AAIF-4.5-10 what is listed is not substituted", func(t *testing.T) {
		n := aaif.Negotiate(agentWith(t, "strict", "/agent/memory", used, "/agent/required_capabilities", `["memory.redis"]`), lacking, aaif.NegotiateOptions{})
		outcome(t, n, "strict", aaif.Refusal)
		expect(t, strings.Join(only(t, n).Pointers, " "), "/agent/required_capabilities/0 /agent/memory/0/backend")
	})
	t.Run("AAIF-7-12 listed and used", func(t *testing.T) {
		d := agentWith(t, "minimal", "/agent/required_capabilities", `["compliance.human_in_the_loop"]`, "/agent/compliance/human_in_the_loop/enabled", "true")
		n := aaif.Negotiate(d, manifestWith(t, "/platform/capabilities/compliance/human_in_the_loop", ""), aaif.NegotiateOptions{})
		outcome(t, n, "minimal", aaif.Refusal)
		need := only(t, n)
		expect(t, need.Safety && !need.Implicit, true)
	})
}

func TestResidencyOfPlatforms(t *testing.T) {
	const at = "/agent/compliance/data_residency"
	regions := func(list string) aaif.Manifest {
		return manifestWith(t, "/platform/capabilities/compliance/data_residency_regions", list)
	}
	for _, c := range []struct{ name, residency, regions, custom, word string }{
		{"one of them", `"EU"`, `["US","EU"]`, "", ""},
		{"none of them", `"APAC"`, `["US","EU"]`, "", "declared region"},
		{"custom and not mapped", `"custom"`, `["custom","EU"]`, "", "operator"},
		{"custom and mapped", `"custom"`, `["CH"]`, "CH", ""},
		{"custom and mapped elsewhere", `"custom"`, `["CH"]`, "DE", "declared region"},
		{"custom means nothing otherwise", `"US"`, `["CH"]`, "CH", "declared region"},
	} {
		t.Run("AAIF-7-12 AAIF-4.9-5 "+c.name, func(t *testing.T) {
			n := aaif.Negotiate(agentWith(t, "minimal", at, c.residency), regions(c.regions), aaif.NegotiateOptions{CustomRegion: c.custom})
			if c.word == "" {
				expect(t, n.Verdict, aaif.Accepted)
				return
			}
			expect(t, n.Verdict, aaif.Rejected)
			expect(t, strings.Contains(n.Words()[0], c.word), true)
		})
	}
	t.Run("AAIF-7-2 listed, and a region that the platform has not", func(t *testing.T) {
		d := agentWith(t, "minimal", at, `"EU"`, "/agent/required_capabilities", `["compliance.data_residency"]`)
		expect(t, aaif.Negotiate(d, regions(`["US"]`), aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
		m := regions(`[]`)
		m.Extra = append(m.Extra, "compliance.data_residency")
		expect(t, aaif.Negotiate(d, m, aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
	})
}

func TestVaultsOfPlatforms(t *testing.T) {
	const tool = `[{"name":"a","description":"b","auth":{"vault_ref":{"provider":"aws_secretsmanager","path":"x"}}},` +
		`{"name":"c","description":"b","auth":{"vault_ref":{"provider":"gcp_secretmanager","path":"x"}}}]`
	d := agentWith(t, "strict", "/agent/tools", tool)
	for _, spelling := range []string{"aws_secrets_manager", "aws_secretsmanager"} {
		t.Run("AAIF-7-18 "+spelling, func(t *testing.T) {
			n := aaif.Negotiate(d, manifestWith(t, "/platform/capabilities/auth/vault/providers", `["`+spelling+`"]`), aaif.NegotiateOptions{})
			need := only(t, n)
			expect(t, need.Capability, "auth.vault(gcp_secretmanager)")
			expect(t, strings.Join(need.Pointers, " "), "/agent/tools/1/auth/vault_ref/provider")
		})
	}
	t.Run("AAIF-7-18 listed in the flat list", func(t *testing.T) {
		m := manifestWith(t, "/platform/capabilities/auth/vault", "", "/x-aaif-capabilities", `["auth.vault","auth.vault(aws_secretsmanager)","auth.vault(gcp_secret_manager)"]`)
		expect(t, aaif.Negotiate(d, m, aaif.NegotiateOptions{}).Verdict, aaif.Accepted)
		m.Extra = m.Extra[1:]
		expect(t, aaif.Negotiate(d, m, aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
	})
}

func TestConstraintsOfPlatforms(t *testing.T) {
	d := agentWith(t, "minimal", "/agent/constraints", `["Never guess."]`)
	for _, l := range aaif.Levels() {
		t.Run("AAIF-12-5 AAIF-7-12 enforced at "+string(l), func(t *testing.T) {
			m := manifestWith(t, "/x-aaif-capabilities", "", "/platform/aaif_conformance_level", `"`+string(l)+`"`)
			want := aaif.Accepted
			if l == aaif.Core || l == aaif.Tooled {
				want = aaif.Rejected
			}
			expect(t, aaif.Negotiate(d, m, aaif.NegotiateOptions{}).Verdict, want)
		})
	}
}

func TestStaleManifest(t *testing.T) {
	m := manifestWith(t, "/platform/manifest_expires_at", `"2026-07-10T09:17:43Z"`)
	expires := time.Date(2026, 7, 10, 9, 17, 43, 0, time.UTC)
	for _, c := range []struct {
		name  string
		now   time.Time
		stale bool
	}{
		{"not looked at", time.Time{}, false}, {"before", expires.Add(-time.Second), false}, {"when it expires", expires, true}, {"after", expires.Add(time.Hour), true},
	} {
		t.Run("AAIF-U.U-2 "+c.name, func(t *testing.T) {
			n := aaif.Negotiate(agentWith(t, "regulated"), m, aaif.NegotiateOptions{Now: c.now})
			expect(t, n.Stale, c.stale)
			expect(t, n.Verdict == aaif.Rejected, c.stale)
			expect(t, n.Audit, c.stale)
			expect(t, len(n.Words()) == 1, c.stale)
			if c.stale {
				expect(t, aaif.CodeOf(n.Err()), aaif.NegotiationStale)
			}
		})
	}
	t.Run("AAIF-U.U-2 one that never expires", func(t *testing.T) {
		expect(t, aaif.Negotiate(agentWith(t, ""), manifestWith(t), aaif.NegotiateOptions{Now: expires}).Verdict, aaif.Accepted)
	})
}

func TestSeveralLacking(t *testing.T) {
	d := agentWith(t, "regulated", "/agent/required_capabilities", `["tool.mcp","io.batch","state.restore"]`, "/agent/constraints", `["x"]`)
	n := aaif.Negotiate(d, manifestWith(t, "/x-aaif-capabilities", "", "/platform/capabilities/state", ""), aaif.NegotiateOptions{})
	t.Run("AAIF-7-7 AAIF-7-8 AAIF-7-9 all are listed, and no other", func(t *testing.T) {
		var ids []string
		for _, need := range n.Unsatisfied() {
			ids = append(ids, need.Capability)
		}
		expect(t, strings.Join(ids, " "), "io.batch state.restore compliance.constraints")
		expect(t, n.Audit, true)
		expect(t, strings.HasSuffix(n.Err().Error(), "io.batch, state.restore, compliance.constraints [AAIF-7-8]"), true)
		fault, ok := errors.AsType[*aaif.Fault](n.Err())
		expect(t, ok && fault.Code == aaif.UnsatisfiedCapabilities, true)
		expect(t, len(n.Disabled()), 0)
	})
	t.Run("AAIF-7-1 as JSON", func(t *testing.T) {
		got := string(aaif.Negotiate(agentWith(t, "", "/agent/required_capabilities", `["tool.mcp","io.batch"]`), manifestWith(t, "/x-aaif-capabilities", ""), aaif.NegotiateOptions{}).Value().Append(nil))
		expect(t, got, `{"verdict":"degraded","safety_level":"standard","stale":false,"audit":false,"satisfied":["tool.mcp"],"unsatisfied":["io.batch"],"disabled":["io.batch"],"needs":[`+
			`{"capability":"tool.mcp","pointers":["/agent/required_capabilities/0"],"implicit":false,"safety":false,"registered":true,"satisfied":true},`+
			`{"capability":"io.batch","pointers":["/agent/required_capabilities/1"],"implicit":false,"safety":false,"registered":true,"satisfied":false,"effect":"disabled"}]}`)
	})
	t.Run("AAIF-4.9-1 a safety level that is none is the strictest", func(t *testing.T) {
		d := agentWith(t, "maximum", "/agent/required_capabilities", `["io.batch"]`)
		expect(t, aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
	})
	t.Run("AAIF-7-7 what is said of very many is bounded", func(t *testing.T) {
		d := agentWith(t, "strict", "/agent/required_capabilities", `["a`+strings.Join(make([]string, 3), `","b`)+`"]`)
		d.Agent.Capabilities = nil
		for i := range 5000 {
			d.Agent.Capabilities = append(d.Agent.Capabilities, strings.Repeat("a", 1+i%60)+"."+strings.Repeat("b", 1+i/60))
		}
		n := aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{})
		expect(t, len(n.Needs), 5000)
		expect(t, len(n.Words()), 1001)
		if size := len(n.Err().Error()); size > 2500 {
			t.Errorf("the error is %d bytes long", size)
		}
	})
}
