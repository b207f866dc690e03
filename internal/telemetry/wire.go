package telemetry

import (
	"strings"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/satchel-memory/satchel/internal/metric"
)

// resourceMetrics returns families in the form of OTLP. Counters and timings count from
// began on.
func resourceMetrics(about *resource.Resource, families []metric.Family, began, now time.Time) *metricpb.ResourceMetrics {
	list := make([]*metricpb.Metric, 0, len(families))
	for _, f := range families {
		if len(f.Samples) > 0 {
			list = append(list, wireFamily(f, uint64(began.UnixNano()), uint64(now.UnixNano())))
		}
	}
	return &metricpb.ResourceMetrics{
		Resource:     wireResource(about),
		ScopeMetrics: []*metricpb.ScopeMetrics{{Scope: &commonpb.InstrumentationScope{Name: scope}, Metrics: list}},
	}
}

func wireResource(about *resource.Resource) *resourcepb.Resource {
	r := &resourcepb.Resource{}
	for at := about.Iter(); at.Next(); {
		r.Attributes = append(r.Attributes, text(string(at.Attribute().Key), at.Attribute().Value.String()))
	}
	return r
}

// text returns an attribute. Bytes that are no text would have the whole export refused.
func text(key, value string) *commonpb.KeyValue {
	value = strings.ToValidUTF8(value, "\ufffd")
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func labels(pairs []string) (out []*commonpb.KeyValue) {
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, text(pairs[i], pairs[i+1]))
	}
	return out
}

// unit returns the unit that a family's name ends with, as UCUM writes it.
func unit(name string) string {
	switch name = strings.TrimSuffix(name, "_total"); {
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	case strings.HasSuffix(name, "_ms"):
		return "ms"
	case strings.HasSuffix(name, "_bytes"):
		return "By"
	}
	return "1"
}

func wireFamily(f metric.Family, began, now uint64) *metricpb.Metric {
	m := &metricpb.Metric{Name: f.Name, Description: f.Help, Unit: unit(f.Name)}
	const sinceStart = metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch f.Kind {
	case metric.Counter:
		m.Data = &metricpb.Metric_Sum{Sum: &metricpb.Sum{DataPoints: wireNumbers(f, began, now), AggregationTemporality: sinceStart, IsMonotonic: true}}
	case metric.Timing:
		h := &metricpb.Histogram{AggregationTemporality: sinceStart}
		for _, s := range f.Samples {
			h.DataPoints = append(h.DataPoints, wireDurations(s, began, now))
		}
		m.Data = &metricpb.Metric_Histogram{Histogram: h}
	default:
		m.Data = &metricpb.Metric_Gauge{Gauge: &metricpb.Gauge{DataPoints: wireNumbers(f, 0, now)}}
	}
	return m
}

func wireNumbers(f metric.Family, began, now uint64) (points []*metricpb.NumberDataPoint) {
	for _, s := range f.Samples {
		points = append(points, &metricpb.NumberDataPoint{Attributes: labels(s.Labels), StartTimeUnixNano: began, TimeUnixNano: now,
			Value: &metricpb.NumberDataPoint_AsDouble{AsDouble: s.Value}})
	}
	return points
}

func wireDurations(s metric.Sample, began, now uint64) *metricpb.HistogramDataPoint {
	p := &metricpb.HistogramDataPoint{Attributes: labels(s.Labels), StartTimeUnixNano: began, TimeUnixNano: now,
		ExplicitBounds: s.Durations.Bounds, BucketCounts: s.Durations.Counts, Sum: &s.Durations.Sum}
	for _, n := range s.Durations.Counts {
		p.Count += n
	}
	return p
}
