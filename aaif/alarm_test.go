package aaif_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestAlarm(t *testing.T) {
	read := func(agent string) aaif.Agent {
		return aaif.ReadDefinition(tree(t, `{"sc_standard":"SC-006","agent":{"name":"a","goal":"b"`+agent+`}}`)).Agent
	}
	for _, c := range []struct {
		name, pointer string
		how           aaif.How
		was, is       string
		want          string
	}{
		{"AAIF-12-6 a constraint goes", "/agent/constraints/0", aaif.Removed, `,"constraints":["x","y"]`, `,"constraints":["y"]`, "CONSTRAINT REMOVED"},
		{"a constraint comes", "/agent/constraints/1", aaif.Added, `,"constraints":["x"]`, `,"constraints":["x","y"]`, ""},
		{"AAIF-4.9-1 a level is lowered", "/agent/compliance/safety_level", aaif.Changed, `,"compliance":{"safety_level":"strict"}`, `,"compliance":{"safety_level":"minimal"}`, "SAFETY LEVEL LOWERED"},
		{"a level is raised", "/agent/compliance/safety_level", aaif.Changed, `,"compliance":{"safety_level":"minimal"}`, `,"compliance":{"safety_level":"strict"}`, ""},
		{"all of telemetry goes", "/agent/telemetry", aaif.Removed, `,"telemetry":{"otlp_endpoint":"https://a.example"}`, ``, "TELEMETRY SWITCHED OFF"},
		{"where telemetry goes, goes", "/agent/telemetry/otlp_endpoint", aaif.Removed, `,"telemetry":{"otlp_endpoint":"https://a.example"}`, `,"telemetry":{}`, "TELEMETRY SWITCHED OFF"},
		{"runs are not traced any more", "/agent/telemetry/tracing", aaif.Changed, `,"telemetry":{"tracing":true}`, `,"telemetry":{"tracing":false}`, "TELEMETRY SWITCHED OFF"},
		{"telemetry goes elsewhere", "/agent/telemetry/otlp_endpoint", aaif.Changed, `,"telemetry":{"otlp_endpoint":"https://a.example"}`, `,"telemetry":{"otlp_endpoint":"https://b.example"}`, "TELEMETRY GOES ELSEWHERE"},
		{"telemetry comes and goes nowhere else", "/agent/telemetry", aaif.Added, ``, `,"telemetry":{"tracing":true}`, ""},
		{"a tool comes", "/agent/tools/0", aaif.Added, ``, `,"tools":[{"name":"burn\u001b","description":"d","protocol":"http","endpoint":"https://a.example"}]`, "TOOL ADDED burn"},
		{"a tool goes", "/agent/tools/0", aaif.Removed, ``, ``, ""},
		{"a capability is not asked for", "/agent/required_capabilities/0", aaif.Removed, ``, ``, "CAPABILITY NOT REQUIRED ANY MORE"},
		{"a model goes", "/agent/model", aaif.Removed, ``, ``, ""},
		{"another model comes", "/agent/model", aaif.Added, ``, ``, "DATA GOES TO ANOTHER MODEL"},
		{"a ceiling goes", "/agent/model/fallbacks/0/max_cost_usd_per_1k_tokens", aaif.Removed, ``, ``, "COST CEILING REMOVED"},
		{"another agent", "/agent_id", aaif.Changed, ``, ``, "ANOTHER AGENT: its id never changes"},
		{"another signature", "/provenance/signature", aaif.Changed, ``, ``, "SIGNED ANEW: verify by whom"},
		{"another platform", "/provenance/source_platform", aaif.Changed, ``, ``, "ANOTHER PLATFORM: its key may be another's"},
		{"a signature goes", "/provenance/signature", aaif.Removed, ``, ``, "SIGNATURE REMOVED"},
		{"a word of the description", "/agent/description", aaif.Changed, ``, ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (aaif.Change{Pointer: c.pointer, How: c.how}).Alarm(read(c.was), read(c.is)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
