package audit_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
)

// BenchmarkAppend measures one entry and one signed head at a time.
func BenchmarkAppend(b *testing.B) {
	l := logOf(b, 1)
	f := &fake{}
	entries := acts(l, 1)
	for b.Loop() {
		if err := l.Append(f, entries...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendMany measures an entry among 1000 under one head.
func BenchmarkAppendMany(b *testing.B) {
	l := logOf(b, 1)
	f := &fake{}
	entries := acts(l, 1000)
	for b.Loop() {
		if err := l.Append(f, entries...); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/entry")
}

// BenchmarkVerify measures the check of a log of 100,000 entries.
func BenchmarkVerify(b *testing.B) {
	l := logOf(b, 1)
	f := &fake{}
	if err := l.Append(f, acts(l, 100_000)...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if report, err := audit.Verify(f, l.Owner, nil); err != nil || !report.Sound() {
			b.Fatal(report, err)
		}
	}
}
