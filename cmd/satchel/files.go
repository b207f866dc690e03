package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// others reports whether somebody but the owner may use a file or folder.
func others(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// stdout is what a path says for standard output.
func stdout(path string) bool { return path == "" || path == "-" }

// spool is a file for what does not fit in memory, in a folder that only the
// owner can enter. It has no name where a file can do without: nothing of it is
// left, however the program ends. done releases it.
func spool(dir string) (f *os.File, done func() error, err error) {
	if f, err = os.CreateTemp(dir, ".spool-*"); err != nil { // 0600
		return nil, nil, err
	}
	if runtime.GOOS != "windows" && os.Remove(f.Name()) == nil {
		return f, f.Close, nil
	}
	return f, func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }, nil
}

// spooled is such a file as a [codec.Spool].
type spooled struct {
	*os.File
	done func() error
}

// Close releases the file.
func (s spooled) Close() error { return s.done() }

// tempSpool gives formats room among the temporary files.
func tempSpool() (codec.Spool, error) {
	f, done, err := spool("")
	if err != nil {
		return nil, err
	}
	return spooled{f, done}, nil
}

// scratch is the folder for such files: the store's own. A home folder holds no
// memories, and may be one that cannot be written.
func (o *opened) scratch() string {
	if o.remote() {
		return os.TempDir()
	}
	return o.dir
}

// spool gives a bundle on its way out room in such a file.
func (o *opened) spool() (codec.Spool, error) {
	f, done, err := spool(o.scratch())
	if err != nil {
		return nil, err
	}
	return spooled{f, done}, nil
}

// place writes to a file, wholly or not at all, or to standard output.
func (a *app) place(path string, fill func(io.Writer) error) error {
	if stdout(path) {
		return fill(a.out)
	}
	return placeBy(path, nil, fill)
}

// mostOnStdout is how many bytes of a document go to standard output: they lie among the
// temporary files until all of them are there.
const mostOnStdout = 16 << 30

// onStdout writes to standard output, wholly or not at all.
func (a *app) onStdout(fill func(io.Writer) error) (err error) {
	f, done, err := spool("")
	if err != nil {
		return fmt.Errorf("make room for what goes to standard output: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	whole := bufio.NewWriter(&roomFor{out: f, left: mostOnStdout})
	if err := fill(whole); err != nil {
		return err
	}
	if err := whole.Flush(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(a.out, f)
	return err
}

// roomFor takes so many bytes.
type roomFor struct {
	out  io.Writer
	left int64
}

var errRoom = errors.New("more than goes to standard output in one piece; name a file")

// Write implements [io.Writer].
func (r *roomFor) Write(p []byte) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, errRoom
	}
	return r.out.Write(p)
}

// placeBy writes to a file, by way of a passage.
func placeBy(path string, pass atomicfile.Passage, fill func(io.Writer) error) error {
	return placeAs(path, 0o600, pass, fill)
}

// placeAs is placeBy of a file that gets a mode.
func placeAs(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() || os.IsPathSeparator(path[len(path)-1]) {
		return fmt.Errorf("%s is a folder; name a file, or say --to %s for a file of each memory", path, markdown)
	}
	return atomicfile.ReplaceBy(atomicfile.Target(path), mode, pass, fill)
}
