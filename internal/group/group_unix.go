//go:build unix

package group

import (
	"os/exec"
	"syscall"
)

// Group is a program that was started, and what it has started.
type Group struct{ leader int }

// Start starts a command as a group of its own.
func Start(cmd *exec.Cmd) (*Group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{cmd.Process.Pid}, nil
}

// Kill ends the group. Call it after the program's end, too: the group outlives its first
// process while others are in it. Further calls do nothing.
func (g *Group) Kill() {
	_ = syscall.Kill(-g.leader, syscall.SIGKILL) // an error means that nothing is left
}
