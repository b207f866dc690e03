//go:build !unix

package pgtest

import "os/exec"

// become does nothing: here a server runs as whoever starts it.
func become(*exec.Cmd) {}

// own does nothing, see become.
func own(string) error { return nil }

// signal kills the server: there is no gentler way without its own tools.
func (p *process) signal(Mode) error { return p.cmd.Process.Kill() }
