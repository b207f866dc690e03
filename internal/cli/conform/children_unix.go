//go:build unix

package conform

import (
	"os/exec"
	"syscall"
)

// withChildren starts a program in a process group of its own. The whole group is killed
// after the program's time, or by the returned function.
func withChildren(program *exec.Cmd) (end func()) {
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGKILL) }
	return func() { _ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL) } // mostly nobody is left
}
