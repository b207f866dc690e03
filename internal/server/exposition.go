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

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/memory"
)

// metricsType is the media type of Prometheus' text format.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// countTimeout is how long the backend and the store have to count.
const countTimeout = 2 * time.Second

// maxNumbers is the most numbers of the backend that the server passes on.
const maxNumbers = 200

// serveMetrics serves the metrics to the server's operator: with the owner's token, or to
// everybody if the options say so. A capability token opens memories, not the server.
func (s *server) showMetrics(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if err := checkScraper(s.options, r); err != nil {
		return err
	}
	body := exposition(s.families(r.Context()))
	w.Header().Set("Content-Type", metricsType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client has gone; nobody reads an error
	return nil
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

// families returns the present values of all metrics: those of the server, of its process,
// of the backend and of the store.
func (s *server) families(ctx context.Context) []metric.Family {
	build := metric.Family{Name: "satchel_build_info", Kind: metric.Gauge, Help: "The release that runs."}
	build.Add(1, "version", s.options.Release, "go", runtime.Version())
	all := []metric.Family{build,
		metric.Single("process_start_time_seconds", metric.Gauge, "When the server was started, in seconds since 1970.", float64(s.metrics.since.UnixMilli())/1e3)}
	all = slices.Concat(all, s.metrics.families(), s.options.runFamilies(), processFamilies())
	ctx, done := context.WithTimeout(ctx, countTimeout)
	defer done()
	if s.options.Metrics != nil {
		all = append(all, s.options.Metrics(ctx)...)
	}
	return append(all, backendFamilies(ctx, s.options.Backend)...)
}

func (m *metrics) families() []metric.Family {
	m.mu.Lock()
	defer m.mu.Unlock()
	limited := metric.Family{Name: "satchel_http_rate_limited_total", Kind: metric.Counter, Help: "Requests that came too fast, by whose allowance was used up."}
	for _, kind := range slices.Sorted(maps.Keys(m.limited)) {
		limited.Add(float64(m.limited[kind]), "payer", kind)
	}
	return []metric.Family{
		m.requestFamily(), m.durationFamily(),
		metric.Single("satchel_http_requests_in_flight", metric.Gauge, "Requests being answered.", float64(m.inFlight)),
		metric.Single("satchel_http_open_streams", metric.Gauge, "Answers that stay open: subscriptions and streams of MCP.", float64(m.streams)),
		metric.Single("satchel_http_received_bytes_total", metric.Counter, "Bytes of the bodies of requests.", float64(m.received)),
		metric.Single("satchel_http_sent_bytes_total", metric.Counter, "Bytes of the bodies of answers.", float64(m.sent)),
		metric.Single("satchel_http_unauthorized_total", metric.Counter, "Requests whose credentials opened nothing.", float64(m.denied)),
		metric.Single("satchel_http_refused_connections_total", metric.Counter, "Connections beyond the most.", float64(m.refused)),
		limited,
	}
}

func (m *metrics) requestFamily() metric.Family {
	f := metric.Family{Name: "satchel_http_requests_total", Kind: metric.Counter,
		Help: "Requests that were answered, by route, method and status; 0 where the connection was cut."}
	byName := func(a, b series) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}
	for _, s := range slices.SortedFunc(maps.Keys(m.requests), byName) {
		f.Add(float64(m.requests[s]), "route", s.route, "method", s.method, "status", strconv.Itoa(s.status))
	}
	return f
}

func (m *metrics) durationFamily() metric.Family {
	f := metric.Family{Name: "satchel_http_request_duration_seconds", Kind: metric.Timing, Help: "How long requests took, streams left out."}
	for _, route := range slices.Sorted(maps.Keys(m.took)) {
		f.AddDurations(m.took[route], "route", route)
	}
	return f
}

func processFamilies() []metric.Family {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return []metric.Family{
		metric.Single("go_goroutines", metric.Gauge, "Goroutines.", float64(runtime.NumGoroutine())),
		metric.Single("go_memstats_heap_alloc_bytes", metric.Gauge, "Bytes of the heap in use.", float64(mem.HeapAlloc)),
		metric.Single("go_memstats_sys_bytes", metric.Gauge, "Bytes obtained from the system.", float64(mem.Sys)),
		metric.Single("go_gc_cycles_total", metric.Counter, "Garbage collections.", float64(mem.NumGC)),
	}
}

// backendFamilies returns the backend's numbers whose names are valid.
func backendFamilies(ctx context.Context, b Backend) (all []metric.Family) {
	c, ok := b.(statsSource)
	if !ok {
		return nil
	}
	name, facts := regexp.MustCompile(`^[a-z][a-z0-9_]{0,60}$`), c.Metrics(ctx)
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if name.MatchString(fact) && len(all) < maxNumbers {
			all = append(all, metric.Single("satchel_"+fact, metric.Gauge, "Counted by the store.", facts[fact]))
		}
	}
	return all
}

// exposition returns families in the text format.
func exposition(all []metric.Family) []byte {
	var p metricText
	for _, f := range all {
		p.family(f)
	}
	return p.Bytes()
}

// metricText is a text of metrics under construction.
type metricText struct{ bytes.Buffer }

func (p *metricText) family(f metric.Family) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, f.Kind)
	for _, s := range f.Samples {
		if s.Durations != nil {
			p.durations(f.Name, s)
		} else {
			p.sample(f.Name, s.Value, s.Labels...)
		}
	}
}

func (p *metricText) durations(name string, s metric.Sample) {
	sofar := uint64(0)
	for i, n := range s.Durations.Counts {
		bound := "+Inf"
		if sofar += n; i < len(s.Durations.Bounds) {
			bound = number(s.Durations.Bounds[i])
		}
		p.sample(name+"_bucket", float64(sofar), append(slices.Clone(s.Labels), "le", bound)...)
	}
	p.sample(name+"_sum", s.Durations.Sum, s.Labels...)
	p.sample(name+"_count", float64(sofar), s.Labels...)
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
