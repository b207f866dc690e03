//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the lock for itself alone, unless another has it: then it returns false.
func Try(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Share waits for the lock, and lets others share it.
func Share(f *os.File) error { return flock(f, unix.LOCK_SH) }

// Wait waits for the lock, and takes it for itself alone.
func Wait(f *os.File) error { return flock(f, unix.LOCK_EX) }

// Unlock gives the lock back. To close the file gives it back too.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock holds the descriptor open for as long as the call takes, even if f is
// closed meanwhile.
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

// Alive reports whether a process of this machine is there, ours or not.
func Alive(pid int) bool {
	return pid > 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
