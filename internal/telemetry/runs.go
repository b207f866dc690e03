package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/satchel-memory/satchel/internal/run/trace"
)

// Runs returns what records the spans of runs; nil if the exporter sends no traces.
func (e *Exporter) Runs() trace.Recorder {
	if e == nil || e.tracer == nil {
		return nil
	}
	return runRecorder{e.tracer}
}

// runRecorder sends the spans of runs. Their ids and times are given.
type runRecorder struct{ tracer oteltrace.Tracer }

var _ trace.Recorder = runRecorder{}

// Samples implements [trace.Recorder], by the sampler that the environment names.
func (r runRecorder) Samples(root trace.Context) bool {
	_, span := r.tracer.Start(given(root, trace.Context{}), string(trace.Run)) // never ended, and so never sent
	return span.SpanContext().IsSampled()
}

// Record implements [trace.Recorder].
func (r runRecorder) Record(s trace.Span) {
	kind := oteltrace.SpanKindInternal
	if s.Kind == trace.LLMCall || s.Kind == trace.ToolCall {
		kind = oteltrace.SpanKindClient
	}
	_, span := r.tracer.Start(given(s.Context, s.Parent), string(s.Kind), oteltrace.WithTimestamp(s.Begin), oteltrace.WithSpanKind(kind))
	for _, a := range s.Attributes {
		span.SetAttributes(keyValue(a))
	}
	if s.Failure != "" {
		span.SetAttributes(attribute.String("error.type", s.Failure))
		span.SetStatus(codes.Error, "")
	}
	span.End(oteltrace.WithTimestamp(s.End))
}

func keyValue(a trace.Attribute) attribute.KeyValue {
	switch v := a.Value.(type) {
	case string:
		return attribute.String(a.Name, v)
	case int:
		return attribute.Int(a.Name, v)
	case bool:
		return attribute.Bool(a.Name, v)
	}
	return attribute.KeyValue{} // the library drops it
}

// givenKey is the key of the ids that a span is to have.
type givenKey struct{}

// given returns a context in which a span with these ids begins.
func given(of, parent trace.Context) context.Context {
	ctx := context.WithValue(context.Background(), givenKey{}, of)
	if !parent.Valid() {
		return ctx
	}
	return oteltrace.ContextWithRemoteSpanContext(ctx, oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
		TraceID: oteltrace.TraceID(parent.Trace), SpanID: oteltrace.SpanID(parent.Span), TraceFlags: oteltrace.TraceFlags(0).WithSampled(parent.Sampled), Remote: true,
	}))
}

// ids gives spans their ids: those that they are to have, or else random ones.
type ids struct{}

var _ sdktrace.IDGenerator = ids{}

// NewIDs implements [sdktrace.IDGenerator].
func (ids) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	if c, ok := ctx.Value(givenKey{}).(trace.Context); ok {
		return oteltrace.TraceID(c.Trace), oteltrace.SpanID(c.Span)
	}
	c := trace.NewOrigin(trace.Context{}, func(trace.Context) bool { return false }).Root
	return oteltrace.TraceID(c.Trace), oteltrace.SpanID(c.Span)
}

// NewSpanID implements [sdktrace.IDGenerator].
func (ids) NewSpanID(ctx context.Context, _ oteltrace.TraceID) oteltrace.SpanID {
	if c, ok := ctx.Value(givenKey{}).(trace.Context); ok {
		return oteltrace.SpanID(c.Span)
	}
	return oteltrace.SpanID(trace.NewSpanID())
}

// contextOf returns the context of a span of the library.
func contextOf(c oteltrace.SpanContext) trace.Context {
	return trace.Context{Trace: trace.ID(c.TraceID()), Span: trace.SpanID(c.SpanID()), Sampled: c.IsSampled()}
}
