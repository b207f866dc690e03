package source

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// node is a file or a folder of an archive.
type node struct {
	path     string // inside the archive
	folder   bool
	below    map[string]*node // of a folder
	listed   []*node          // the entries below in the order of names, once the archive has been read
	data     io.ReaderAt      // of a file
	size     int64
	modified time.Time
}

// lies sets where the content of a file is.
func (n *node) lies(data io.ReaderAt, size int64) { n.data, n.size = data, size }

// appleDouble is the folder in which macOS keeps its own data about each file of an
// archive. The packed files do not include it.
const appleDouble = "__MACOSX"

// top returns the folder that holds everything, if there is one, and the archive itself
// otherwise.
func (b *builder) top() *node {
	delete(b.root.below, appleDouble)
	b.root.folder = true
	return topOf(b.root)
}

// topOf returns the only folder in a folder without other entries, or else the folder
// itself.
func topOf(folder *node) *node {
	for _, only := range folder.below {
		if len(folder.below) == 1 && only.folder {
			return only
		}
	}
	return folder
}

// only returns the only file of a folder without other entries, or nil.
func (n *node) only() *node {
	for _, e := range n.below {
		if len(n.below) == 1 && !e.folder {
			return e
		}
	}
	return nil
}

// sorted returns the entries of a folder, in the order of names.
func (n *node) sorted() []*node {
	all := make([]*node, 0, len(n.below))
	for _, name := range slices.Sorted(maps.Keys(n.below)) {
		all = append(all, n.below[name])
	}
	return all
}

// list lists a folder and its subfolders; the lists do not change any more.
func (n *node) list() {
	n.listed = n.sorted()
	for _, e := range n.listed {
		e.list()
	}
}

// Name implements [fs.FileInfo] and [fs.DirEntry].
func (n *node) Name() string { return path.Base(n.path) }

// Size implements [fs.FileInfo].
func (n *node) Size() int64 { return n.size }

// ModTime implements [fs.FileInfo]. It is zero if the archive does not say.
func (n *node) ModTime() time.Time { return n.modified }

// IsDir implements [fs.FileInfo] and [fs.DirEntry].
func (n *node) IsDir() bool { return n.folder }

// Sys implements [fs.FileInfo].
func (n *node) Sys() any { return nil }

// Type implements [fs.DirEntry].
func (n *node) Type() fs.FileMode { return n.Mode().Type() }

// Info implements [fs.DirEntry].
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

// Mode implements [fs.FileInfo].
func (n *node) Mode() fs.FileMode {
	if n.folder {
		return fs.ModeDir | 0o500
	}
	return 0o400
}

// packedTree is a folder of an archive as a file system. Its files are [io.ReaderAt].
type packedTree struct{ *node }

var (
	_ fs.ReadDirFS = (*packedTree)(nil)
	_ fs.StatFS    = (*packedTree)(nil)
	_ fs.GlobFS    = (*packedTree)(nil)
	_ io.ReaderAt  = (*packedFile)(nil)
)

// Open opens a file or a folder.
func (t *packedTree) Open(name string) (fs.File, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	info := namedNode{e, path.Base(name)}
	if e.folder {
		return &packedFolder{namedNode: info, left: e.listed}, nil
	}
	return &packedFile{io.NewSectionReader(e.data, 0, e.size), info}, nil
}

// Stat describes the file or folder that Open would open.
func (t *packedTree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return namedNode{e, path.Base(name)}, nil
}

// ReadDir lists a folder in the order of names.
func (t *packedTree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNoFolder}
	}
	return (&packedFolder{left: e.listed}).ReadDir(-1)
}

// Glob implements [fs.GlobFS].
func (t *packedTree) Glob(pattern string) ([]string, error) { return glob(t, pattern) }

var errNoFolder = errors.New("not a folder")

func (t *packedTree) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at := t.node
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if at = at.below[part]; at == nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return at, nil
}

// namedNode is a node under the name that opened it: that of the top is ".".
type namedNode struct {
	*node
	name string
}

// Name implements [fs.FileInfo].
func (n namedNode) Name() string { return n.name }

// packedFile is an open file.
type packedFile struct {
	*io.SectionReader
	info namedNode
}

// Stat implements [fs.File].
func (f *packedFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close does nothing: the archive stays open.
func (f *packedFile) Close() error { return nil }

// packedFolder is an open folder.
type packedFolder struct {
	namedNode
	left []*node
}

// Stat implements [fs.File].
func (d *packedFolder) Stat() (fs.FileInfo, error) { return d.namedNode, nil }

// Close does nothing.
func (d *packedFolder) Close() error { return nil }

// Read fails: a folder holds no bytes.
func (d *packedFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a folder")}
}

// ReadDir implements [fs.ReadDirFile].
func (d *packedFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.left) {
		n = len(d.left)
	}
	entries := make([]fs.DirEntry, n)
	for i, e := range d.left[:n] {
		entries[i] = e
	}
	d.left = d.left[n:]
	return entries, nil
}
