//go:build !unix

package sqlite

import (
	"os"
	"syscall"
)

// fileIdentity tells the file at path from a copy of it by when it was made, see
// identityOf. A store in memory has no file.
func fileIdentity(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return identityOf(0, 0, data.CreationTime.Nanoseconds()), nil
	}
	return "", nil
}
