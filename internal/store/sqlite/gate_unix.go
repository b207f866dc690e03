//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func tryLock(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func shareLock(f *os.File) error { return flock(f, unix.LOCK_SH) }

func waitLock(f *os.File) error { return flock(f, unix.LOCK_EX) }

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

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
