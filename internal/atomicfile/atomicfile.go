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
// [Target]. A device or a pipe has no place to be put into: what fill writes goes
// to it as it comes.
func Replace(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	return ReplaceBy(path, mode, nil, fill)
}

// Passage runs a write, or fails and does not.
type Passage func(write func() error) error

// ReplaceBy is [Replace] for what may not always be written: each write to the disk
// passes pass, and so does the moment at which the file gets its name. nil: it may always.
func ReplaceBy(path string, mode fs.FileMode, pass Passage, fill func(io.Writer) error) error {
	if pass == nil {
		pass = func(write func() error) error { return write() }
	}
	if IsStream(path) {
		return into(path, pass, fill)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".satchel-*") // 0600
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // the name that it had for a moment says nothing to anybody
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails once it has its name
	if err := errors.Join(write(temp, mode, pass, fill), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := pass(func() error { return os.Rename(temp.Name(), path) }); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return SyncFolder(filepath.Dir(path))
}

// IsStream reports whether there is something at path that is neither a file nor a
// folder nor a link: a device, a pipe.
func IsStream(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeIrregular) != 0
}

// into writes to a device or a pipe.
func into(path string, pass Passage, fill func(io.Writer) error) error {
	stream, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	buffer := bufio.NewWriterSize(passing{stream, pass}, 64<<10)
	if err = fill(buffer); err == nil {
		err = buffer.Flush()
	}
	if err = errors.Join(err, stream.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// passing writes a file by way of a passage.
type passing struct {
	file *os.File
	pass Passage
}

func (p passing) Write(b []byte) (n int, err error) {
	err = p.pass(func() (err error) {
		n, err = p.file.Write(b)
		return err
	})
	return n, err
}

func write(temp *os.File, mode fs.FileMode, pass Passage, fill func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(passing{temp, pass}, 64<<10)
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
