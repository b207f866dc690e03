package aaif_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// enums are where the schemas list the words of an extension point.
func enums(t *testing.T) map[aaif.Point]canon.Value {
	t.Helper()
	defs := tree(t, string(aaif.Schema(aaif.AgentKind))).Get("$defs")
	return map[aaif.Point]canon.Value{
		aaif.Providers: defs.Get("provider").Get("enum"), aaif.Languages: defs.Get("lang").Get("enum"), aaif.Vaults: defs.Get("vault_provider").Get("enum"),
		aaif.Backends: defs.Get("backend").Get("enum"), aaif.Protocols: defs.Get("protocol").Get("enum"),
	}
}

func TestRegistries(t *testing.T) {
	all := aaif.StandardRegistries()
	t.Run("AAIF-10-1 there are six", func(t *testing.T) {
		sizes := map[aaif.Point]int{aaif.Providers: 22, aaif.Capabilities: 24, aaif.Languages: 6, aaif.Vaults: 6, aaif.Backends: 9, aaif.Protocols: 4}
		expect(t, len(all), len(sizes))
		for p, n := range sizes {
			expect(t, len(all[p].Entries), n)
		}
	})
	t.Run("AAIF-10-2 each is valid", func(t *testing.T) {
		for p, r := range all {
			if found := aaif.CheckRegistry(r); len(found) > 0 {
				t.Errorf("%s: got %s", p, show(found))
			}
			if found := validator(t).Lint(aaif.Document{Kind: aaif.RegistryKind, Value: r.Value}); len(found) > 0 {
				t.Errorf("%s: got %s", p, show(found))
			}
			expect(t, string(r.Document().Append(nil)), string(r.Value.Append(nil)))
		}
	})
	t.Run("AAIF-10-3 AAIF-U.X-1 enumerations are parts of registries", func(t *testing.T) {
		for p, enum := range enums(t) {
			if enum.Len() == 0 {
				t.Errorf("%s has no words", p)
			}
			for _, word := range enum.Items() {
				if e, _ := all[p].Entry(word.Text()); e.Status != aaif.StandardEntry {
					t.Errorf("%s: %s is not standard", p, word.Text())
				}
			}
		}
	})
	t.Run("AAIF-7-3 the capabilities of the text", func(t *testing.T) {
		text := "tool.function tool.mcp tool.http tool.openapi memory.vector memory.redis memory.postgres memory.pinecone memory.qdrant orchestration.parallel orchestration.handoff " +
			"orchestration.pipeline orchestration.consensus telemetry.otel compliance.data_residency compliance.hitl compliance.audit_log auth.vault io.streaming io.async io.batch " +
			"state.checkpoint state.restore condition.structured"
		for _, id := range strings.Fields(text) {
			if e, _ := all[aaif.Capabilities].Entry(id); e.Status != aaif.StandardEntry {
				t.Errorf("%s is not standard", id)
			}
		}
	})
	t.Run("AAIF-10-7 policies", func(t *testing.T) {
		for p, r := range all {
			want := map[aaif.Point]string{aaif.Capabilities: "Expert Review", aaif.Protocols: "Standards Action"}[p]
			if want == "" {
				want = "Specification Required"
			}
			expect(t, r.Policy, want)
		}
	})
}

func TestRegistryRules(t *testing.T) {
	base := aaif.Document{Kind: aaif.RegistryKind, Value: aaif.StandardRegistries()[aaif.Providers].Value}
	protocols := aaif.Document{Kind: aaif.RegistryKind, Value: aaif.StandardRegistries()[aaif.Protocols].Value}
	cases := []struct {
		id, edit, value, pointer string
		of                       aaif.Document
	}{
		{"AAIF-U.X-2 no status", "/entries/0/status", "", "/entries/0/status", base},
		{"AAIF-U.X-2 another status", "/entries/0/status", `"new"`, "/entries/0/status", base},
		{"AAIF-4-3 unknown member", "/more", `1`, "/more", base},
		{"AAIF-10-2 no entries", "/entries", `[]`, "/entries", base},
		{"AAIF-10-7 another policy", "/registration_policy", `"Hearsay"`, "/registration_policy", base},
		{"AAIF-10-7 the policy of another", "/registration_policy", `"Expert Review"`, "/registration_policy", base},
		{"AAIF-10-8 no documentation", "/entries/0/docs", "", "/entries/0/docs", base},
		{"AAIF-10-8 twice", "/entries/1/id", `"openai"`, "/entries/1/id", base},
		{"AAIF-10-8 a protocol without an edition", "/entries/4", `{"id":"grpc","status":"standard","since":"3.4.1"}`, "/entries/4/since", protocols},
		{"AAIF-10-8 a protocol with one", "/entries/4", `{"id":"grpc","status":"standard","since":"3.5.0"}`, "", protocols},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			found := aaif.CheckRegistry(aaif.ReadRegistry(changed(t, c.of, c.edit, c.value).Value))
			rule, _, _ := strings.Cut(c.id, " ")
			if c.pointer == "" && len(found) > 0 || c.pointer != "" && (len(found) != 1 || found[0].Path != c.pointer || found[0].Rule != rule) {
				t.Errorf("got %s", show(found))
			}
		})
	}
	t.Run("AAIF-10-2 a validator takes no registry that is none", func(t *testing.T) {
		if _, err := aaif.NewValidator(aaif.StandardRegistries().With(aaif.Registry{Point: aaif.Vaults})); err == nil {
			t.Error("taken")
		}
		if v, err := aaif.NewValidator(nil); err != nil || len(v.Validate(doc(t, minimal))) != 0 {
			t.Error("nil does not stand for those of the edition")
		}
	})
}

