package aaif_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

func joined(levels []aaif.Level) string {
	var names []string
	for _, l := range levels {
		names = append(names, string(l))
	}
	return strings.Join(names, " ")
}

// formed is a text of the form of a signature.
var formed = strings.Repeat("A", 86) + "=="

// levelSteps are edits that add one level after the other to the smallest definition.
var levelSteps = []struct{ pointer, value, highest string }{
	{"/agent/tools", `[{"name":"a","description":"b"}]`, "Core"},
	{"/agent/tools/0/parameters_schema", `{"type":"object"}`, "Tooled"},
	{"/agent/constraints", `[]`, "Tooled"},
	{"/agent/constraints", `["x"]`, "Portable"},
	{"/agent/orchestration/role", `"router"`, "Portable"},
	{"/agent/orchestration/handoff", `[{"condition":{"lang":"always"},"target_agent":"x"}]`, "Multi-agent"},
	{"/agent/evaluation", `{"metrics":[{"name":"toxicity"}]}`, "Multi-agent"},
	{"/agent/telemetry", `{"tracing":true}`, "Multi-agent"},
	{"/agent/evaluation/metrics/0/threshold", `0.1`, "Multi-agent Observable"},
	{"/agent/orchestration", ``, "Observable"},
	{"/agent/compliance/audit_log", `true`, "Observable"},
	{"/provenance/signature", `"c2lnbmVk"`, "Observable"},
	{"/agent/compliance/safety_level", `"standard"`, "Observable"},
	{"/agent/compliance/safety_level", ``, "Observable"},
	{"/provenance/signature", `"` + formed + `"`, "Observable"},
	{"/agent/compliance/safety_level", `"standard"`, "Enterprise"},
	{"/agent/required_capabilities", `["state.checkpoint"]`, "Stateful"},
	{"/agent/telemetry/tracing", ``, "Portable"},
	{"/agent/goal", ``, ""},
}

func TestProducerLevels(t *testing.T) {
	v, d := validator(t), doc(t, minimal)
	t.Run("AAIF-6-2 Core", func(t *testing.T) { expect(t, joined(v.Produced(d).Highest()), "Core") })
	for _, s := range levelSteps {
		d = changed(t, d, s.pointer, s.value)
		t.Run("AAIF-6-3 AAIF-6-4 AAIF-6-5 AAIF-6-6 AAIF-6-7 AAIF-6-9 AAIF-6-10 after "+s.pointer, func(t *testing.T) {
			expect(t, joined(v.Produced(d).Highest()), s.highest)
		})
	}
	t.Run("AAIF-6-8 what is missing is said", func(t *testing.T) {
		c := v.Produced(sample(t, "agent"))
		expect(t, joined(c.Highest()), "Multi-agent Observable")
		if len(c.Missing) != 1 || c.Missing[0] != (aaif.Gap{Level: aaif.Enterprise, Pointer: "/provenance/signature", Rule: "AAIF-6-8", Text: "the definition is not signed"}) {
			t.Errorf("got %+v", c.Missing)
		}
	})
	t.Run("AAIF-6-7 on both branches", func(t *testing.T) {
		d := changed(t, changed(t, sample(t, "agent"), "/agent/orchestration/role", ``), "/agent/telemetry", ``)
		var at []string
		for _, m := range v.Produced(d).Missing {
			at = append(at, string(m.Level)+m.Pointer)
		}
		expect(t, strings.Join(at, " "), "Multi-agent/agent/orchestration/role Observable/agent/telemetry/tracing")
	})
	t.Run("AAIF-6-2 a state has none", func(t *testing.T) {
		c := v.Produced(sample(t, "state"))
		expect(t, len(c.Held), 0)
		expect(t, len(c.Missing), 1)
	})
}

func TestLevelsAreCumulative(t *testing.T) {
	v, base := validator(t), sample(t, "agent")
	base.Value = set(base.Value, "/provenance/signature", canon.String(formed))
	expect(t, joined(v.Produced(base).Highest()), "Multi-agent Stateful")
	m := &mutator{r: rand.New(rand.NewPCG(1, 2)), words: []string{"tools", "constraints"}}
	held := map[aaif.Level]int{}
	for range 200 {
		d := base
		for _, s := range levelSteps {
			if m.r.IntN(4) == 0 {
				d = changed(t, d, s.pointer, s.value)
			}
		}
		c := v.Produced(d)
		for _, l := range c.Held {
			held[l]++
			if below := l.Below(); below != "" && !c.Has(below) {
				t.Fatalf("AAIF-6-11: %s without %s: %s", l, below, d.Value.Append(nil))
			}
		}
	}
	t.Run("AAIF-6-11 every level was met", func(t *testing.T) {
		for _, l := range aaif.Levels() {
			if held[l] == 0 {
				t.Errorf("never %s", l)
			}
		}
	})
}

