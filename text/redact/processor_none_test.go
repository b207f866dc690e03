//go:build !unix

package redact_test

import (
	"testing"
	"time"
)

var started = time.Now()

// processor returns how long this process has run: this system does not say how long it was at
// work.
func processor(*testing.T) time.Duration { return time.Since(started) }
