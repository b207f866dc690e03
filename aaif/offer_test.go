package aaif_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// kept says that all duties but some are kept.
func kept(but ...string) func(string) bool {
	return func(rule string) bool { return !slices.Contains(but, rule) }
}

// fullOffer is a platform that has all there is.
func fullOffer(t testing.TB) aaif.Offer {
	m := aaif.ReadManifest(tree(t, everything))
	groups := m.Platform.Capabilities
	groups.Auth.Basic, groups.Auth.MTLS = true, true
	groups.Auth.Vault.Providers = []string{"aws_secretsmanager", "hashicorp_vault", "azure_key_vault", "custom", "hashicorp_vault"}
	groups.Model.Strategies = []aaif.Strategy{aaif.PreferredFirst, aaif.Cheapest, aaif.Cheapest}
	groups.Model.Providers = []string{"openai", "custom"}
	issued := time.Date(2026, 6, 10, 9, 17, 43, 0, time.UTC)
	return aaif.Offer{
		Name: "Satchel", Version: "1.0", Vendor: "Acme", URL: "https://satchel.example/.well-known/aaif-manifest.json", Kept: kept(),
		Capabilities: groups, Restore: true, Async: true, Batch: true, Constraints: true,
		Intake:   aaif.Intake{URL: "https://satchel.example/aaif/agents", AuthScheme: "bearer", MaxBytes: 1 << 20},
		IssuedAt: issued, ExpiresAt: issued.Add(24 * time.Hour),
	}
}

// asPublished writes a manifest and reads it back, as others do, after having checked
// that it is valid here and in the edition.
func asPublished(t testing.TB, m aaif.Manifest) aaif.Manifest {
	t.Helper()
	if err := m.Publishable(); err != nil {
		t.Fatalf("AAIF-7-13: %v", err)
	}
	d := aaif.Document{Kind: aaif.ManifestKind, Value: tree(t, string(m.Document().Append(nil)))}
	if found := validator(t).Lint(d); len(found) > 0 {
		t.Fatalf("AAIF-7-13: %s", show(found))
	}
	return aaif.ReadManifest(d.Value)
}

func TestNewManifest(t *testing.T) {
	t.Run("AAIF-7-13 AAIF-7-14 all of it", func(t *testing.T) {
		m := asPublished(t, aaif.NewManifest(fullOffer(t)))
		expect(t, m.Platform.Level, aaif.Stateful)
		expect(t, strings.Join(m.Platform.Versions, " "), "3.4.0")
		expect(t, m.Platform.Intake.URL, "https://satchel.example/aaif/agents")
		expect(t, m.Platform.Intake.MaxBytes, 1<<20)
		expect(t, m.Platform.ExpiresAt.Sub(m.Platform.IssuedAt), 24*time.Hour)
		expect(t, strings.Join(m.Platform.Capabilities.Auth.Vault.Providers, " "), "aws_secrets_manager hashicorp_vault azure_key_vault")
		for _, l := range lists {
			d := agentWith(t, "strict", "/agent/required_capabilities", `["`+l.id+`"]`)
			if n := aaif.Negotiate(d, m, aaif.NegotiateOptions{}); n.Verdict != aaif.Accepted {
				t.Errorf("AAIF-7-4: %v", n.Words())
			}
		}
	})
	t.Run("AAIF-U.V-1 all six languages", func(t *testing.T) {
		expect(t, len(asPublished(t, aaif.NewManifest(fullOffer(t))).Platform.Capabilities.Orchestration.Languages), 6)
	})
	t.Run("AAIF-7-15 nothing in force", func(t *testing.T) {
		m := aaif.NewManifest(aaif.Offer{Name: "P", Version: "1", Kept: kept()})
		expect(t, strings.Join(asPublished(t, m).Offered(), " "), "")
		expect(t, m.Platform.Level, aaif.Core)
		expect(t, m.Document().Get("platform").Get("capabilities").Get("tool").Get("mcp").Type(), canon.TypeBool)
	})
	t.Run("AAIF-6-15 no level", func(t *testing.T) {
		for _, o := range []aaif.Offer{{Name: "P", Version: "1"}, {Name: "P", Version: "1", Kept: kept("AAIF-7-2")}} {
			m := aaif.NewManifest(o)
			expect(t, m.Platform.Level, "")
			expect(t, pathOf(m.Publishable()), "/platform/aaif_conformance_level")
		}
	})
	t.Run("AAIF-7-14 editions", func(t *testing.T) {
		o := fullOffer(t)
		o.Editions = []string{"3.4.0", "3.0.0"}
		expect(t, len(asPublished(t, aaif.NewManifest(o)).Platform.Versions), 2)
	})
}

