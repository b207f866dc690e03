package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// pack packs files and folders, which keep their names. Of a gzip file there is one.
func pack(ts *testscript.TestScript, _ bool, args []string) {
	out, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer out.Close()
	packed := gzip.NewWriter(out)
	switch filepath.Ext(args[0]) {
	case ".gz":
		_, err = io.WriteString(packed, ts.ReadFile(args[1]))
		err = errors.Join(err, packed.Close())
	case ".zip":
		w := zip.NewWriter(out)
		err = errors.Join(packEach(ts, args[1:], w.AddFS), w.Close())
	case ".tgz":
		w := tar.NewWriter(packed)
		err = errors.Join(packEach(ts, args[1:], w.AddFS), w.Close(), packed.Close())
	default:
		w := tar.NewWriter(out)
		err = errors.Join(packEach(ts, args[1:], w.AddFS), w.Close())
	}
	ts.Check(err)
}

// tear cuts a file off in its middle.
func tear(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()/2))
}

// packEach hands what is named to add, each in a tree that holds nothing else.
func packEach(ts *testscript.TestScript, names []string, add func(fs.FS) error) error {
	for _, name := range names {
		if err := add(oneOf{os.DirFS(filepath.Dir(ts.MkAbs(name))), filepath.Base(name)}); err != nil {
			return err
		}
	}
	return nil
}

// oneOf is a tree with one file or folder of another at its top.
type oneOf struct {
	fs.FS
	name string
}

// ReadDir implements [fs.ReadDirFS].
func (t oneOf) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return fs.ReadDir(t.FS, name)
	}
	info, err := fs.Stat(t.FS, t.name)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}
