package pgtest

import (
	"os/exec"
	"syscall"
)

// attachToParent lets the server go down when this process dies in whatever way.
func attachToParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
}
