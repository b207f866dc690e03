//go:build unix

package redact_test

import (
	"syscall"
	"testing"
	"time"
)

// processor returns how long this process has been at work, however busy the machine is.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
