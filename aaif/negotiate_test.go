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

func TestNothingNeeded(t *testing.T) {
	for at, value := range map[string]string{
		"/agent/tools": `[]`, "/agent/memory": `[{"scope":"user","content":"","backend":"custom"},{"scope":"user","content":""}]`,
		"/agent/orchestration": `{"role":"router","parallel_execution":false,"pipeline":[],"handoff":[],"consensus":{},"subagents":[]}`,
		"/agent/telemetry":     `{"tracing":false}`, "/agent/io": `{"streaming":false,"mode":"sync"}`, "/agent/runtime": `{"streaming":true}`,
		"/agent/compliance":  `{"data_residency":"global","pii_handling":"none","audit_log":false,"human_in_the_loop":{"enabled":false,"trigger":"before it writes"}}`,
		"/agent/constraints": `[]`, "/agent/orchestration/subagents": `[{"ref":"a"},{"ref":"b","when":"once a is done"}]`,
	} {
		t.Run("AAIF-7-11 nothing is made up of "+at, func(t *testing.T) {
			n := aaif.Negotiate(agentWith(t, "regulated", "/agent/compliance/pii_handling", `"none"`, at, value), aaif.Manifest{}, aaif.NegotiateOptions{})
			if n.Verdict != aaif.Accepted || len(n.Needs) != 0 {
				t.Errorf("got %s", n.Value().Append(nil))
			}
		})
	}
}

func TestNegotiateWhatWasMadeHere(t *testing.T) {
	t.Run("AAIF-7-11 an empty definition", func(t *testing.T) {
		expect(t, len(aaif.Negotiate(aaif.Definition{}, aaif.Manifest{}, aaif.NegotiateOptions{}).Needs), 0)
	})
	t.Run("AAIF-7-11 a definition that was never read", func(t *testing.T) {
		d := aaif.Definition{Agent: aaif.Agent{
			Tools: []aaif.Tool{{Name: "a", Auth: aaif.Auth{Vault: aaif.VaultRef{Provider: "1password", Path: "x"}}}},
			Orchestration: aaif.Orchestration{
				Consensus: aaif.Consensus{Strategy: "referee"}, Subagents: []aaif.Subagent{{When: aaif.Condition{Lang: aaif.CEL}}},
			},
			Compliance: aaif.Compliance{PII: aaif.PIIReject},
		}}
		n := aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{})
		expect(t, n.Safety, aaif.Standard)
		var ids []string
		for _, need := range n.Needs {
			ids = append(ids, need.Capability)
		}
		expect(t, strings.Join(ids, " "), "orchestration.consensus condition.cel tool.function auth.vault(1password) compliance.pii_handling")
	})
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
		lua := aaif.StandardRegistries().With(withEntry(t, aaif.Languages, `{"id":"lua","status":"standard","expr_type":"string","spec":"https://lua.example"}`))
		d2 := agentWith(t, "strict", "/agent/orchestration", `{"subagents":[{"ref":"a","when":{"lang":"lua","expr":"x"}}]}`)
		evaluates := manifestWith(t, "/platform/capabilities/orchestration/condition_languages", `["lua"]`)
		expect(t, aaif.Negotiate(d2, evaluates, aaif.NegotiateOptions{Registries: lua}).Verdict, aaif.Accepted)
		expect(t, aaif.Negotiate(d2, manifestWith(t), aaif.NegotiateOptions{Registries: lua}).Verdict, aaif.Rejected)
		expect(t, aaif.Negotiate(d2, evaluates, aaif.NegotiateOptions{}).Verdict, aaif.Rejected)
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
			`{"capability":"tool.mcp","pointers":["/agent/required_capabilities/0"],"implicit":false,"safety":false,"registered":true,"named_by":"aaif-capabilities","satisfied":true},`+
			`{"capability":"io.batch","pointers":["/agent/required_capabilities/1"],"implicit":false,"safety":false,"registered":true,"named_by":"aaif-capabilities","satisfied":false,"effect":"disabled"}]}`)
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
