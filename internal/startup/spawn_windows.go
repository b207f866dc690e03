package startup

import (
	"os/exec"
	"syscall"
)

const (
	createNewProcessGroup = 0x200     // it gets no signals of this console
	createNoWindow        = 0x8000000 // its console has no window
)

// spawn starts a program without a window. The program outlives this process.
func spawn(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNewProcessGroup | createNoWindow}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
