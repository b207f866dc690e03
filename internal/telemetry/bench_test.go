package telemetry_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
)

// BenchmarkRequest measures what a request with one transaction and three statements costs
// without a collector, and with one.
func BenchmarkRequest(b *testing.B) {
	request := func(b *testing.B, e *telemetry.Exporter) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, end := e.Request(b.Context(), nil, "POST", "/ump/recall")
			inner, done := e.Work(ctx, "transaction", "view")
			for _, kind := range []string{"begin", "read", "read"} {
				_, did := e.Work(inner, "statement", kind)
				did("")
			}
			done("")
			end(200)
		}
	}
	b.Run("none", func(b *testing.B) { request(b, nil) })
	b.Run("collector", func(b *testing.B) {
		c := otlptest.Start(b, nil)
		e, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
		if err != nil {
			b.Fatal(err)
		}
		request(b, e)
		e.Close(b.Context())
	})
}
