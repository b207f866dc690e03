package host

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec/settings"
	"github.com/satchel-memory/satchel/internal/modelhttp"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/text/internet"
)

// Collector is a host to which definitions may have their traces sent (AAIF-4.7-8).
type Collector struct {
	Host    string
	Regions []string // where it keeps data; none: unknown
}

// ReadCollectors reads the table of collectors, whose form is in docs/agents.md. Failures are
// [*codec.ParseError] with the place.
func ReadCollectors(v canon.Value) ([]Collector, error) {
	t := &settings.Table{Name: "table of collectors", Rule: "AAIF-4.7-8"}
	t.Only(v, "", "collectors")
	var all []Collector
	for at, item := range t.List(v, "collectors") {
		t.Only(item, at, "hosts", "regions")
		hosts, regions := t.Hosts(item, at, "hosts"), t.Names(item, at, "regions")
		if len(hosts) == 0 {
			t.Fail(at+"/hosts", "is missing: the hosts that traces may be sent to")
		}
		for _, host := range hosts {
			all = append(all, Collector{host, regions})
		}
	}
	t.Unique("/collectors", len(all), func(i int) string { return all[i].Host })
	return all, t.Err
}

// tracesPath is where a collector takes traces, below its address.
const tracesPath = "/v1/traces"

// collector returns the address at which the collector of a definition takes traces, of its
// agent and of the others. Its error says why traces are not sent there.
func (s Settings) collector(d aaif.Definition, others ...aaif.Definition) (string, error) {
	u, err := url.Parse(d.Agent.Telemetry.Endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("it is no address of the form https://HOST")
	}
	host := internet.PlainHost(u.Hostname())
	i := slices.IndexFunc(s.Collectors, func(c Collector) bool { return c.Host == host })
	if i < 0 {
		return "", fmt.Errorf("the operator lists no collector %s", aaif.Shown(host))
	}
	at := route.Provider{Name: host, Regions: s.Collectors[i].Regions}
	for _, one := range append(others, d) {
		if why := s.Models.Resident(at, string(one.Agent.Compliance.Residency)); why != "" {
			return "", fmt.Errorf("%s: %s", aaif.Shown(host), why)
		}
	}
	u.Fragment = ""
	if !strings.HasSuffix(u.Path, tracesPath) {
		u = u.JoinPath(tracesPath)
	}
	return u.String(), nil
}

// collecting reports to which collector the traces of an agent do not go (AAIF-4.7-8).
func (s Settings) collecting(d aaif.Definition) []policy.Notice {
	if d.Agent.Telemetry.Endpoint == "" || !d.Agent.Telemetry.Traces() {
		return nil
	}
	if _, err := s.collector(d); err != nil {
		return []policy.Notice{{Event: "telemetry.endpoint", Pointer: "/agent/telemetry/otlp_endpoint", Text: "traces are not sent there: " + err.Error()}}
	}
	return nil
}

// recorder returns what records the spans of a run: the collector of its own agent's definition,
// if the operator allows it, else that of this server; nil: nothing does. others are the agents
// that the spans are of.
func (h *Host) recorder(own aaif.Definition, others []aaif.Definition, s Settings) trace.Recorder {
	if own.Agent.Telemetry.Endpoint != "" {
		if address, err := s.collector(own, others...); err == nil {
			return h.exporters.to(address, h.opt)
		}
	}
	return h.opt.Spans
}

// exporters are the connections to collectors of definitions. The zero exporters is ready for
// use, and safe for concurrent use.
type exporters struct {
	mu      sync.Mutex
	open    []namedExporter // the one that was used last is at the end
	ended   bool            // none is opened any more
	closing sync.WaitGroup
}

type namedExporter struct {
	address string
	*telemetry.Exporter
}

const (
	mostExporters = 16
	flushTime     = 5 * time.Second
)

// to returns what records spans at an address. Beyond 16 addresses, the exporter that was not
// used for the longest time sends what it has, and ends.
func (x *exporters) to(address string, o Options) trace.Recorder {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return nil
	}
	if i := slices.IndexFunc(x.open, func(e namedExporter) bool { return e.address == address }); i >= 0 {
		used := x.open[i]
		x.open = append(slices.Delete(x.open, i, i+1), used)
		return used.Runs()
	}
	if len(x.open) == mostExporters {
		oldest := x.open[0]
		x.open = slices.Delete(x.open, 0, 1)
		x.closing.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), flushTime)
			defer cancel()
			oldest.Close(ctx)
		})
	}
	// A listed name never leads to a link-local address, where clouds serve credentials.
	dial := modelhttp.Guarded(func(to netip.Addr) bool { return !to.Unmap().IsLinkLocalUnicast() }).DialContext
	e, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: address, Dial: dial}, Release: o.Release, Server: o.Holder, Log: o.Log})
	if err != nil {
		o.Log.Warn("traces of an agent are not sent", "err", err)
		return nil
	}
	x.open = append(x.open, namedExporter{address, e})
	return e.Runs()
}

// Close sends the spans that are left to the collectors of definitions, at most until ctx ends.
// Runs that end afterwards report to no such collector.
func (h *Host) Close(ctx context.Context) {
	h.exporters.mu.Lock()
	open := h.exporters.open
	h.exporters.open, h.exporters.ended = nil, true
	h.exporters.mu.Unlock()
	for _, e := range open {
		h.exporters.closing.Go(func() { e.Close(ctx) })
	}
	h.exporters.closing.Wait()
}
