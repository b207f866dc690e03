package metric

import (
	"slices"
	"sync"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	h := NewHistogram([]time.Duration{time.Millisecond, time.Second})
	var f Family
	var all sync.WaitGroup
	for _, d := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, time.Second, time.Second + 1, time.Hour} {
		all.Go(func() { h.Observe(d) })
	}
	all.Wait()
	f.AddDurations(h, "kind", "read")
	got := f.Samples[0].Durations
	if !slices.Equal(got.Bounds, []float64{.001, 1}) || !slices.Equal(got.Counts, []uint64{2, 2, 2}) {
		t.Errorf("%+v; a duration counts up to its own bound", got)
	}
	if got.Sum < 3602.002 || got.Sum > 3602.003 {
		t.Errorf("the sum is %v s", got.Sum)
	}
}
