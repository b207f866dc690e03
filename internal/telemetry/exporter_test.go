package telemetry_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
)

// logged is a log for tests.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), "\n")
}

// begin starts an exporter to a collector that ends with the test.
func begin(t *testing.T, o telemetry.Options) (*telemetry.Exporter, *logged) {
	t.Helper()
	l := &logged{}
	o.Log, o.Release = slog.New(slog.NewTextHandler(l, nil)), "1.2.3"
	e, err := telemetry.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeWithin(e, 0) })
	return e, l
}

// closeWithin closes an exporter and returns how long that took.
func closeWithin(e *telemetry.Exporter, most time.Duration) time.Duration {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	e.Close(ctx)
	return time.Since(began)
}

func attributes(list []*commonpb.KeyValue) string {
	var out []string
	for _, a := range list {
		value := a.Value.GetStringValue()
		if value == "" {
			value = a.Value.String()
		}
		out = append(out, a.Key+"="+value)
	}
	return strings.Join(out, " ")
}

func TestTraces(t *testing.T) {
	c := otlptest.Start(t, nil)
	e, _ := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces", Gzip: true, Headers: map[string]string{"X-Key": "planted"}}})
	header := http.Header{}
	header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	header.Set("Tracestate", "vendor=ana.example.org")
	header.Set("Baggage", "who=ana@example.org")
	ctx, end := e.Request(t.Context(), header, "POST", "/ump/recall")
	if got := telemetry.TraceID(ctx); got != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("the request belongs to trace %q", got)
	}
	inner, done := e.Work(ctx, "transaction", "view")
	_, failed := e.Work(inner, "statement", "read")
	failed("busy")
	done("")
	end(503)
	_, alone := e.Work(t.Context(), "transaction", "update") // belongs to no request
	alone("")
	_, own := e.Request(t.Context(), http.Header{"Traceparent": {"nonsense"}}, "GET", "other")
	own(0)
	closeWithin(e, 5*time.Second)

	byName := map[string]*tracepb.Span{}
	for _, s := range c.Spans() {
		byName[s.Name] = s
	}
	request, view, read, other := byName["POST /ump/recall"], byName["transaction view"], byName["statement read"], byName["GET other"]
	if len(c.Spans()) != 4 || request == nil || view == nil || read == nil || other == nil {
		t.Fatalf("%v", c.Spans())
	}
	if hex.EncodeToString(request.TraceId) != "4bf92f3577b34da6a3ce929d0e0e4736" || hex.EncodeToString(request.ParentSpanId) != "00f067aa0ba902b7" {
		t.Errorf("the trace that the client began is not carried on: %v", request)
	}
	if !bytes.Equal(view.ParentSpanId, request.SpanId) || !bytes.Equal(read.ParentSpanId, view.SpanId) || bytes.Equal(other.TraceId, request.TraceId) {
		t.Errorf("%v\n%v\n%v\n%v", request, view, read, other)
	}
	const failure = tracepb.Status_STATUS_CODE_ERROR
	if request.Status.Code != failure || view.Status.Code == failure || read.Status.Code != failure || other.Status.Code != failure || request.Kind != tracepb.Span_SPAN_KIND_SERVER {
		t.Errorf("%v\n%v\n%v\n%v", request, view, read, other)
	}
	if got := attributes(request.Attributes); got != "http.request.method=POST http.route=/ump/recall http.response.status_code=int_value:503" {
		t.Errorf("%s", got)
	}
	if got := attributes(read.Attributes); got != "satchel.statement=read error.type=busy" {
		t.Errorf("%s", got)
	}
	if all := c.Bytes(); bytes.Contains(all, []byte("example.org")) || bytes.Contains(all, []byte("planted")) || !bytes.Contains(all, []byte("1.2.3")) {
		t.Errorf("%q", all)
	}
	if r := c.Requests()[0]; r.Header.Get("X-Key") != "planted" || r.Header.Get("User-Agent") != "satchel/1.2.3" {
		t.Errorf("%v", r.Header)
	}
}

func TestMetrics(t *testing.T) {
	c := otlptest.Start(t, nil)
	e, _ := begin(t, telemetry.Options{Metrics: telemetry.Target{URL: c.URL + "/v1/metrics"}, Every: 20 * time.Millisecond})
	h := metric.NewHistogram([]time.Duration{time.Millisecond, time.Second})
	h.Observe(time.Microsecond)
	h.Observe(2 * time.Second)
	value := 7.0
	var mu sync.Mutex
	e.Measure(func(context.Context) []metric.Family {
		mu.Lock()
		defer mu.Unlock()
		count := metric.Family{Name: "satchel_x_total", Kind: metric.Counter, Help: "Counts."}
		count.Add(value, "kind", "a")
		took := metric.Family{Name: "satchel_x_seconds", Kind: metric.Timing, Help: "Took."}
		took.AddDurations(h)
		return []metric.Family{count, took, metric.Single("satchel_x", metric.Gauge, "Is.", 3), {Name: "satchel_none", Kind: metric.Gauge}}
	})
	c.Await("metrics", func() bool { return c.Metric("satchel_x") != nil })
	mu.Lock()
	value = 9
	mu.Unlock()
	closeWithin(e, 5*time.Second) // exports once more
	sum := c.Metric("satchel_x_total").GetSum()
	if len(sum.GetDataPoints()) != 1 || sum.DataPoints[0].GetAsDouble() != 9 || !sum.IsMonotonic || attributes(sum.DataPoints[0].Attributes) != "kind=a" || sum.DataPoints[0].StartTimeUnixNano == 0 {
		t.Errorf("%v", sum)
	}
	took := c.Metric("satchel_x_seconds")
	if p := took.GetHistogram().GetDataPoints(); len(p) != 1 || p[0].Count != 2 || p[0].GetSum() != 2.000001 || len(p[0].ExplicitBounds) != 2 || p[0].BucketCounts[0] != 1 || p[0].BucketCounts[2] != 1 || took.Unit != "s" {
		t.Errorf("%v", took)
	}
	if p := c.Metric("satchel_x").GetGauge().GetDataPoints(); len(p) != 1 || p[0].GetAsDouble() != 3 {
		t.Errorf("%v", p)
	}
	if c.Metric("satchel_none") != nil {
		t.Error("a metric without values is sent")
	}
}

