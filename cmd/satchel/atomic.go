package main

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

// writeFile puts data in the place of a file.
func writeFile(path string, mode fs.FileMode, data []byte) error {
	return replaceFile(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceFile puts what fill writes in the place of a file: wholly and on disk,
// or not at all. A link is followed, so that the file it leads to is replaced.
func replaceFile(path string, mode fs.FileMode, fill func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".satchel-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails once it has its name
	buffer := bufio.NewWriterSize(temp, 64<<10)
	err = fill(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = errors.Join(chmod(temp, mode), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

func chmod(f *os.File, mode fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return f.Chmod(mode)
}

// syncFolder makes a new name in a folder survive the loss of power.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// others reports whether somebody but the owner may use a file or folder.
func others(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// stdout is what a path says for standard output.
func stdout(path string) bool { return path == "" || path == "-" }

// place writes to a file, wholly or not at all, or to standard output.
func (a *app) place(path string, fill func(io.Writer) error) error {
	if stdout(path) {
		return fill(a.out)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file", path)
	}
	return replaceFile(path, 0o600, fill)
}
