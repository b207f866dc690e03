//go:build unix

package startup

import (
	"os/exec"
	"syscall"
)

// spawn starts a program in a session of its own, which outlives this process.
func spawn(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // nobody asks how it ended
	return nil
}
