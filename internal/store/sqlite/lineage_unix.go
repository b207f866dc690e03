//go:build unix && !linux

package sqlite

import (
	"os"
	"syscall"
)

// fileIdentity tells the file at path from a copy of it, see identityOf. A store in memory
// has no file.
func fileIdentity(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return identityOf(uint64(stat.Ino), uint64(stat.Dev), 0), nil
	}
	return "", nil
}