func TestConsumerLevels(t *testing.T) {
	t.Run("AAIF-6-13 AAIF-6-15 nothing without having been shown", func(t *testing.T) {
		none := aaif.ConsumerLevels(func(string) bool { return false })
		expect(t, len(none.Held), 0)
		all := aaif.ConsumerLevels(func(string) bool { return true })
		expect(t, joined(all.Highest()), "Multi-agent Stateful")
		expect(t, len(all.Missing), 0)
	})
	t.Run("AAIF-6-15 each duty counts", func(t *testing.T) {
		for _, d := range aaif.Duties() {
			c := aaif.ConsumerLevels(func(rule string) bool { return rule != d.Rule })
			if c.Has(d.Level) || len(c.Missing) != 1 || c.Missing[0].Rule != d.Rule {
				t.Errorf("%s: got %+v", d.Rule, c)
			}
		}
	})
	t.Run("AAIF-6-16 Stateful wants Enterprise", func(t *testing.T) {
		c := aaif.ConsumerLevels(func(rule string) bool { return rule != "AAIF-4.9-8" })
		expect(t, joined(c.Highest()), "Multi-agent Observable")
	})
	t.Run("AAIF-6-17 Enterprise does without Stateful", func(t *testing.T) {
		c := aaif.ConsumerLevels(func(rule string) bool {
			return !strings.HasPrefix(rule, "AAIF-8") && rule != "AAIF-12-13" && rule != "AAIF-12-14"
		})
		expect(t, joined(c.Highest()), "Multi-agent Enterprise")
	})
	t.Run("AAIF-6-15 every level has duties", func(t *testing.T) {
		for _, l := range aaif.Levels() {
			if !slices.ContainsFunc(aaif.Duties(), func(d aaif.Duty) bool { return d.Level == l }) {
				t.Errorf("none for %s", l)
			}
		}
	})
}

func TestResolvable(t *testing.T) {
	for _, c := range []struct {
		protocol aaif.Protocol
		endpoint string
		want     bool
	}{
		{aaif.FunctionTool, "", true},
		{aaif.HTTPTool, "", false}, {aaif.HTTPTool, "https://a.example/x", true}, {aaif.HTTPTool, "http://a.example/{id}/y", true}, {aaif.HTTPTool, "https://a.example/{id", false},
		{aaif.HTTPTool, "https://a.example/{?id}", false}, {aaif.HTTPTool, "/x", false}, {aaif.HTTPTool, "ftp://a.example", false}, {aaif.HTTPTool, "https://", false}, {aaif.HTTPTool, "https://a b", false},
		{aaif.MCPTool, "mcp://ledger/search", true}, {aaif.MCPTool, "mcp://ledger", false}, {aaif.MCPTool, "mcp:///search", false}, {aaif.MCPTool, "wss://a.example", true},
		{aaif.MCPTool, "stdio:ledger-server", true}, {aaif.MCPTool, "stdio:", false}, {aaif.MCPTool, "https://a.example/mcp", true}, {aaif.MCPTool, "ledger", false},
		{aaif.OpenAPITool, "https://a.example/openapi.json", true}, {aaif.OpenAPITool, "specs/openapi.yaml", true}, {aaif.OpenAPITool, "", false}, {aaif.OpenAPITool, "file:///etc/passwd", false},
	} {
		t.Run("AAIF-6-4 "+string(c.protocol)+" "+c.endpoint, func(t *testing.T) {
			expect(t, aaif.Tool{Protocol: c.protocol, Endpoint: c.endpoint}.Resolvable(), c.want)
		})
	}
}

func TestLevelsOfWhatIsNamed(t *testing.T) {
	v := validator(t)
	d := changed(t, changed(t, doc(t, minimal), "/agent/constraints", `["x"]`), "/agent/tools", `[{"name":"a","description":"b","parameters_schema":{},"protocol":"openapi","endpoint":"./api.json"}]`)
	for name, c := range map[string]struct {
		endpoint string
		exists   func(string) bool
		want     bool
	}{
		"nobody knows its folder": {"./api.json", nil, false},
		"it is there":             {"./api.json", func(path string) bool { return path == "./api.json" }, true},
		"it is not":               {"./no-such.json", func(path string) bool { return path == "./api.json" }, false},
		"an address":              {"https://api.example/openapi.json", nil, true},
		"no relative path":        {"/etc/passwd", func(string) bool { return true }, false},
	} {
		t.Run("AAIF-6-4 "+name, func(t *testing.T) {
			d := changed(t, d, "/agent/tools/0/endpoint", `"`+c.endpoint+`"`)
			expect(t, v.WithFiles(c.exists).Produced(d).Has(aaif.Portable), c.want)
			expect(t, len(v.WithFiles(c.exists).Lacks(d, aaif.Portable)) == 0, c.want)
		})
	}
	t.Run("AAIF-6-5 subagents of no name", func(t *testing.T) {
		d := changed(t, changed(t, d, "/agent/tools/0/protocol", ``), "/agent/orchestration", `{"role":"orchestrator","subagents":[{"ref":""}]}`)
		expect(t, joined(v.Produced(d).Highest()), "Portable")
		d = changed(t, d, "/agent/orchestration/subagents/0/ref", `"./b.json"`)
		expect(t, joined(v.Produced(d).Highest()), "Multi-agent")
	})
}
