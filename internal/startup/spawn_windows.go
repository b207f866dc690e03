package startup

import (
	"os/exec"
	"syscall"
)

const (
	createNewProcessGroup = 0x200     // signals of this console are not for it
	createNoWindow        = 0x8000000 // it has a console that nobody sees
)

// spawn starts a program without a window, which outlives this process.
func spawn(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNewProcessGroup | createNoWindow}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
