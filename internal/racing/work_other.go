//go:build !unix

package racing

import (
	"testing"
	"time"
)

var started = time.Now()

// Work returns how long this process has run: the system does not say how long it worked.
func Work(testing.TB) time.Duration { return time.Since(started) }
