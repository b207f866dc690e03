//go:build !linux

package pgtest

import "os/exec"

// attachToParent does nothing: only Linux can tell a process of its parent's end.
// Main stops the server where there is time for that.
func attachToParent(*exec.Cmd) {}
