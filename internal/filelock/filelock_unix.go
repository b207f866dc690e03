//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the exclusive lock. It returns false if another holder has the lock.
func Try(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Share waits for the shared lock.
func Share(f *os.File) error { return flock(f, unix.LOCK_SH) }

// Wait waits for the exclusive lock.
func Wait(f *os.File) error { return flock(f, unix.LOCK_EX) }

// Unlock releases the lock. Closing the file releases it, too.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock keeps the descriptor open during the call, even if another goroutine closes f.
func flock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = raw.Control(func(fd uintptr) {
		for result = unix.Flock(int(fd), how); errors.Is(result, unix.EINTR); {
			result = unix.Flock(int(fd), how)
		}
	})
	return errors.Join(err, result)
}

// Alive reports whether a process of this machine exists, ours or not.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
