// Package racing says whether the race detector watches the tests, and leaves out those
// that it would only slow down. It also measures the work of a test.
package racing

import (
	"os"
	"sync"
	"testing"
)

// marked are the names of tests that said Skip and go on, since there is no detector.
var marked sync.Map

// Skip skips a test under the race detector. It is for tests that do much in one
// goroutine, or that wait for the clock: the detector finds nothing in them and makes them
// ten times as slow. They run without it.
func Skip(t testing.TB) {
	t.Helper()
	if Detector {
		t.Skip("skipped under the race detector, which finds nothing here; it runs without it")
	}
	marked.Store(t.Name(), true)
}

// Ran skips a part of a test if SATCHEL_UNRACED is "rest" and there is no detector: make
// test runs the same part under the detector as well. A part of a test that says [Skip] does
// not, so it goes on.
func Ran(t testing.TB) {
	t.Helper()
	if Detector || os.Getenv("SATCHEL_UNRACED") != "rest" {
		return
	}
	for i, r := range t.Name() + "/" {
		if _, unraced := marked.Load(t.Name()[:i]); r == '/' && unraced {
			return
		}
	}
	t.Skip("skipped, since it runs under the race detector")
}
