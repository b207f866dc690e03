package server_test

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
	"github.com/satchel-memory/satchel/internal/vault"
)

const callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// collected lets servers send traces to a collector. closing sends what is left.
func collected(t *testing.T) (*otlptest.Collector, *telemetry.Exporter) {
	t.Helper()
	c := otlptest.Start(t, nil)
	e, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}, Metrics: telemetry.Target{URL: c.URL + "/v1/metrics"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(t.Context()) })
	return c, e
}

// chain returns the names of a span and of those above it in the trace.
func chain(all []*tracepb.Span, of *tracepb.Span) (names []string) {
	for of != nil {
		names = append(names, of.Name)
		parent := of.ParentSpanId
		i := slices.IndexFunc(all, func(s *tracepb.Span) bool { return string(s.SpanId) == string(parent) })
		if of = nil; i >= 0 {
			of = all[i]
		}
	}
	return names
}

// TestRunTrace: a request's trace goes through the run that it starts, and on to another
// server. What runs do is in the metrics.
func TestRunTrace(t *testing.T) {
	t.Parallel()
	c, e := collected(t)
	steps := scripted(wants("pay"), replies("Done."))
	a := newOffice(t, steps...).serve(t, func(_ *vault.Options, s *server.Options) { s.Telemetry = e })
	b := newPier(t, newOffice(t, steps...), func(_ *vault.Options, s *server.Options) { s.Telemetry, s.Runs.OnArrival = e, true })
	a.takes(t, asksFirst)
	run := a.starts(t, "?wait=60", "Traceparent: 00-"+callersTrace+"-00f067aa0ba902b7-01").Get("run_id").Text()
	here, _, err := a.host.Get(t.Context(), a.me(), run)
	if err != nil {
		t.Fatal(err)
	}
	b.client.Head = http.Header{"Traceparent": {here.Start.Trace.Root.String()}} // as agent migrate does
	b.lands(t, a, run, "d7e8f9a0-1234-4000-8000-0000000000f1", "1")
	if r := b.decided(t, run); r.Get("output").Text() != "Done." {
		t.Fatalf("%s", r.Append(nil))
	}
	exposed := string(b.ask(t, "GET", "/metrics", "").body)
	c.Await("metrics", func() bool { e.Close(t.Context()); return true })

	t.Run("AAIF-4.7-10 one trace from the caller to the other server", func(t *testing.T) {
		var last *tracepb.Span
		for _, s := range c.Spans() {
			if s.Name == "aaif.agent.llm_call" && hex.EncodeToString(s.TraceId) == callersTrace && (last == nil || s.StartTimeUnixNano > last.StartTimeUnixNano) {
				last = s
			}
		}
		want := "aaif.agent.llm_call < aaif.agent.run < POST /aaif/states < aaif.agent.run < POST /aaif/agents/{id}/runs"
		if got := strings.Join(chain(c.Spans(), last), " < "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("AAIF-U.J-1 the metrics of runs", func(t *testing.T) {
		for _, line := range []string{
			`aaif_agent_run_duration_ms_count 1`, `aaif_agent_run_duration_ms_bucket{le="100"}`, `aaif_agent_run_total{status="success"} 1`, `aaif_agent_run_total{status="timeout"} 0`,
			`aaif_agent_llm_tokens_total{provider="openai",model="m",type="input"} 10`, `aaif_agent_llm_tokens_total{provider="openai",model="m",type="output"} 5`,
			`aaif_agent_tool_calls_total{tool_name="pay",status="success"} 1`, `aaif_agent_cost_usd_total{provider="openai",model="m"} 0`,
		} {
			if !strings.Contains(exposed, "\n"+line) {
				t.Errorf("there is no %s in\n%s", line, exposed)
			}
		}
		if m := c.Metric("aaif_agent_run_duration_ms"); m == nil || m.Unit != "ms" || m.GetHistogram().DataPoints[0].Count != 1 {
			t.Errorf("by OTLP: %v", m)
		}
	})
}
