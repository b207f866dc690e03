package measure

import "testing"

// BenchmarkCall measures what measuring adds to each transaction and statement.
func BenchmarkCall(b *testing.B) {
	m, ctx := NewMeter(nil), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_, call := m.Statement(ctx, "read")
		call.End(nil)
	}
}
