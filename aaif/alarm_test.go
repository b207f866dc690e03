package aaif_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestAlarm(t *testing.T) {
	read := func(agent string) aaif.Definition {
		return aaif.ReadDefinition(tree(t, `{"sc_standard":"SC-006","agent":{"name":"a","goal":"b"`+agent+`}}`))
	}
	for _, c := range []struct {
		name, pointer string
		how           aaif.ChangeKind
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
		{"a signature goes", "/provenance/signature", aaif.Removed, `},"provenance":{"signature":"c2ln"`, ``, "SIGNATURE REMOVED"},
		{"a signature goes with all of the provenance", "/provenance", aaif.Removed, `},"provenance":{"signature":"c2ln"`, ``, "SIGNATURE REMOVED"},
		{"what had no signature loses none", "/provenance", aaif.Removed, `},"provenance":{"source_platform":"p"`, ``, ""},
		{"memory is kept elsewhere", "/agent/memory/0/backend", aaif.Changed, `,"memory":[{"scope":"user","content":"","backend":"sqlite"}]`, `,"memory":[{"scope":"user","content":"","backend":"pinecone"}]`, "MEMORY MAY BE KEPT ELSEWHERE"},
		{"memory is shared", "/agent/memory/0/scope", aaif.Changed, `,"memory":[{"scope":"user","content":""}]`, `,"memory":[{"scope":"long_term","content":""}]`, "MEMORY IS SHARED WITH OTHERS"},
		{"another memory", "/agent/memory/0/content", aaif.Changed, `,"memory":[{"scope":"user","content":"a"}]`, `,"memory":[{"scope":"user","content":"b"}]`, "REMEMBERS SOMETHING ELSE"},
		{"one more memory", "/agent/memory/1", aaif.Added, ``, ``, "REMEMBERS SOMETHING ELSE"},
		{"one memory less", "/agent/memory/1", aaif.Removed, ``, ``, ""},
		{"memory is found otherwise", "/agent/memory/0/top_k", aaif.Changed, ``, ``, ""},
		{"another address to read", "/agent/context/0/value", aaif.Changed, ``, ``, "READS SOMETHING ELSE"},
		{"one more to read", "/agent/context/1", aaif.Added, ``, ``, "READS SOMETHING ELSE"},
		{"one less to read", "/agent/context/1", aaif.Removed, ``, ``, ""},
		{"another label", "/agent/context/0/label", aaif.Changed, ``, ``, ""},
		{"no timeout", "/agent/runtime/timeout_seconds", aaif.Removed, `,"runtime":{"timeout_seconds":60}`, `,"runtime":{}`, "MAY RUN FOR LONGER"},
		{"a longer timeout", "/agent/runtime/timeout_seconds", aaif.Changed, `,"runtime":{"timeout_seconds":60}`, `,"runtime":{"timeout_seconds":600}`, "MAY RUN FOR LONGER"},
		{"all of the runtime goes", "/agent/runtime", aaif.Removed, `,"runtime":{"timeout_seconds":60}`, ``, "MAY RUN FOR LONGER"},
		{"a shorter timeout", "/agent/runtime/timeout_seconds", aaif.Changed, `,"runtime":{"timeout_seconds":60}`, `,"runtime":{"timeout_seconds":6}`, ""},
		{"another environment", "/agent/runtime/environment", aaif.Added, ``, `,"runtime":{"environment":"test"}`, "RUNS ELSEWHERE"},
		{"nobody watches calls", "/agent/events/on_tool_call", aaif.Removed, `,"events":{"on_tool_call":"check"}`, `,"events":{}`, "ITS CALLS OF TOOLS ARE WATCHED DIFFERENTLY"},
		{"calls are watched", "/agent/events/on_tool_call", aaif.Added, `,"events":{}`, `,"events":{"on_tool_call":"check"}`, ""},
		{"a measure asks for less", "/agent/evaluation/metrics/0/threshold", aaif.Changed, `,"evaluation":{"metrics":[{"name":"faithfulness","threshold":0.9}]}`, `,"evaluation":{"metrics":[{"name":"faithfulness","threshold":0.5}]}`, "A MEASURE ASKS FOR LESS"},
		{"a maximum lets more through", "/agent/evaluation/metrics/0/threshold", aaif.Changed, `,"evaluation":{"metrics":[{"name":"toxicity","threshold":0.1}]}`, `,"evaluation":{"metrics":[{"name":"toxicity","threshold":0.5}]}`, "A MEASURE ASKS FOR LESS"},
		{"a measure goes", "/agent/evaluation/metrics/0", aaif.Removed, `,"evaluation":{"metrics":[{"name":"toxicity","threshold":0.1}]}`, `,"evaluation":{"metrics":[]}`, "A MEASURE ASKS FOR LESS"},
		{"a measure asks for more", "/agent/evaluation/metrics/0/threshold", aaif.Changed, `,"evaluation":{"metrics":[{"name":"toxicity","threshold":0.5}]}`, `,"evaluation":{"metrics":[{"name":"toxicity","threshold":0.1}]}`, ""},
		{"another address among the settings of the model", "/agent/model/params/extended/base_url", aaif.Changed, ``, ``, "DATA MAY GO TO ANOTHER PROVIDER"},
		{"another temperature", "/agent/model/params/temperature", aaif.Changed, ``, ``, ""},
		{"a tool is called more often", "/agent/tools/0/rate_limit/requests_per_minute", aaif.Changed, `,"tools":[{"name":"a","description":"d","rate_limit":{"requests_per_minute":1}}]`, `,"tools":[{"name":"a","description":"d","rate_limit":{"requests_per_minute":9}}]`, "TOOL IS LIMITED LESS: a"},
		{"a tool is called as often as one likes", "/agent/tools/0/rate_limit", aaif.Removed, `,"tools":[{"name":"a","description":"d","rate_limit":{"requests_per_minute":1}}]`, `,"tools":[{"name":"a","description":"d"}]`, "TOOL IS LIMITED NO MORE: a"},
		{"a tool is called less often", "/agent/tools/0/rate_limit/requests_per_minute", aaif.Changed, `,"tools":[{"name":"a","description":"d","rate_limit":{"requests_per_minute":9}}]`, `,"tools":[{"name":"a","description":"d","rate_limit":{"requests_per_minute":1}}]`, ""},
		{"a word of the description", "/agent/description", aaif.Changed, ``, ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (aaif.Change{Pointer: c.pointer, How: c.how}).Alarm(read(c.was), read(c.is)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
