package metric

import (
	"slices"
	"sync/atomic"
	"time"
)

// Histogram counts durations up to each of its bounds. It is safe for concurrent use.
type Histogram struct {
	bounds []time.Duration // ascending
	counts []atomic.Uint64 // one more than bounds; not cumulative
	sum    atomic.Int64    // nanoseconds
}

// Durations are the values of a histogram at one moment.
type Durations struct {
	Bounds []float64 // upper bounds in seconds, ascending
	Counts []uint64  // one more than Bounds: the last is of what is longer; not cumulative
	Sum    float64   // seconds
}

// NewHistogram returns an empty histogram with these upper bounds, which ascend.
func NewHistogram(bounds []time.Duration) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Observe counts a duration.
func (h *Histogram) Observe(d time.Duration) {
	at, _ := slices.BinarySearch(h.bounds, d)
	h.counts[at].Add(1)
	h.sum.Add(int64(d))
}

// read returns the values of now. A duration that is observed meanwhile may be in the
// counts and not in the sum.
func (h *Histogram) read() *Durations {
	d := &Durations{Sum: time.Duration(h.sum.Load()).Seconds()}
	for _, bound := range h.bounds {
		d.Bounds = append(d.Bounds, bound.Seconds())
	}
	for i := range h.counts {
		d.Counts = append(d.Counts, h.counts[i].Load())
	}
	return d
}
