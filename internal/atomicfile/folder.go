package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The refusals of a [Folder].
var (
	ErrForeign = errors.New("is there already, and satchel did not write it; move it away, or name another folder")
	ErrChanged = errors.New("was changed by somebody else meanwhile; nothing was put in its place")
	ErrOutside = errors.New("is no path within the folder, or has a name that this system allows no file to have")
	ErrLink    = errors.New("is a link, or no folder; files are not put through links")
	errTwice   = errors.New("is the same file as another one of this run: this file system takes their names for the same")
)

// invalidPath is the error of a path that a [Folder] does not take.
type invalidPath string

// Error names the path.
func (p invalidPath) Error() string { return fmt.Sprintf("%q: %v", string(p), ErrOutside) }

// Unwrap returns the kinds of the error.
func (invalidPath) Unwrap() []error { return []error{ErrOutside, fs.ErrInvalid} }

// FolderOptions control how a [Folder] writes files.
type FolderOptions struct {
	Mode fs.FileMode // of new files; 0: 0600. Existing files keep theirs
	Pass Passage     // all writes go through it; nil: no check
	// Ours reports whether an earlier run wrote a file. Folder replaces and removes such
	// files without having read them. nil: no file is ours.
	Ours func(name string, data []byte) bool
	Most int64 // most bytes that Folder reads of a file; 0: 16 MiB
	// Together is how many files may wait for the disk at the same time: one sync of the
	// folder is then enough for all of them. They are in place after Flush. 0: Put waits for
	// each file.
	Together int
}

// Folder writes files into a folder. It never writes outside of it or through a link, and
// never replaces another program's file that it has not read. It is for one goroutine.
// Close it.
type Folder struct {
	FolderOptions
	root    *os.Root
	seen    map[string]sum    // content that Held has returned
	written map[string]bool   // by path with slashes
	folded  map[string]string // of the written: path by folded path
	waiting []waitingFile     // without their final names
}

// sum is a digest of a content. That of no file is zero.
type sum [sha256.Size]byte

// OpenFolder opens a folder, and creates it if it is missing.
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
	return &Folder{FolderOptions: opt, root: root, seen: map[string]sum{}, written: map[string]bool{}, folded: map[string]string{}}, nil
}

// Close puts the waiting files in place, and releases the folder.
func (f *Folder) Close() error { return errors.Join(f.Flush(), f.root.Close()) }

// Written lists the files that Put wrote, in order.
func (f *Folder) Written() []string { return slices.Sorted(maps.Keys(f.written)) }

// Held returns the present content of a file. The error is fs.ErrNotExist if there is none.
// Put may replace this content as long as nobody changes it.
func (f *Folder) Held(name string) ([]byte, error) {
	if err := f.settle(name); err != nil {
		return nil, err
	}
	data, err := f.read(name)
	switch {
	case err == nil:
		f.seen[name] = sha256.Sum256(data)
	case errors.Is(err, fs.ErrNotExist):
		f.seen[name] = sum{}
	}
	return data, err
}

// Put writes a file completely or not at all. It does not touch a file that already has
// this content. With Together, its error may concern a file that an earlier Put wrote.
func (f *Folder) Put(name string, data []byte) error {
	if err := f.settle(name); err != nil {
		return err
	}
	is := sum(sha256.Sum256(data))
	mode, was, err := f.mayPut(name, is)
	if err == nil && was == is {
		f.wrote(name)
		return nil
	}
	if err == nil {
		err = f.prepare(waitingFile{name: name, folded: fold(name), was: was, is: is}, mode, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if len(f.waiting) < f.Together {
		return nil
	}
	return f.Flush()
}

// wrote notes that a file is in place.
func (f *Folder) wrote(name string) { f.written[name], f.folded[fold(name)] = true, name }

// mayPut refuses to replace files that it must not. It returns the mode of the new file, and
// the digest of what the file holds now.
func (f *Folder) mayPut(name string, is sum) (mode fs.FileMode, was sum, err error) {
	now, err := f.read(name)
	seen, looked := f.seen[name]
	switch {
	case errors.Is(err, fs.ErrNotExist) && looked && seen != sum{}:
		return 0, was, ErrChanged
	case errors.Is(err, fs.ErrNotExist):
		return f.Mode, was, nil
	case err != nil:
		return 0, was, err
	}
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return 0, was, err
	}
	was = sha256.Sum256(now)
	switch {
	case f.isOther(name, info):
		return 0, was, errTwice
	case was == is, f.written[name]:
	case looked && seen != was:
		return 0, was, ErrChanged
	case !looked && !f.Ours(name, now):
		return 0, was, ErrForeign
	}
	return info.Mode().Perm(), was, nil
}

// isOther reports whether a file is one that this run wrote under another name.
func (f *Folder) isOther(name string, info fs.FileInfo) bool {
	other, ok := f.folded[fold(name)]
	if !ok || other == name {
		return false
	}
	there, err := f.root.Lstat(filepath.FromSlash(other))
	return err == nil && os.SameFile(info, there)
}

// read returns the content of a file.
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

// plain refuses a path that leads out of the folder or through links, and a file that is
// not regular.
func (f *Folder) plain(name string) error {
	if !fs.ValidPath(name) || name == "." || runtime.GOOS == "windows" && !codec.Portable(name) {
		return invalidPath(name)
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

// Left lists the files that earlier runs wrote and this one did not, in order. It removes
// the temporary files of killed runs. It does not enter hidden folders, and looks at no more
// than most files.
func (f *Folder) Left(most int) ([]string, error) {
	if err := f.Flush(); err != nil {
		return nil, err
	}
	at, err := f.clock()
	if err != nil {
		return nil, err
	}
	var left []string
	err = fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || f.written[name] || f.tidy(name, entry, at):
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
