package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// metricsType is the media type of Prometheus' text format.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// countTimeout is how long the backend has to count.
const countTimeout = 2 * time.Second

// maxNumbers is the most numbers of the backend that the server passes on.
const maxNumbers = 200

// serveMetrics serves the metrics to the server's operator: with the owner's token, or to
// everybody if the options say so. A capability token opens memories, not the server.
func serveMetrics(o Options, m *metrics) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch err := checkScraper(o, r); {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			umphttp.WriteError(w, umphttp.WrongMethod(http.MethodGet, http.MethodHead))
		case err != nil:
			umphttp.WriteError(w, err)
		default:
			body := m.text(o.Release, numbersOf(r.Context(), o.Backend))
			w.Header().Set("Content-Type", metricsType)
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body) // the client has gone; nobody reads an error
		}
	})
}

func checkScraper(o Options, r *http.Request) error {
	if o.OpenMetrics {
		return nil
	}
	a := identityOf(r)
	if a.err != nil {
		return a.err
	}
	if a.credential != ownerToken {
		o.recordRefusal(r.Context(), memory.ForbiddenScope, "/metrics")
		return &memory.Error{Kind: memory.ForbiddenScope, Rule: "UMP-3.7-3", Message: "metrics are shown to whoever has the owner's token"}
	}
	return nil
}

func numbersOf(ctx context.Context, b Backend) map[string]float64 {
	c, ok := b.(statsSource)
	if !ok {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, countTimeout)
	defer done()
	return c.Metrics(ctx)
}

// text returns all metrics in the text format.
func (m *metrics) text(release string, facts map[string]float64) []byte {
	var p metricText
	p.family("satchel_build_info", "gauge", "The release that runs.")
	p.sample("satchel_build_info", 1, "version", release, "go", runtime.Version())
	p.single("process_start_time_seconds", "gauge", "When the server was started, in seconds since 1970.", float64(m.since.UnixMilli())/1e3)
	m.mu.Lock()
	m.writeRequests(&p)
	m.writeRest(&p)
	m.mu.Unlock()
	writeRuntime(&p)
	writeNumbers(&p, facts)
	return p.Bytes()
}

func (m *metrics) writeRequests(p *metricText) {
	p.family("satchel_http_requests_total", "counter", "Requests that were answered, by route, method and status; 0 where the connection was cut.")
	byName := func(a, b series) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}
	for _, s := range slices.SortedFunc(maps.Keys(m.requests), byName) {
		p.sample("satchel_http_requests_total", float64(m.requests[s]), "route", s.route, "method", s.method, "status", strconv.Itoa(s.status))
	}
	const took = "satchel_http_request_duration_seconds"
	p.family(took, "histogram", "How long requests took, streams left out.")
	for _, route := range slices.Sorted(maps.Keys(m.took)) {
		h, sofar := m.took[route], uint64(0)
		for i, bound := range bounds() {
			sofar += h.counts[i]
			p.sample(took+"_bucket", float64(sofar), "route", route, "le", number(bound))
		}
		sofar += h.counts[len(bounds())]
		p.sample(took+"_bucket", float64(sofar), "route", route, "le", "+Inf")
		p.sample(took+"_sum", h.sum, "route", route)
		p.sample(took+"_count", float64(sofar), "route", route)
	}
}

func (m *metrics) writeRest(p *metricText) {
	p.single("satchel_http_requests_in_flight", "gauge", "Requests being answered.", float64(m.inFlight))
	p.single("satchel_http_open_streams", "gauge", "Answers that stay open: subscriptions and streams of MCP.", float64(m.streams))
	p.single("satchel_http_received_bytes_total", "counter", "Bytes of the bodies of requests.", float64(m.received))
	p.single("satchel_http_sent_bytes_total", "counter", "Bytes of the bodies of answers.", float64(m.sent))
	p.single("satchel_http_unauthorized_total", "counter", "Requests whose credentials opened nothing.", float64(m.denied))
	p.single("satchel_http_refused_connections_total", "counter", "Connections beyond the most.", float64(m.refused))
	p.family("satchel_http_rate_limited_total", "counter", "Requests that came too fast, by whose allowance was used up.")
	for _, kind := range slices.Sorted(maps.Keys(m.limited)) {
		p.sample("satchel_http_rate_limited_total", float64(m.limited[kind]), "payer", kind)
	}
}

func writeRuntime(p *metricText) {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	p.single("go_goroutines", "gauge", "Goroutines.", float64(runtime.NumGoroutine()))
	p.single("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap in use.", float64(mem.HeapAlloc))
	p.single("go_memstats_sys_bytes", "gauge", "Bytes obtained from the system.", float64(mem.Sys))
	p.single("go_gc_cycles_total", "counter", "Garbage collections.", float64(mem.NumGC))
}

// writeNumbers writes the backend's numbers whose names are valid.
func writeNumbers(p *metricText, facts map[string]float64) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]{0,60}$`)
	written := 0
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if name.MatchString(fact) && written < maxNumbers {
			p.single("satchel_"+fact, "gauge", "Counted by the store.", facts[fact])
			written++
		}
	}
}

// metricText is a text of metrics under construction.
type metricText struct{ bytes.Buffer }

func (p *metricText) family(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *metricText) single(name, kind, help string, value float64) {
	p.family(name, kind, help)
	p.sample(name, value)
}

// sample writes one line; labels are names and values in turn.
func (p *metricText) sample(name string, value float64, labels ...string) {
	p.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		p.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		fmt.Fprintf(p, `%s="%s"`, labels[i], escapeLabel(labels[i+1]))
	}
	if len(labels) > 0 {
		p.WriteByte('}')
	}
	p.WriteString(" " + number(value) + "\n")
}

func escapeLabel(label string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(label)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
