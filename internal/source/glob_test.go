package source_test

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/internal/source"
)

// TestGlob requires the same results from folders and archives as [fs.Glob] finds by
// itself.
func TestGlob(t *testing.T) {
	plain := fstest.MapFS{}
	for _, name := range []string{"a.json", "b.json", "b.txt", "one/a.json", "one/c.json", "two/a.json", "two/deep/a.json", "[x]/a.json"} {
		plain[name] = &fstest.MapFile{Data: []byte("x")}
	}
	dir := filepath.Join(t.TempDir(), "folder")
	file, err := os.Create(filepath.Join(t.TempDir(), "a.zip"))
	packed := zip.NewWriter(file)
	if err := errors.Join(err, os.CopyFS(dir, plain), packed.AddFS(plain), packed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file.Name()} {
		in, err := source.Open(path, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		for _, pattern := range []string{"*", "*.json", "a.json", "none", "*/a.json", "*/*", "*/*/a.json", "one/*.json", "one/a.json", "one/none", "none/*", `\[x\]/*`, "a.json/*", "["} {
			want, wrong := fs.Glob(plain, pattern)
			slices.Sort(want)
			got, err := fs.Glob(in.Tree, pattern)
			if !slices.Equal(got, want) || (err == nil) != (wrong == nil) {
				t.Errorf("%s in %s: %q, %v, want %q, %v", pattern, path, got, err, want, wrong)
			}
		}
	}
}
