package server_test

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/satchel-memory/satchel/internal/run/remote"
	runtool "github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
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
	first, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}}) // an exporter has the metrics of one server
	if err != nil {
		t.Fatal(err)
	}
	a := newOffice(t, steps...).serve(t, func(_ *vault.Options, s *server.Options) { s.Telemetry = first })
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
	first.Close(t.Context())
	e.Close(t.Context())

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

// TestPeerTrace: a task that an agent elsewhere gives is in the trace of the run that gives it.
func TestPeerTrace(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(replies("Done."))...)
	d, options := o.open(t, nil)
	l := listen(t)
	card := "http://" + l.Addr().String() + "/.well-known/agent-card.json"
	options.Served = server.Served{Agents: []string{clerkID}, Keeper: d.service, URL: "http://" + l.Addr().String()}
	d.running = startOn(t, l, o.key.DID(), options)
	d.takes(t)
	bearer := strings.TrimPrefix(d.peer(t), "Authorization: Bearer ")
	c := remote.New(remote.Options{Settings: func() (runtool.Operator, func(string) (string, bool), error) {
		return runtool.Operator{Egress: []string{"127.0.0.1"}, Agents: []runtool.Elsewhere{{Card: card, Env: "T"}}}, func(string) (string, bool) { return bearer, true }, nil
	}})
	given := trace.Parse("00-" + callersTrace + "-00f067aa0ba902b7-01")
	if r, err := c.Ask(trace.With(t.Context(), given), card, "key", "Book number 1."); err != nil || r.Text != "Done." {
		t.Fatalf("%+v, %v", r, err)
	}
	rows, err := d.host.List(t.Context(), d.me(), clerkID, runstore.Place{}, 2)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v %v", rows, err)
	}
	r, _, err := d.host.Get(t.Context(), d.me(), rows[0].ID)
	t.Run("AAIF-U.I-2 an agent elsewhere is told of the trace", func(t *testing.T) {
		if err != nil || r.Start.Trace.Parent != given || r.Start.Trace.Root.Trace != given.Trace {
			t.Errorf("%+v, %v", r.Start.Trace, err)
		}
	})
}