// A collector that hangs costs requests nothing, and the end of the server a bounded time.
func TestCollectorHangs(t *testing.T) {
	stop := make(chan struct{})
	c := otlptest.Start(t, func(http.ResponseWriter, int) bool { <-stop; return true })
	defer close(stop)
	e, _ := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}, Metrics: telemetry.Target{URL: c.URL + "/v1/metrics"}, Every: 10 * time.Millisecond})
	e.Measure(func(context.Context) []metric.Family {
		return []metric.Family{metric.Single("satchel_x", metric.Gauge, "Is.", 3)}
	})
	const spans = 20_000 // ten times what the queue holds
	began := time.Now()
	for range spans {
		_, end := e.Request(t.Context(), nil, "GET", "/")
		end(200)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%d requests took %v beside a collector that hangs", spans, took)
	}
	c.Await("a request", func() bool { return len(c.Requests()) >= 2 })
	if took := closeWithin(e, 200*time.Millisecond); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// A collector that refuses is mentioned once, and once more when it takes again.
func TestCollectorAway(t *testing.T) {
	away := true
	var mu sync.Mutex
	c := otlptest.Start(t, func(w http.ResponseWriter, _ int) bool {
		mu.Lock()
		defer mu.Unlock()
		if away {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return away
	})
	e, l := begin(t, telemetry.Options{Metrics: telemetry.Target{URL: strings.Replace(c.URL, "http://", "http://user:planted@", 1) + "/v1/metrics"}, Every: 5 * time.Millisecond})
	e.Measure(func(context.Context) []metric.Family {
		return []metric.Family{metric.Single("satchel_x", metric.Gauge, "Is.", 3)}
	})
	c.Await("five requests", func() bool { return len(c.Requests()) > 5 })
	if l.lines() != 1 {
		t.Errorf("the log after five refusals:\n%s", &l.text)
	}
	mu.Lock()
	away = false
	mu.Unlock()
	c.Await("metrics", func() bool { return l.lines() == 2 })
	closeWithin(e, time.Second)
	if strings.Contains(l.text.String(), "planted") {
		t.Errorf("%s", &l.text)
	}
}

// A collector that is busy for a moment gets the same again.
func TestCollectorBusy(t *testing.T) {
	c := otlptest.Start(t, func(w http.ResponseWriter, n int) bool {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n == 1
	})
	e, l := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
	_, end := e.Request(t.Context(), nil, "GET", "/")
	end(200)
	closeWithin(e, 5*time.Second)
	if len(c.Spans()) != 1 || l.lines() != 0 {
		t.Errorf("%v\n%s", c.Spans(), &l.text)
	}
}

func TestNoCollector(t *testing.T) {
	before := runtime.NumGoroutine()
	e, err := telemetry.Start(telemetry.Options{})
	if e != nil || err != nil {
		t.Fatal(e, err)
	}
	e.Measure(nil)
	cost := testing.AllocsPerRun(100, func() {
		ctx, end := e.Request(t.Context(), nil, "GET", "/")
		_, done := e.Work(ctx, "transaction", "view")
		done("")
		end(200)
	})
	if cost > 0 || runtime.NumGoroutine() > before {
		t.Errorf("%v allocations a request, %d goroutines after %d", cost, runtime.NumGoroutine(), before)
	}
	e.Close(t.Context())
	for _, address := range []string{"collector:4318", "ftp://collector/x", "http://", "http://user:planted@[::1/", "/v1/traces"} {
		if _, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: address}}); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Nothing follows a redirect to somewhere else.
func TestRedirect(t *testing.T) {
	other := otlptest.Start(t, nil)
	c := otlptest.Start(t, func(w http.ResponseWriter, _ int) bool {
		w.Header().Set("Location", other.URL+"/v1/traces")
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	})
	e, l := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
	_, end := e.Request(t.Context(), nil, "GET", "/")
	end(200)
	closeWithin(e, 5*time.Second)
	if len(other.Requests()) > 0 || l.lines() != 1 {
		t.Errorf("%v\n%s", other.Requests(), &l.text)
	}
}

// TestLabelsThatAreNoText: a label with bytes that are no UTF-8 does not keep the other values back.
func TestLabelsThatAreNoText(t *testing.T) {
	at := otlptest.Start(t, nil)
	e, _ := begin(t, telemetry.Options{Metrics: telemetry.Target{URL: at.URL + "/v1/metrics"}, Every: time.Hour})
	e.Measure(func(context.Context) []metric.Family {
		odd := metric.Family{Name: "satchel_odd", Kind: metric.Gauge, Help: "Is.", Samples: []metric.Sample{{Labels: []string{"of", "a\xffb"}, Value: 1}}}
		return []metric.Family{odd, metric.Single("satchel_x", metric.Gauge, "Is.", 3)}
	})
	closeWithin(e, 5*time.Second)
	if at.Metric("satchel_odd") == nil || at.Metric("satchel_x") == nil {
		t.Error("the values do not arrive")
	}
}
