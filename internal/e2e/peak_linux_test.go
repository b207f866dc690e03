package e2e

import (
	"os"
	"syscall"
)

// peak returns how much memory a process that has ended had at most, in KiB.
func peak(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss
	}
	return 0
}
