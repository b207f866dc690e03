package codectest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/codec"
)

// folder is a [codec.Folder] in memory.
type folder map[string][]byte

var _ codec.Folder = folder{}

// Put implements [codec.Folder].
func (f folder) Put(name string, data []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q leads out of the folder: %w", name, fs.ErrInvalid)
	}
	f[name] = slices.Clone(data)
	return nil
}

// Held implements [codec.Folder].
func (f folder) Held(name string) ([]byte, error) {
	data, ok := f[name]
	switch {
	case !fs.ValidPath(name):
		return nil, fmt.Errorf("%q leads out of the folder: %w", name, fs.ErrInvalid)
	case !ok:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return data, nil
}

// archive returns the files in the order of their names, as one text. It adds a line break
// to a last line without one.
func (f folder) archive() []byte {
	var a txtar.Archive
	for _, name := range slices.Sorted(maps.Keys(f)) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: f[name]})
	}
	return txtar.Format(&a)
}

// unarchive undoes archive.
func unarchive(data []byte) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse(data).Files {
		if fs.ValidPath(f.Name) {
			tree[f.Name] = &fstest.MapFile{Data: f.Data, ModTime: sampleTime}
		}
	}
	return tree
}
