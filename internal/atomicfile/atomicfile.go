// Package atomicfile writes a file completely and durably, or not at all. A reader sees the
// old content or the new one, also after a loss of power.
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

// Write writes data to a file, as [ReplaceBy] does without a passage.
func Write(path string, mode fs.FileMode, data []byte) error {
	return replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Create writes data to a file that does not exist yet. It fails with fs.ErrExist if there is
// one, also if another program makes it meanwhile, and leaves that one as it is.
func Create(path string, mode fs.FileMode, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".satchel-*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // its second name stays
	fill := func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
	if err := errors.Join(write(temp, mode, func(write func() error) error { return write() }, fill), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = os.Link(temp.Name(), path) // unlike a renaming, it replaces nothing
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = createPlainly(path, mode, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return SyncFolder(filepath.Dir(path))
}

// createPlainly is Create for a file system without links: a reader may see half a file.
func createPlainly(path string, mode fs.FileMode, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Target returns the file that a link leads to, and path itself if it is no link. Use it
// for a file that its owner chose and may have moved elsewhere.
func Target(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// replace is [ReplaceBy] without a passage.
func replace(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	return ReplaceBy(path, mode, nil, fill)
}

// Passage runs a write, or fails without running it.
type Passage func(write func() error) error

// ReplaceBy writes a file, new or existing, with the bytes that fill writes. If it fails,
// the old content stays and nothing else is left. It replaces a link and does not follow
// it, since somebody may have put it there to mislead; see [Target]. It writes directly to
// a device or a pipe, which cannot be replaced. Each write to the disk goes through pass,
// and so does the renaming of the file. nil: no check.
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
			err = at.Err // the temporary name would not help anybody
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails once the file has its final name
	if err := errors.Join(write(temp, mode, pass, fill), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := pass(func() error { return os.Rename(temp.Name(), path) }); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return SyncFolder(filepath.Dir(path))
}

// IsStream reports whether path is neither a file nor a folder nor a link: a device, a
// pipe.
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
	buffer := bufio.NewWriterSize(passageWriter{stream, pass}, 64<<10)
	if err = fill(buffer); err == nil {
		err = buffer.Flush()
	}
	if err = errors.Join(err, stream.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// passageWriter writes a file through a passage.
type passageWriter struct {
	file *os.File
	pass Passage
}

func (p passageWriter) Write(b []byte) (n int, err error) {
	err = p.pass(func() (err error) {
		n, err = p.file.Write(b)
		return err
	})
	return n, err
}

// write writes a temporary file durably.
func write(temp *os.File, mode fs.FileMode, pass Passage, fill func(io.Writer) error) error {
	if err := writeThrough(temp, mode, pass, fill); err != nil {
		return err
	}
	return temp.Sync()
}

// writeThrough is write without waiting for the disk.
func writeThrough(temp *os.File, mode fs.FileMode, pass Passage, fill func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(passageWriter{temp, pass}, 64<<10)
	if err := fill(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // it has no such modes
		return nil
	}
	return temp.Chmod(mode)
}

// SyncFolder makes a new name in a folder durable.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it keeps names by itself, and refuses to sync
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
