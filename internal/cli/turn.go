package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// InTurn calls change, which reads a file of the home folder and writes it anew, while no
// other program does that: programs that change one file at once take turns, and none loses what
// another one wrote. change must not call InTurn with the same path.
func InTurn(path string, change func() error) (err error) {
	dir, name := filepath.Split(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "."+name+lockEnding), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which frees it
	if err := filelock.Wait(lock); err != nil {
		return err
	}
	return change()
}

const lockEnding = ".lock"

// IsLock reports whether a file of the home folder is a lock of [InTurn]. Such a file is empty,
// and stays.
func IsLock(name string) bool {
	return strings.HasPrefix(filepath.Base(name), ".") && strings.HasSuffix(name, lockEnding)
}