// removals take one thing out of force; what is no longer offered, and the highest
// levels that are left.
var removals = []struct {
	rule, gone, levels string
	remove             func(*aaif.Offer)
}{
	{"AAIF-7-15", "tool.mcp", "Stateful", func(o *aaif.Offer) { o.Capabilities.Tool.MCP = false }},
	{"AAIF-7-15", "memory.vector", "Stateful", func(o *aaif.Offer) { o.Capabilities.Memory.Vector = false }},
	{"AAIF-7-15", "memory.sqlite", "Stateful", func(o *aaif.Offer) { o.Capabilities.Memory.SQLite = false }},
	{"AAIF-7-15", "auth.basic", "Stateful", func(o *aaif.Offer) { o.Capabilities.Auth.Basic = false }},
	{"AAIF-7-15", "io.batch", "Stateful", func(o *aaif.Offer) { o.Batch = false }},
	{"AAIF-7-15", "io.async", "Stateful", func(o *aaif.Offer) { o.Async = false }},
	{"AAIF-7-15", "io.streaming", "Stateful", func(o *aaif.Offer) { o.Capabilities.Model.Streaming = false }},
	{"AAIF-7-18", "auth.vault(custom)", "Stateful", func(o *aaif.Offer) { o.Capabilities.Auth.Vault.Providers = []string{"aws_secretsmanager"} }},
	{"AAIF-7-18", "auth.vault", "Stateful", func(o *aaif.Offer) { o.Capabilities.Auth.Vault.Providers = nil }},
	{"AAIF-7-18", "auth.vault(aws_secretsmanager)", "Stateful", func(o *aaif.Offer) { o.Capabilities.Auth.Vault.Supported = false }},
	{"AAIF-7-15", "state.restore", "Enterprise", func(o *aaif.Offer) { o.Restore = false }},
	{"AAIF-7-15", "state.checkpoint", "Enterprise", func(o *aaif.Offer) { o.Capabilities.State.Checkpoint = false }},
	{"AAIF-7-15", "compliance.constraints", "Tooled", func(o *aaif.Offer) { o.Constraints = false }},
	{"AAIF-7-15", "compliance.constraints", "Tooled", func(o *aaif.Offer) { o.Kept = kept("AAIF-12-5") }},
	{"AAIF-7-15", "compliance.data_residency", "Observable", func(o *aaif.Offer) { o.Capabilities.Compliance.Regions = nil }},
	{"AAIF-7-15", "compliance.data_residency", "Observable", func(o *aaif.Offer) { o.Kept = kept("AAIF-4.9-4") }},
	{"AAIF-7-15", "compliance.pii_scrubbing", "Observable", func(o *aaif.Offer) { o.Capabilities.Compliance.PIIScrubbing = false }},
	{"AAIF-7-15", "compliance.pii_scrubbing", "Observable", func(o *aaif.Offer) { o.Kept = kept("AAIF-4.9-7") }},
	{"AAIF-7-15", "compliance.audit_log", "Observable", func(o *aaif.Offer) { o.Capabilities.Compliance.AuditLog = false }},
	{"AAIF-7-15", "compliance.audit_log", "Observable", func(o *aaif.Offer) { o.Kept = kept("AAIF-4.9-8") }},
	{"AAIF-7-15", "compliance.hitl", "Observable", func(o *aaif.Offer) { o.Capabilities.Compliance.HumanInTheLoop = false }},
	{"AAIF-7-15", "compliance.hitl", "Observable", func(o *aaif.Offer) { o.Kept = kept("AAIF-4.9-12") }},
	{"AAIF-7-15", "telemetry.otel", "Multi-agent", func(o *aaif.Offer) { o.Capabilities.Telemetry.Traces = false }},
	{"AAIF-7-15", "orchestration.handoff", "Stateful", func(o *aaif.Offer) { o.Capabilities.Orchestration.Handoff = false }},
	{"AAIF-7-15", "condition.structured", "Stateful", func(o *aaif.Offer) { o.Capabilities.Orchestration.Languages = []aaif.Language{aaif.Always} }},
	{"AAIF-7-15", "tool.function", "Core", func(o *aaif.Offer) { o.Capabilities.Tool = aaif.ToolGroup{} }},
}

