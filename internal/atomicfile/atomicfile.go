// Package atomicfile puts files in place wholly and on disk, or not at all: a
// reader sees the old content or the new, and so does whoever comes back after
// a loss of power.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write puts data in the place of a file, as [Replace] does.
func Write(path string, mode fs.FileMode, data []byte) error {
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Target returns the file that a link leads to, and path itself where it is no
// link: for a file that its owner chose and may have put elsewhere.
func Target(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// Replace puts what fill writes in the place of a file, or of none. When it
// fails, what was there before stays and nothing else is left. A link is
// replaced and not followed: it may have been put there to lead astray. See
// [Target].
func Replace(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".satchel-*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails once it has its name
	if err := errors.Join(write(temp, mode, fill), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return SyncFolder(filepath.Dir(path))
}

func write(temp *os.File, mode fs.FileMode, fill func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(temp, 64<<10)
	if err := fill(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // it has no such modes
		if err := temp.Chmod(mode); err != nil {
			return err
		}
	}
	return temp.Sync()
}

// SyncFolder makes a new name in a folder survive the loss of power.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it keeps names by itself, and refuses
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
