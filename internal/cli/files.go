package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/source"
)

// IsStdout reports whether a path means standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// Spool makes a file for data that does not fit in memory, in a folder that only the owner
// can enter. Where the system allows it the file has no name, so that nothing remains
// however the program ends. done releases it.
func Spool(dir string) (f *os.File, done func() error, err error) {
	if f, err = os.CreateTemp(dir, ".spool-*"); err != nil { // 0600
		return nil, nil, err
	}
	if runtime.GOOS != "windows" && os.Remove(f.Name()) == nil {
		return f, f.Close, nil
	}
	return f, func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }, nil
}

// Spooled is a file of [Spool] as a [codec.Spool].
type Spooled struct {
	*os.File
	Done func() error
}

// Close releases the file.
func (s Spooled) Close() error { return s.Done() }

// Scratch is the folder for spool files: the store's own. A home folder holds no memories,
// and may be read-only.
func (o *Session) Scratch() string {
	if o.InDatabase() {
		return os.TempDir()
	}
	return o.Dir
}

// Spool makes a file for a bundle during its export.
func (o *Session) Spool() (codec.Spool, error) {
	f, done, err := Spool(o.Scratch())
	if err != nil {
		return nil, err
	}
	return Spooled{f, done}, nil
}

// Place writes a file completely or not at all, or writes to standard output.
func (a *App) Place(path string, fill func(io.Writer) error) error {
	if IsStdout(path) {
		return fill(a.Out)
	}
	return PlaceBy(path, nil, fill)
}

// PlaceBy writes a file with a passage, see [atomicfile.Passage].
func PlaceBy(path string, pass atomicfile.Passage, fill func(io.Writer) error) error {
	return PlaceAs(path, 0o600, pass, fill)
}

// PlaceAs is PlaceBy for a file with a given mode.
func PlaceAs(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() || os.IsPathSeparator(path[len(path)-1]) {
		return fmt.Errorf("%s is a folder; name a file, or say --to %s for a file of each memory", path, MarkdownFormat)
	}
	return atomicfile.ReplaceBy(atomicfile.Target(path), mode, pass, fill)
}

// MarkdownFormat is the name of the format with one file for each record.
const MarkdownFormat = "ump-md"

// Exists reports whether there is a file or folder at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Source opens a named file, folder, archive or standard input.
func (a *App) Source(path string) (*source.Input, error) {
	return source.Open(path, source.Options{Stdin: a.Stdin(), Known: isKnown})
}

// isKnown reports whether a format reads a source as it is.
func isKnown(src codec.Source) bool {
	_, err := formats.Detect(src)
	return err == nil
}