func TestManifestClaimsNoMore(t *testing.T) {
	all := aaif.NewManifest(fullOffer(t)).Offered()
	for _, c := range removals {
		t.Run(c.rule+" without "+c.gone, func(t *testing.T) {
			o := fullOffer(t)
			c.remove(&o)
			m := asPublished(t, aaif.NewManifest(o))
			if !slices.Contains(all, c.gone) || slices.Contains(m.Offered(), c.gone) {
				t.Errorf("AAIF-7-15: offers %q", m.Offered())
			}
			expect(t, string(m.Platform.Level), c.levels)
		})
	}
	t.Run("AAIF-6-7 Multi-agent and Observable", func(t *testing.T) {
		o := fullOffer(t)
		o.Kept = kept("AAIF-4.3-23")
		expect(t, aaif.NewManifest(o).Platform.Level, aaif.Stateful)
		o.Kept = kept("AAIF-4.8-7")
		expect(t, aaif.NewManifest(o).Platform.Level, aaif.MultiAgent)
	})
	t.Run("AAIF-7-18 no vault", func(t *testing.T) {
		o := fullOffer(t)
		o.Capabilities.Auth.Vault.Supported = false
		expect(t, aaif.NewManifest(o).Document().Get("platform").Get("capabilities").Get("auth").Has("vault"), false)
	})
	t.Run("AAIF-U.U-1 numbers that say nothing", func(t *testing.T) {
		o := fullOffer(t)
		o.Capabilities.Orchestration.MaxSubagents, o.Capabilities.State.MaxTokens = -1, -1
		asPublished(t, aaif.NewManifest(o))
	})
	t.Run("AAIF-7-15 what was read before is not written", func(t *testing.T) {
		o := aaif.Offer{Name: "P", Version: "1", Kept: kept(), Capabilities: fullOffer(t).Capabilities}
		o.Capabilities.Tool = aaif.ToolGroup{MCP: true, Value: o.Capabilities.Tool.Value}
		m := asPublished(t, aaif.NewManifest(o))
		expect(t, slices.Contains(m.Offered(), "tool.http"), false)
		expect(t, m.Document().Get("platform").Get("capabilities").Get("tool").Get("http").True(), false)
	})
}

func TestManifestsAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, less := drawManifest(t, rt)
		o := fullOffer(t)
		o.Capabilities = less.Platform.Capabilities
		out := rapid.SliceOfDistinct(rapid.SampledFrom(aaif.Duties()), func(d aaif.Duty) string { return d.Rule }).Draw(rt, "not kept")
		o.Kept = func(rule string) bool {
			return !slices.ContainsFunc(out, func(d aaif.Duty) bool { return d.Rule == rule })
		}
		o.Restore, o.Constraints, o.Async = rapid.Bool().Draw(rt, "restore"), rapid.Bool().Draw(rt, "constraints"), rapid.Bool().Draw(rt, "async")
		m := aaif.NewManifest(o)
		if m.Platform.Level == "" {
			return
		}
		offered := asPublished(t, m).Offered()
		if !slices.Equal(offered, m.Offered()) {
			rt.Fatalf("AAIF-7-15: offers %q, which is read as %q", m.Offered(), offered)
		}
		less.Extra, less.Platform.Level = []string{"compliance.constraints", "io.async", "io.batch"}, ""
		for _, id := range offered {
			if !slices.Contains(less.Offered(), id) && id != "state.restore" && id != "compliance.pii_handling" {
				rt.Fatalf("AAIF-7-15: offers %s, which is not in force", id)
			}
		}
		if slices.Contains(offered, "compliance.pii_handling") != slices.Contains(offered, "compliance.pii_scrubbing") {
			rt.Fatalf("AAIF-7-15: offers %q", offered)
		}
		if slices.Contains(offered, "compliance.constraints") && !o.Constraints || slices.Contains(offered, "state.restore") && !o.Restore || slices.Contains(offered, "io.async") != o.Async {
			rt.Fatalf("AAIF-7-15: offers %q", offered)
		}
	})
}

func TestBuiltDocumentsAndTheEdition(t *testing.T) {
	for name, d := range map[string]aaif.Document{
		"manifest": {Kind: aaif.ManifestKind, Value: aaif.NewManifest(fullOffer(t)).Document()},
		"bare":     {Kind: aaif.ManifestKind, Value: aaif.NewManifest(aaif.Offer{Name: "P", Version: "1", Kept: kept()}).Document()},
		"report":   {Kind: aaif.ReportKind, Value: aaif.NewReport(fullEvidence(t)).Document()},
	} {
		t.Run("AAIF-U.U-1 AAIF-6-18 "+name, func(t *testing.T) {
			schema := oracle(t, d.Kind)
			plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Value.Append(nil)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(plain); err != nil {
				t.Errorf("%v: %s", err, d.Value.AppendIndent(nil, " "))
			}
		})
	}
}
