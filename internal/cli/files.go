package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// OpenToOthers reports whether somebody but the owner may use a file or folder.
func OpenToOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// IsStdout is what a path says for standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// Spool is a file for what does not fit in memory, in a folder that only the
// owner can enter. It has no name where a file can do without: nothing of it is
// left, however the program ends. done releases it.
func Spool(dir string) (f *os.File, done func() error, err error) {
	if f, err = os.CreateTemp(dir, ".spool-*"); err != nil { // 0600
		return nil, nil, err
	}
	if runtime.GOOS != "windows" && os.Remove(f.Name()) == nil {
		return f, f.Close, nil
	}
	return f, func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }, nil
}

// Spooled is such a file as a [codec.Spool].
type Spooled struct {
	*os.File
	Done func() error
}

// Close releases the file.
func (s Spooled) Close() error { return s.Done() }

// Scratch is the folder for such files: the store's own. A home folder holds no
// memories, and may be one that cannot be written.
func (o *Opened) Scratch() string {
	if o.InDatabase() {
		return os.TempDir()
	}
	return o.Dir
}

// Spool gives a bundle on its way out room in such a file.
func (o *Opened) Spool() (codec.Spool, error) {
	f, done, err := Spool(o.Scratch())
	if err != nil {
		return nil, err
	}
	return Spooled{f, done}, nil
}

// Place writes to a file, wholly or not at all, or to standard output.
func (a *App) Place(path string, fill func(io.Writer) error) error {
	if IsStdout(path) {
		return fill(a.Out)
	}
	return PlaceBy(path, nil, fill)
}

// PlaceBy writes to a file, by way of a passage.
func PlaceBy(path string, pass atomicfile.Passage, fill func(io.Writer) error) error {
	return PlaceAs(path, 0o600, pass, fill)
}

// PlaceAs is PlaceBy of a file that gets a mode.
func PlaceAs(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() || os.IsPathSeparator(path[len(path)-1]) {
		return fmt.Errorf("%s is a folder; name a file, or say --to %s for a file of each memory", path, MarkdownFormat)
	}
	return atomicfile.ReplaceBy(atomicfile.Target(path), mode, pass, fill)
}

// MarkdownFormat is the name of the format that has a file per record.
const MarkdownFormat = "ump-md"

// Exists reports whether there is a file or folder at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
