//go:build unix

package tool

import (
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own, so that the command and all that it
// starts can be killed together.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill kills a command that was started, and what it left running. The group outlives its
// first process while others are in it.
func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that nothing is left
	}
}

// root returns the folder in which commands run that have none.
func root(string) string { return "/" }
