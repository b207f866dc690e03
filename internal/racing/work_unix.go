//go:build unix

package racing

import (
	"syscall"
	"testing"
	"time"
)

// Work returns how long the processors have worked for this process so far, however busy the
// machine is. The race detector makes that several times as long.
func Work(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
