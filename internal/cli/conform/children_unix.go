//go:build unix

package conform

import (
	"os/exec"
	"syscall"
)

// withChildren has a program start in a group of its own, all of which is killed when its
// time is over, and by what is returned once it was started.
func withChildren(program *exec.Cmd) (end func()) {
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGKILL) }
	return func() { _ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL) } // mostly nobody is left
}
