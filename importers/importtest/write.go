package importtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Files is a [codec.Folder] in memory.
type Files map[string]string

var _ codec.Folder = Files{}

// Put implements [codec.Folder].
func (f Files) Put(name string, data []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q leads out of the folder: %w", name, fs.ErrInvalid)
	}
	f[name] = string(data)
	return nil
}

// Held implements [codec.Folder].
func (f Files) Held(name string) ([]byte, error) {
	text, ok := f[name]
	switch {
	case !fs.ValidPath(name):
		return nil, fmt.Errorf("%q leads out of the folder: %w", name, fs.ErrInvalid)
	case !ok:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// Source returns the folder for reading.
func (f Files) Source() codec.Source {
	tree := fstest.MapFS{}
	for name, text := range f {
		tree[name] = &fstest.MapFile{Data: []byte(text), ModTime: Modified(), Mode: 0o600}
	}
	return codec.Source{Name: "folder", Tree: tree, Modified: Modified()}
}

// Write writes records into a file, and fails the test if the format refuses one.
func Write(t testing.TB, format codec.Format, opt codec.Options, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	var out bytes.Buffer
	w, err := format.Create(&out, opt)
	if err != nil {
		t.Fatal(err)
	}
	losses := write(t, w, records)
	return out.String(), losses
}

// WriteIn writes records into a folder, and fails the test if the format refuses one.
func WriteIn(t testing.TB, format codec.Format, files Files, opt codec.Options, records ...memory.Record) []codec.Loss {
	t.Helper()
	w, err := format.CreateIn(files, opt)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, w, records)
}

func write(t testing.TB, w codec.Writer, records []memory.Record) []codec.Loss {
	t.Helper()
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Losses()
}
