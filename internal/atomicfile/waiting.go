package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/satchel-memory/satchel/text/pattern"
)

// waitingFile is a file that is complete, and may not be on the disk yet.
type waitingFile struct {
	file       *os.File
	name, temp string
	folded     string
	was, is    sum        // of what name held in Put, and of the new content
	synced     chan error // receives the result of the sync, once
}

// prepare writes the temporary file of w, and starts its way to the disk.
func (f *Folder) prepare(w waitingFile, mode fs.FileMode, data []byte) (err error) {
	dir := path.Dir(w.name)
	if dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return err
		}
	}
	if w.file, w.temp, err = f.temp(dir); err != nil {
		return err
	}
	fill := func(w io.Writer) error { _, err := w.Write(data); return err }
	if err := writeThrough(w.file, mode, f.Pass, fill); err != nil {
		return errors.Join(err, w.file.Close(), f.root.Remove(w.temp))
	}
	w.synced = make(chan error, 1)
	go func() { w.synced <- w.file.Sync() }()
	f.waiting = append(f.waiting, w)
	return nil
}

// mostTemps bounds how many temporary files of interrupted runs temp skips.
const mostTemps = 1000

// temp makes a new file in a folder.
func (f *Folder) temp(dir string) (file *os.File, name string, err error) {
	for n := range mostTemps {
		name = filepath.FromSlash(path.Join(dir, fmt.Sprintf(".satchel-%d-%d", os.Getpid(), len(f.waiting)+n)))
		file, err = f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, name, err
}

// fold makes the names alike that a file system may take for the same: some know no case,
// some spell a letter with an accent in their own way.
func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// settle flushes if a file waits that may have this name, or lie in the folder of this name.
func (f *Folder) settle(name string) error {
	name = fold(name)
	if slices.ContainsFunc(f.waiting, func(w waitingFile) bool { return w.folded == name || strings.HasPrefix(w.folded, name+"/") }) {
		return f.Flush()
	}
	return nil
}

// Flush puts the waiting files in place, in the order in which they were put, and makes
// their names durable. If one fails, it removes that file and those behind it.
func (f *Folder) Flush() error {
	var failed error
	dirs := map[string]bool{}
	for _, w := range f.waiting {
		err := errors.Join(<-w.synced, w.file.Close())
		if err == nil && failed == nil {
			err = f.unchanged(w)
		}
		if err == nil && failed == nil {
			err = f.Pass(func() error { return f.root.Rename(w.temp, filepath.FromSlash(w.name)) })
		}
		if err == nil && failed == nil {
			f.wrote(w.name)
			dirs[path.Dir(w.name)] = true
			continue
		}
		if failed == nil {
			failed = fmt.Errorf("write %s: %w", w.name, err)
		}
		failed = errors.Join(failed, f.root.Remove(w.temp))
	}
	f.waiting = nil
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		failed = errors.Join(failed, SyncFolder(filepath.Join(f.root.Name(), filepath.FromSlash(dir))))
	}
	return failed
}

// unchanged refuses a waiting file if somebody else wrote or removed the file of its name
// since Put looked at that.
func (f *Folder) unchanged(w waitingFile) error {
	now, err := f.read(w.name)
	var is sum
	switch {
	case err == nil:
		is = sha256.Sum256(now)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	switch {
	case is == w.was, is == w.is: // somebody else may have written the same
		return nil
	case w.was == sum{} && !f.Ours(w.name, now):
		return ErrForeign
	}
	return ErrChanged
}

// abandoned is how long a temporary file waits for its name at most, with much to spare.
const abandoned = time.Hour

// tempName is the base of a name that temp makes.
var tempName = pattern.New(`^\.satchel-[0-9]+-[0-9]+$`)

// tidy removes a file if a killed run left it behind. at is the time of the file system.
func (f *Folder) tidy(name string, entry fs.DirEntry, at time.Time) bool {
	if !tempName.MatchString(entry.Name()) {
		return false
	}
	info, err := entry.Info()
	return err == nil && at.Sub(info.ModTime()) > abandoned && f.root.Remove(filepath.FromSlash(name)) == nil
}

// clock returns the time of the file system, which need not be this computer's.
func (f *Folder) clock() (time.Time, error) {
	file, name, err := f.temp(".")
	if err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err = errors.Join(err, file.Close(), f.root.Remove(name)); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
