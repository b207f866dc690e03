//go:build !linux

package pgtest

import "os"

// newFolder makes the folder of a server.
func newFolder(Options) (string, error) { return os.MkdirTemp("", "satchel-postgres-") }
