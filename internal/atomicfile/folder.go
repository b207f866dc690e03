package atomicfile

import (
	"bytes"
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
)

// The refusals of a [Folder].
var (
	ErrForeign = errors.New("is there already, and satchel did not write it; move it away, or name another folder")
	ErrChanged = errors.New("was changed by somebody else meanwhile; nothing was put in its place")
	ErrOutside = errors.New("is no path within the folder")
	ErrLink    = errors.New("is a link, or no folder; files are not put through links")
)

// FolderOptions say how files are put into a folder.
type FolderOptions struct {
	Mode fs.FileMode // of files that are new; 0: 0600. Others keep theirs
	Pass Passage     // by way of which all is written; nil: it may always
	// Ours reports whether a file was written by an earlier run. Only such files are
	// replaced unread, and removed. nil: none is.
	Ours func(name string, data []byte) bool
	Most int64 // bytes of a file that is looked at; 0: 16 MiB
}

// Folder is a folder into which files are put: never outside of it, never through a
// link, and never in the place of somebody else's file that was not looked at before.
// It is for one goroutine. Close it.
type Folder struct {
	FolderOptions
	root    *os.Root
	seen    map[string]sum  // what Held has returned
	written map[string]bool // by path with slashes
}

// sum tells contents apart. That of no file is zero.
type sum [sha256.Size]byte

// OpenFolder opens a folder, and makes it where there is none.
func OpenFolder(dir string, opt FolderOptions) (*Folder, error) {
	if opt.Mode == 0 {
		opt.Mode = 0o600
	}
	if opt.Most == 0 {
		opt.Most = 16 << 20
	}
	if opt.Pass == nil {
		opt.Pass = func(write func() error) error { return write() }
	}
	if opt.Ours == nil {
		opt.Ours = func(string, []byte) bool { return false }
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{FolderOptions: opt, root: root, seen: map[string]sum{}, written: map[string]bool{}}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Written lists the files that were put in place, in order.
func (f *Folder) Written() []string { return slices.Sorted(maps.Keys(f.written)) }

// Held returns what a file holds now; an error that is fs.ErrNotExist: there is none.
// What was held may be replaced as long as nobody else changes it.
func (f *Folder) Held(name string) ([]byte, error) {
	data, err := f.read(name)
	switch {
	case err == nil:
		f.seen[name] = sha256.Sum256(data)
	case errors.Is(err, fs.ErrNotExist):
		f.seen[name] = sum{}
	}
	return data, err
}

// Put puts a file in place, wholly or not at all. One that holds this already is left
// as it is.
func (f *Folder) Put(name string, data []byte) error {
	mode, same, err := f.mayPut(name, data)
	if err == nil && !same {
		err = f.put(name, mode, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f.written[name] = true
	return nil
}

// mayPut refuses what must not be replaced, and returns the mode of the file to be, and
// whether it is there already.
func (f *Folder) mayPut(name string, data []byte) (mode fs.FileMode, same bool, err error) {
	now, err := f.read(name)
	seen, looked := f.seen[name]
	switch {
	case errors.Is(err, fs.ErrNotExist) && looked && seen != sum{}:
		return 0, false, ErrChanged
	case errors.Is(err, fs.ErrNotExist):
		return f.Mode, false, nil
	case err != nil:
		return 0, false, err
	case bytes.Equal(now, data):
		return 0, true, nil
	case f.written[name]:
	case looked && seen != sha256.Sum256(now):
		return 0, false, ErrChanged
	case !looked && !f.Ours(name, now):
		return 0, false, ErrForeign
	}
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return 0, false, err
	}
	return info.Mode().Perm(), false, nil
}

// read returns what a file holds.
func (f *Folder) read(name string) ([]byte, error) {
	if err := f.plain(name); err != nil {
		return nil, err
	}
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, f.Most+1))
	if err = errors.Join(err, file.Close()); err == nil && int64(len(data)) > f.Most {
		err = fmt.Errorf("%s holds more than %d MiB: %w", name, f.Most>>20, ErrForeign)
	}
	return data, err
}

// plain refuses a path that leads out of the folder or through links, and what is no
// plain file.
func (f *Folder) plain(name string) error {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q: %w", name, ErrOutside)
	}
	for at := 0; at < len(name); {
		end := strings.IndexByte(name[at:], '/')
		if end < 0 {
			break
		}
		at += end + 1
		info, err := f.root.Lstat(filepath.FromSlash(name[:at-1]))
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s: %w", name[:at-1], ErrLink)
		}
	}
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err == nil && !info.Mode().IsRegular() {
		err = ErrForeign
	}
	return err
}

// put writes a file beside its place, and gives it its name.
func (f *Folder) put(name string, mode fs.FileMode, data []byte) error {
	dir := path.Dir(name)
	if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
		return err
	}
	file, temp, err := f.temp(dir)
	if err != nil {
		return err
	}
	defer f.root.Remove(temp) // fails once it has its name
	fill := func(w io.Writer) error { _, err := w.Write(data); return err }
	if err := errors.Join(write(file, mode, f.Pass, fill), file.Close()); err != nil {
		return err
	}
	if err := f.Pass(func() error { return f.root.Rename(temp, filepath.FromSlash(name)) }); err != nil {
		return err
	}
	return SyncFolder(filepath.Join(f.root.Name(), filepath.FromSlash(dir)))
}

// mostTemps is how many files that a run left behind when it was cut off are passed by.
const mostTemps = 1000

// temp makes a file in a folder that nobody has yet.
func (f *Folder) temp(dir string) (file *os.File, name string, err error) {
	for n := range mostTemps {
		name = filepath.FromSlash(path.Join(dir, fmt.Sprintf(".satchel-%d-%d", os.Getpid(), n)))
		file, err = f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, name, err
}

// Left lists the files that earlier runs wrote and this one did not, in order. Hidden
// folders are not looked into. No more than most files are looked at.
func (f *Folder) Left(most int) ([]string, error) {
	var left []string
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || f.written[name]:
			return nil
		}
		if most--; most < 0 {
			return errors.New("the folder holds too many files to look for those of earlier runs")
		}
		if data, err := f.read(name); err == nil && f.Ours(name, data) {
			left = append(left, name)
		}
		return nil
	})
	return left, err
}

// Remove removes a file that an earlier run wrote.
func (f *Folder) Remove(name string) error {
	data, err := f.read(name)
	if err != nil {
		return err
	}
	if !f.Ours(name, data) {
		return fmt.Errorf("remove %s: %w", name, ErrForeign)
	}
	return f.root.Remove(filepath.FromSlash(name))
}