// withEntry returns a registry with one more entry.
func withEntry(t *testing.T, p aaif.Point, entry string) aaif.Registry {
	t.Helper()
	v := aaif.StandardRegistries()[p].Value
	entries := v.Get("entries")
	return aaif.ReadRegistry(v.With("entries", entries.WithItem(entries.Len(), tree(t, entry))))
}

func TestEnumerationsGrow(t *testing.T) {
	const provider = "/agent/model/provider"
	with := func(status string) aaif.Registry {
		return withEntry(t, aaif.Providers, `{"id":"cerebras","status":"`+status+`","docs":"https://docs.example"}`)
	}
	named := func(name string) aaif.Document {
		return changed(t, doc(t, minimal), provider, `"`+name+`"`)
	}
	cases := []struct {
		id   string
		v    *aaif.Validator
		name string
		code aaif.Code
		warn bool
	}{
		{"AAIF-10-4 standard in a registry", validator(t, with("standard")), "cerebras", aaif.RegisteredOnly, true},
		{"AAIF-10-6 deprecated in a registry", validator(t, with("deprecated")), "cerebras", aaif.RegistryDeprecated, true},
		{"AAIF-10-6 reserved in a registry", validator(t, with("reserved")), "cerebras", aaif.Unregistered, false},
		{"AAIF-10-4 in none", validator(t), "cerebras", aaif.SchemaViolation, false},
		{"AAIF-10-6 provisional", validator(t), "perplexity", aaif.Unregistered, false},
		{"AAIF-10-5 unknown", validator(t), "acme", aaif.SchemaViolation, false},
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			found := c.v.Validate(named(c.name))
			var last string
			for _, p := range found {
				expect(t, p.Path, provider)
				if aaif.CodeOf(p) == c.code {
					expect(t, p.Warning, c.warn)
					last = p.Error()
				}
			}
			if last == "" || aaif.HasErrors(found) == c.warn {
				t.Errorf("got %s", show(found))
			}
			if (c.code == aaif.SchemaViolation || c.name == "perplexity") && !strings.Contains(show(found), "provider_id") {
				t.Errorf("AAIF-10-5: no escape is named: %s", show(found))
			}
		})
	}
	t.Run("AAIF-10-5 the escape is open", func(t *testing.T) {
		d := changed(t, named("custom"), "/agent/model/provider_id", `"acme"`)
		if found := validator(t).Validate(d); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-13.2-1 AAIF-10-4 at every extension point", func(t *testing.T) {
		v := validator(t, withEntry(t, aaif.Languages, `{"id":"lua","status":"standard","expr_type":"string","spec":"https://lua.example"}`), withEntry(t, aaif.Backends, `{"id":"mongodb","status":"standard"}`),
			withEntry(t, aaif.Vaults, `{"id":"chest","status":"standard","docs":"https://chest.example"}`), withEntry(t, aaif.Protocols, `{"id":"grpc","status":"standard","since":"3.5.0"}`))
		d := sample(t, "agent")
		for pointer, word := range map[string]string{"/agent/orchestration/subagents/0/when/lang": "lua", "/agent/memory/0/backend": "mongodb", "/agent/tools/0/auth/vault_ref/provider": "chest", "/agent/tools/0/protocol": "grpc"} {
			one := changed(t, d, pointer, `"`+word+`"`)
			if found := v.Validate(one); len(found) != 1 || !found[0].Warning || found[0].Path != pointer {
				t.Errorf("got %s", show(found))
			}
			if found := validator(t).Validate(one); !aaif.HasErrors(found) {
				t.Errorf("%s is accepted without the registry", word)
			}
		}
		m := changed(t, sample(t, "manifest"), "/platform/capabilities/orchestration/condition_languages", `["lua"]`)
		if found := v.Validate(m); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
}

func TestAddressesOfEntries(t *testing.T) {
	for address, want := range map[string]bool{"nope": false, "https://": false, "ftp://docs.example": false, "https://docs.example/x": true} {
		found := aaif.CheckRegistry(withEntry(t, aaif.Providers, `{"id":"acme","status":"standard","docs":"`+address+`"}`))
		if aaif.HasErrors(found) == want {
			t.Errorf("AAIF-10-8 docs %s: got %s", address, show(found))
		}
		found = aaif.CheckRegistry(withEntry(t, aaif.Languages, `{"id":"rego","status":"standard","expr_type":"string","spec":"`+address+`"}`))
		if aaif.HasErrors(found) == want {
			t.Errorf("AAIF-10-8 spec %s: got %s", address, show(found))
		}
	}
}

func TestStandings(t *testing.T) {
	entry := func(id, status string) string {
		return `{"id":"` + id + `","status":"` + status + `","category":"tool","docs":"https://docs.example"}`
	}
	const capability, provider, fallback = "/agent/required_capabilities/0", "/agent/model/provider", "/agent/model/fallbacks/0/provider"
	for _, c := range []struct {
		name   string
		of     aaif.Registry
		at, id string
		code   aaif.Code // "": nothing is found
		warns  bool
	}{
		{"a capability is deprecated", withEntry(t, aaif.Capabilities, entry("tool.fax", "deprecated")), capability, "tool.fax", aaif.RegistryDeprecated, true},
		{"a capability is reserved", withEntry(t, aaif.Capabilities, entry("tool.fax", "reserved")), capability, "tool.fax", aaif.Unregistered, false},
		{"a capability is provisional", withEntry(t, aaif.Capabilities, entry("tool.fax", "provisional")), capability, "tool.fax", aaif.Unregistered, false},
		{"a capability is standard", withEntry(t, aaif.Capabilities, entry("tool.fax", "standard")), capability, "tool.fax", "", false},
		{"a provider of the edition is provisional", standing(t, aaif.Providers, "google", "provisional"), provider, "google", "", false},
		{"a provider of the edition is deprecated", standing(t, aaif.Providers, "google", "deprecated"), provider, "google", aaif.RegistryDeprecated, true},
		{"one to fall back to is provisional, and of the edition", standing(t, aaif.Providers, "google", "provisional"), fallback, "google", "", false},
		{"one to fall back to is of a registry alone", withEntry(t, aaif.Providers, entry("cerebras", "standard")), fallback, "cerebras", aaif.RegisteredOnly, true},
		{"one to fall back to is reserved", withEntry(t, aaif.Providers, entry("cerebras", "reserved")), fallback, "cerebras", aaif.Unregistered, false},
	} {
		t.Run("AAIF-10-4 AAIF-10-6 "+c.name, func(t *testing.T) {
			d := changed(t, doc(t, minimal), "/agent/model", `{"provider":"openai","preferred":"m","fallbacks":[{"provider":"openai","model":"m"}]}`)
			d = changed(t, changed(t, d, "/agent/required_capabilities", `["tool.mcp"]`), c.at, `"`+c.id+`"`)
			found := validator(t, c.of).Validate(d)
			if c.code == "" && len(found) > 0 || c.code != "" && (len(found) != 1 || found[0].Path != c.at || aaif.CodeOf(found[0]) != c.code || found[0].Warning != c.warns) {
				t.Errorf("got %s", show(found))
			}
		})
	}
}

// standing returns a registry in which an entry has another standing.
func standing(t *testing.T, p aaif.Point, id, status string) aaif.Registry {
	t.Helper()
	v := aaif.StandardRegistries()[p].Value
	for i, e := range v.Get("entries").Items() {
		if e.Get("id").Text() == id {
			return aaif.ReadRegistry(v.With("entries", v.Get("entries").WithItem(i, e.With("status", canon.String(status)))))
		}
	}
	t.Fatalf("no entry %s", id)
	return aaif.Registry{}
}
