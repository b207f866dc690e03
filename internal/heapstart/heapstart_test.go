package heapstart

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestEnd: the usual percentage holds after the first collection, and at once for a user who
// says when to collect.
func TestEnd(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as at the start
	End(false)
	if got := percent(); got != 400 {
		t.Fatalf("at first the collector starts at %d percent", got)
	}
	runtime.GC()
	for end := time.Now().Add(10 * time.Second); percent() != usual; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a collection the collector starts at %d percent", percent())
		}
	}
	debug.SetGCPercent(400)
	if End(true); percent() != usual {
		t.Errorf("the collector starts at %d percent", percent())
	}
}

// percent returns the percentage at which the collector starts.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}
