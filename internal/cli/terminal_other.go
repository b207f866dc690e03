//go:build !windows

package cli

// terminalName opens the terminal of a process wherever its streams go.
const terminalName = "/dev/tty"

// paints reports whether a terminal understands the sequences of a [Style]: here every one
// does that has not said otherwise.
func paints(any) bool { return true }
