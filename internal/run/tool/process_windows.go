package tool

import (
	"os/exec"
	"path/filepath"
	"syscall"
)

// createNewProcessGroup keeps console signals for the server away from a command.
const createNewProcessGroup = 0x200

// apart gives a command a process group of its own.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNewProcessGroup}
}

// kill kills a command that was started. Windows has no way to kill what the command
// started without a job object; such programs end when their pipes close.
func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // an error means that it has ended
	}
}

// root returns the folder in which commands run that have none.
func root(command string) string { return filepath.VolumeName(command) + `\` }
