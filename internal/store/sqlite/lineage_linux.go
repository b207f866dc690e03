package sqlite

import (
	"errors"

	"golang.org/x/sys/unix"
)

// fileIdentity tells the file at path from a copy of it, see identityOf. A store in memory
// has no file.
func fileIdentity(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	var found unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &found)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a container that forbids it
		var stat unix.Stat_t
		err = unix.Stat(path, &stat)
		return identityOf(stat.Ino, stat.Dev, 0), err
	}
	var made int64
	if found.Mask&unix.STATX_BTIME != 0 {
		made = found.Btime.Sec*1e9 + int64(found.Btime.Nsec)
	}
	return identityOf(found.Ino, unix.Mkdev(found.Dev_major, found.Dev_minor), made), err
}
