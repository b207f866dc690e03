package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	runtrace "github.com/satchel-memory/satchel/internal/run/trace"
)

// Request begins the span of a request, which carries on the trace that its header names.
// The context that it returns is within the span ([runtrace.From]); without a collector, within
// the one that the header names.
// method and route are those that metrics use. end is called once with the status of the
// answer; 0: the connection was cut before.
func (e *Exporter) Request(ctx context.Context, header http.Header, method, route string) (_ context.Context, end func(status int)) {
	if e == nil || e.tracer == nil {
		if said := header["Traceparent"]; len(said) == 1 { // a run that the request starts carries the trace on
			ctx = runtrace.With(ctx, runtrace.Parse(said[0]))
		}
		return ctx, func(int) {}
	}
	ctx, span := e.tracer.Start(join(ctx, header), method+" "+route, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route)))
	ctx = runtrace.With(ctx, contextOf(span.SpanContext()))
	return ctx, func(status int) {
		if status > 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
		}
		if status == 0 || status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// join puts a client's trace into ctx: its numbers and whether it is sampled. The rest of a
// trace's context is text that the client chose.
func join(ctx context.Context, header http.Header) context.Context {
	from := propagation.HeaderCarrier(http.Header{"Traceparent": header["Traceparent"]})
	return propagation.TraceContext{}.Extract(ctx, from)
}

// Work begins a span within that of a request, and none outside of requests: what the
// program does by itself is no part of a trace. what and kind are constants of the caller.
// end is called once, with the name of the failure, or "".
func (e *Exporter) Work(ctx context.Context, what, kind string) (_ context.Context, end func(failure string)) {
	if e == nil || e.tracer == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(string) {}
	}
	ctx, span := e.tracer.Start(ctx, what+" "+kind, trace.WithAttributes(attribute.String("satchel."+what, kind)))
	return ctx, func(failure string) {
		if failure != "" {
			span.SetAttributes(attribute.String("error.type", failure))
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// TraceID returns the number of the trace that ctx belongs to, "" outside of traces.
func TraceID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		return span.TraceID().String()
	}
	return ""
}

// traceClient sends spans as OTLP over HTTP.
type traceClient struct{ *poster }

var _ otlptrace.Client = traceClient{}

// Start does nothing: the connection is made when it is needed.
func (traceClient) Start(context.Context) error { return nil }

// Stop does nothing: the exporter ends what is under way.
func (traceClient) Stop(context.Context) error { return nil }

// UploadTraces sends spans. TracesData has the same bytes as the request of OTLP, whose own
// type would bring gRPC into the program.
func (c traceClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	return c.post(ctx, &tracepb.TracesData{ResourceSpans: spans})
}

// quiet is an exporter whose failures are in the log already, so that the library does not
// print each of them.
type quiet struct{ sdktrace.SpanExporter }

// ExportSpans implements [sdktrace.SpanExporter].
func (q quiet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	_ = q.SpanExporter.ExportSpans(ctx, spans)
	return nil
}
