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
	seen    map[string]sum  // content that Held has returned
	written map[string]bool // by path with slashes
	waiting []waitingFile   // without their final names
}

// waitingFile is a file that is complete, and may not be on the disk yet.
type waitingFile struct {
	file       *os.File
	name, temp string
	synced     chan error // receives the result of the sync, once
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
	return &Folder{FolderOptions: opt, root: root, seen: map[string]sum{}, written: map[string]bool{}}, nil
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
	mode, same, err := f.mayPut(name, data)
	if err == nil && same {
		f.written[name] = true
		return nil
	}
	if err == nil {
		err = f.prepare(name, mode, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if len(f.waiting) < f.Together {
		return nil
	}
	return f.Flush()
}

// settle flushes if a file waits that has this name, or lies in the folder of this name.
func (f *Folder) settle(name string) error {
	if slices.ContainsFunc(f.waiting, func(w waitingFile) bool { return w.name == name || strings.HasPrefix(w.name, name+"/") }) {
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
			err = f.Pass(func() error { return f.root.Rename(w.temp, filepath.FromSlash(w.name)) })
		}
		if err == nil && failed == nil {
			f.written[w.name], dirs[path.Dir(w.name)] = true, true
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

// mayPut refuses to replace files that it must not. It returns the mode of the new file,
// and whether the file already has this content.
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

// prepare writes a temporary file, and starts its way to the disk.
func (f *Folder) prepare(name string, mode fs.FileMode, data []byte) error {
	dir := path.Dir(name)
	if dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return err
		}
	}
	file, temp, err := f.temp(dir)
	if err != nil {
		return err
	}
	fill := func(w io.Writer) error { _, err := w.Write(data); return err }
	if err := writeThrough(file, mode, f.Pass, fill); err != nil {
		return errors.Join(err, file.Close(), f.root.Remove(temp))
	}
	synced := make(chan error, 1)
	go func() { synced <- file.Sync() }()
	f.waiting = append(f.waiting, waitingFile{file, name, temp, synced})
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

// Left lists the files that earlier runs wrote and this one did not, in order. It does not
// enter hidden folders, and looks at no more than most files.
func (f *Folder) Left(most int) ([]string, error) {
	if err := f.Flush(); err != nil {
		return nil, err
	}
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
