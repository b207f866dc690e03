package source

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// tree is a folder as a file system. [os.Root] keeps every path inside. The tree adds the
// other rules: no folders through links, no devices, bounded listings.
type tree struct {
	root   *os.Root
	limits codec.Limits
}

var (
	_ fs.ReadDirFS = (*tree)(nil)
	_ fs.StatFS    = (*tree)(nil)
	_ fs.GlobFS    = (*tree)(nil)
)

// Open opens a regular file or a folder. Its error is an [fs.PathError] that wraps
// errSpecial, errLink or ErrTooLarge, or the root's refusal of a link that leads out of the
// folder.
func (t *tree) Open(name string) (fs.File, error) {
	f, info, err := t.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: cause(err)}
	}
	if info.IsDir() {
		return &folder{File: f, limits: t.limits}, nil
	}
	return f, nil
}

// Stat describes the file or folder that Open would open.
func (t *tree) Stat(name string) (fs.FileInfo, error) {
	f, info, err := t.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: cause(err)}
	}
	return info, f.Close()
}

// ReadDir lists a folder in the order of names. Links are listed as links.
func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	f, info, err := t.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: cause(err)}
	}
	defer f.Close()
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	entries, err := (&folder{File: f, limits: t.limits}).ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Glob implements [fs.GlobFS].
func (t *tree) Glob(pattern string) ([]string, error) { return glob(t, pattern) }

func (t *tree) open(name string) (*os.File, fs.FileInfo, error) {
	if _, err := filepath.Localize(name); err != nil { // on Windows, a backslash would part names unseen
		return nil, nil, fs.ErrInvalid
	}
	if err := t.walk(path.Dir(name)); err != nil {
		return nil, nil, err
	}
	linked, err := t.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if kind := linked.Mode().Type(); kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink {
		return nil, nil, errSpecial
	}
	f, err := t.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = t.admit(info, linked)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// walk checks that no part of a folder's path is a link.
func (t *tree) walk(dir string) error {
	if dir == "." {
		return nil
	}
	for end := 0; end < len(dir); end++ {
		next := strings.IndexByte(dir[end:], '/')
		if next < 0 {
			next = len(dir) - end
		}
		end += next
		info, err := t.root.Lstat(dir[:end])
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			return errLink
		}
	}
	return nil
}

// admit checks an opened file; linked describes the name that opened it.
func (t *tree) admit(info, linked fs.FileInfo) error {
	switch {
	case info.IsDir() && !linked.IsDir():
		return errLink
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return errSpecial
	case info.Size() > t.limits.Document:
		return ErrTooLarge
	}
	return nil
}

// cause removes the system's own wrapping, which would name the path twice.
func cause(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err
	}
	return err
}

// folder is an open folder whose listing is bounded.
type folder struct {
	*os.File
	limits codec.Limits
	listed int
}

// ReadDir is as in [fs.ReadDirFile], up to the limit on files.
func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.limits.Files - d.listed
	if left < 0 {
		return nil, errTooMany
	}
	if n > 0 {
		n = min(n, left+1)
		entries, err := d.File.ReadDir(n)
		return d.count(entries, err)
	}
	entries, err := d.File.ReadDir(left + 1)
	if err == io.EOF {
		err = nil
	}
	return d.count(entries, err)
}

func (d *folder) count(entries []fs.DirEntry, err error) ([]fs.DirEntry, error) {
	d.listed += len(entries)
	if d.listed > d.limits.Files {
		return nil, errTooMany
	}
	return entries, err
}
