//go:build !linux

package cli

import "io"

// TakesAtOnce reports whether a write of n bytes to w cannot hang. Only Linux says so of a pipe:
// see pipe_linux.go.
func TakesAtOnce(io.Writer, int) bool { return false }
