package aicf

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// numbered puts a number in front of each line.
func numbered(text string) []byte {
	var b []byte
	line := 0
	for data := range strings.Lines(text) {
		line++
		b = strconv.AppendInt(b, int64(line), 10)
		b = append(b, '|')
		b = append(b, data...)
	}
	return b
}

// sample returns a file of at least size bytes in which each kind of section comes again
// and again.
func sample(size int) []byte {
	var b strings.Builder
	b.WriteString("@AICF_VERSION\nversion=3.1\n\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, sampleRound, i, i, i, i)
	}
	return numbered(b.String())
}

const sampleRound = `@CONVERSATION:conv_%06d
timestamp_start=2025-10-06T14:00:00Z
timestamp_end=2025-10-06T15:30:00Z
messages=47
tokens=3200
topic=how the nightly job of the billing service came to run twice
participants=mara,assistant

@STATE
status=completed
actions=looked at the logs, found the second timer, removed it
flow=question|logs|cause|repair|check

@INSIGHTS
@INSIGHTS the scheduler of node %d starts jobs anew after a change of the clock|ARCHITECTURE|HIGH|HIGH|memory_type=semantic
@INSIGHTS a job must hold a lease before it writes|IMPLEMENTATION|CRITICAL|MEDIUM

@DECISIONS
@DECISIONS keep one timer per job|MEDIUM|HIGH|two timers were the cause of run %d

@LINKS
@LINKS insight_001->decision_001|related_to

@CONSOLIDATION:group_%06d
source_items=insight_001|insight_002
consolidated_at=2025-10-07T00:00:00Z
method=semantic_clustering
key_facts=leases before writes|one timer per job

`

// scanLines is what a parser is measured against: it finds the end of each line.
func scanLines(data []byte) (lines int) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			return lines + 1
		}
		data = data[end+1:]
		lines++
	}
	return lines
}

// BenchmarkParse measures parsing against a scan for line ends of the same bytes, taking
// turns, and reports by the fastest turn of each how fast it is in comparison
// ("of-line-scan", more is better), beside the nanoseconds for a line and a byte.
func BenchmarkParse(b *testing.B) {
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20, 10 << 20, 100 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { benchmarkParse(b, sample(size)) })
	}
}

func benchmarkParse(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	parse, scan := time.Hour, time.Hour
	lines := 0
	for b.Loop() {
		start := time.Now()
		f, err := Parse(data, Options{})
		parse = min(parse, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		start = time.Now()
		lines = scanLines(data)
		scan = min(scan, time.Since(start))
		if lines != f.Lines() {
			b.Fatal("the scan found", lines, "lines, and Parse", f.Lines())
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(scan)/float64(parse), "of-line-scan")
	b.ReportMetric(float64(parse)/float64(lines), "ns/line")
	b.ReportMetric(float64(parse)/float64(len(data)), "ns/byte")
}

// BenchmarkFind looks sections up in files of several sizes. The index is made before.
func BenchmarkFind(b *testing.B) {
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			f, err := Parse(sample(size), Options{})
			if err != nil {
				b.Fatal(err)
			}
			f.Find("", "")
			b.ReportAllocs()
			for b.Loop() {
				if s, ok := f.Find("CONVERSATION", "conv_000005"); !ok || s.Line() == 0 {
					b.Fatal("not found")
				}
			}
		})
	}
}

// TestParseAllocates holds parsing to very few allocations, however many lines there are.
func TestParseAllocates(t *testing.T) {
	t.Run("AICF-READ-5", func(t *testing.T) {
		data := sample(1 << 20)
		if n := testing.AllocsPerRun(3, func() {
			if f, err := Parse(data, Options{}); err != nil || len(f.findings) > 0 {
				t.Fatal(err, f)
			}
		}); n > 12 {
			t.Errorf("%v allocations for %d lines", n, scanLines(data))
		}
	})
}
