//go:build linux || darwin

package operate

import (
	"syscall"
)

// freeSpace returns how many bytes an ordinary user may still write where dir
// lies.
func freeSpace(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:unconvert // the type differs between systems
}
