// Package otlptest is a collector of OpenTelemetry on this machine that keeps what it gets,
// for tests.
package otlptest

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps what it gets. It is safe for concurrent use.
type Collector struct {
	URL string

	t        testing.TB
	mu       sync.Mutex
	requests []*http.Request
	bodies   []byte // all of them, unpacked
	spans    []*tracepb.Span
	metrics  map[string]*metricpb.Metric // the last values by name
	answer   func(w http.ResponseWriter, n int) bool
}

// Start starts a collector that ends with the test. answer, unless it is nil, answers the
// nth request instead if it returns true; the collector then keeps nothing of it.
func Start(t testing.TB, answer func(w http.ResponseWriter, n int) bool) *Collector {
	c := &Collector{t: t, metrics: map[string]*metricpb.Metric{}, answer: answer}
	s := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.requests = append(c.requests, r)
	n := len(c.requests)
	c.mu.Unlock()
	if c.answer != nil && c.answer(w, n) {
		return
	}
	body, err := read(r)
	if err != nil {
		c.t.Errorf("the collector cannot read a body: %v", err)
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, body...)
	switch r.URL.Path {
	case "/v1/traces":
		c.takeSpans(body)
	case "/v1/metrics":
		c.takeMetrics(body)
	default:
		c.t.Errorf("nothing belongs at %s", r.URL)
	}
}

func read(r *http.Request) ([]byte, error) {
	in := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = unpacked
	}
	return io.ReadAll(in)
}

func (c *Collector) takeSpans(body []byte) {
	var data tracepb.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		c.t.Errorf("these are no traces: %v", err)
	}
	for _, r := range data.ResourceSpans {
		for _, s := range r.ScopeSpans {
			c.spans = append(c.spans, s.Spans...)
		}
	}
}

func (c *Collector) takeMetrics(body []byte) {
	var data metricpb.MetricsData
	if err := proto.Unmarshal(body, &data); err != nil {
		c.t.Errorf("these are no metrics: %v", err)
	}
	for _, r := range data.ResourceMetrics {
		for _, s := range r.ScopeMetrics {
			for _, m := range s.Metrics {
				c.metrics[m.Name] = m
			}
		}
	}
}

// Requests returns the heads of the requests so far.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// Bytes returns all that was sent as bodies, unpacked.
func (c *Collector) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}

// Spans returns the spans that came so far.
func (c *Collector) Spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Metric returns the last values of a metric, nil if none came.
func (c *Collector) Metric(name string) *metricpb.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.metrics[name]
}

// Await waits until ready returns true, and fails the test if it does not within ten seconds.
func (c *Collector) Await(what string, ready func() bool) {
	c.t.Helper()
	for end := time.Now().Add(10 * time.Second); !ready(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("the collector waits in vain for %s", what)
		}
	}
}
