package telemetry

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options says where traces and metrics go. The zero Options sends nothing.
type Options struct {
	Traces  Target
	Metrics Target
	Every   time.Duration // between two exports of metrics; 0: a minute
	Release string        // of the program
	Server  string        // a random name that tells the servers apart
	Log     *slog.Logger  // says when the collector is away; nil: nobody hears it
}

// Target is one address of a collector. The zero Target is none.
type Target struct {
	URL     string            // with its path; http or https
	Headers map[string]string // may hold a key: they are not logged
	Timeout time.Duration     // for one export with its repetitions; 0: 10 s
	Gzip    bool
	TLS     *tls.Config // nil: as usual
	// Dial connects to the collector; nil: as usual.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// scope names the instrumentation in what is exported.
const scope = "github.com/satchel-memory/satchel"

// Exporter sends traces and metrics until it is closed. A nil Exporter sends nothing. It is
// safe for concurrent use.
type Exporter struct {
	tracer   trace.Tracer             // nil: no traces
	provider *sdktrace.TracerProvider // of the tracer
	metrics  *metricLoop              // nil: no metrics
	cut      context.CancelFunc       // ends every export under way
	closing  sync.Once
}

// Start begins to export. It returns nil if the options name no target. It connects to
// nobody yet.
//
// The variables OTEL_TRACES_SAMPLER, OTEL_BSP_…, OTEL_RESOURCE_ATTRIBUTES and
// OTEL_SERVICE_NAME are read by the libraries of OpenTelemetry.
func Start(o Options) (*Exporter, error) {
	if o.Traces.URL == "" && o.Metrics.URL == "" {
		return nil, nil
	}
	o.Log, o.Every = cmp.Or(o.Log, slog.New(slog.DiscardHandler)), cmp.Or(o.Every, time.Minute)
	about, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "satchel"),
		attribute.String("service.version", o.Release), attribute.String("service.instance.id", o.Server)), resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	life, cut := context.WithCancel(context.Background())
	e := &Exporter{cut: cut}
	if err := errors.Join(e.startTraces(life, o, about), e.startMetrics(life, o, about)); err != nil {
		cut()
		return nil, err
	}
	return e, nil
}

func (e *Exporter) startTraces(life context.Context, o Options, about *resource.Resource) error {
	if o.Traces.URL == "" {
		return nil
	}
	p, err := newPoster(life, o.Traces, o.Release, &report{log: o.Log, what: "traces"})
	if err != nil {
		return err
	}
	e.provider = sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithBatcher(quiet{otlptrace.NewUnstarted(traceClient{p})}))
	e.tracer = e.provider.Tracer(scope)
	return nil
}

func (e *Exporter) startMetrics(life context.Context, o Options, about *resource.Resource) error {
	if o.Metrics.URL == "" {
		return nil
	}
	p, err := newPoster(life, o.Metrics, o.Release, &report{log: o.Log, what: "metrics"})
	if err != nil {
		return err
	}
	e.metrics = newMetricLoop(life, p, o.Every, about)
	return nil
}

// Close exports what is left, at most until ctx ends, and stops. Nothing of the exporter runs
// afterwards. Further calls do nothing.
func (e *Exporter) Close(ctx context.Context) {
	if e != nil {
		e.closing.Do(func() { e.end(ctx) })
	}
}

func (e *Exporter) end(ctx context.Context) {
	var both sync.WaitGroup
	if e.metrics != nil {
		both.Go(func() { e.metrics.end(ctx) })
	}
	if e.provider != nil {
		both.Go(func() { _ = e.provider.Shutdown(ctx) }) // what could not be sent is in the log
	}
	both.Wait()
	e.cut()
}

// checkURL refuses addresses that nothing can be sent to. Its error does not quote the
// address, which may hold a password.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("telemetry: the address of the collector is no URL of the form http://HOST:PORT or https://HOST")
	}
	return nil
}
