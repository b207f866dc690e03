package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the exclusive lock. It returns false if another holder has the lock.
func Try(f *os.File) (bool, error) {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Share waits for the shared lock.
func Share(f *os.File) error { return lockFile(f, 0) }

// Wait waits for the exclusive lock.
func Wait(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Unlock releases the lock. Closing the file releases it, too.
func Unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, farOff())
}

func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, farOff())
}

// farOff is the one byte that is locked. Other processes cannot read or write that byte, so
// it lies beyond the end of any file.
func farOff() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// Alive reports whether a process of this machine exists, ours or not.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER) // the answer if there is none
	}
	defer windows.CloseHandle(process)
	state, err := windows.WaitForSingleObject(process, 0)
	return err != nil || state == uint32(windows.WAIT_TIMEOUT)
}
