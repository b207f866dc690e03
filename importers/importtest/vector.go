package importtest

import (
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/codec"
)

var update = flag.Bool("update", false, "write the wanted records of the vectors anew")

// Vector is one parsed vector.
type Vector struct {
	path    string
	archive *txtar.Archive
	header  map[string]string
	Source  codec.Source
	Options codec.Options
}

// Load parses every vector in dir, and fails if there is none.
func Load(t testing.TB, dir string) []Vector {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors in %s: %v", dir, err)
	}
	vectors := make([]Vector, len(paths))
	for i, path := range paths {
		vectors[i] = load(t, path)
	}
	return vectors
}

// Accepted reports whether the importer must accept the vector.
func (v Vector) Accepted() bool { return v.header["expect"] == "ok" }

func load(t testing.TB, path string) Vector {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := Vector{path: path, archive: archive, header: map[string]string{}}
	for line := range strings.Lines(string(archive.Comment)) {
		if key, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, " ") {
			v.header[key] = strings.TrimSpace(value)
		}
	}
	if v.header["rule"] == "" || v.header["expect"] == "" {
		t.Fatalf("%s names no rule or no expectation", path)
	}
	v.Options = Options()
	v.Options.Project = v.header["project"]
	if limits := v.header["limits"]; limits != "" {
		if err := json.Unmarshal([]byte(limits), &v.Options.Limits); err != nil {
			t.Fatalf("%s: limits: %v", path, err)
		}
	}
	v.Source = v.source()
	if v.header["undated"] == "yes" {
		v.Source.Modified = time.Time{}
	}
	return v
}

// Modified is the date of the test sources, to the second, as records have it.
func Modified() time.Time { return time.Date(2026, 1, 15, 8, 0, 0, 0, time.UTC) }

// written is when the files of the test sources were last written.
func written() time.Time { return Modified().Add(123456789) }

// Options returns the options of the tests: an owner, and a clock for sources without a
// date.
func Options() codec.Options {
	return codec.Options{
		Owner: "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
		Now:   func() time.Time { return time.Date(2026, 2, 2, 2, 2, 2, 0, time.UTC) },
	}
}

func (v *Vector) source() codec.Source {
	files := map[string]string{}
	for _, file := range v.archive.Files {
		if name, ok := strings.CutPrefix(file.Name, "in/"); ok {
			files[name] = string(file.Data)
		}
	}
	if len(files) == 1 && v.header["as"] != "folder" {
		for name, text := range files {
			return File(name, text)
		}
	}
	return Folder("folder", files)
}

// File returns a source that is one file.
func File(name, text string) codec.Source {
	return codec.Source{Name: name, File: strings.NewReader(text), Size: int64(len(text)), Modified: written()}
}

// Folder returns a source that is a folder of files.
func Folder(name string, files map[string]string) codec.Source {
	tree := fstest.MapFS{}
	for path, text := range files {
		tree[path] = &fstest.MapFile{Data: []byte(text), ModTime: written(), Mode: 0o600}
	}
	return codec.Source{Name: name, Tree: tree, Modified: written()}
}

// Shared returns the file or folder at path below the shared data that SATCHEL_SHARED
// names, and skips the test if it is not set.
func Shared(t *testing.T, path string) codec.Source {
	t.Helper()
	root := os.Getenv("SATCHEL_SHARED")
	if root == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	full := filepath.Join(root, path)
	info, err := os.Stat(full)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		return codec.Source{Name: filepath.Base(path), Tree: os.DirFS(full), Modified: written()}
	}
	data, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	return File(filepath.Base(path), string(data))
}

// text returns the whole content of a file source.
func text(t testing.TB, src codec.Source) string {
	t.Helper()
	data, err := io.ReadAll(io.NewSectionReader(src.File, 0, src.Size))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Texts returns the inputs of the vectors that are single files: seeds for
// fuzzing.
func Texts(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, v := range Load(t, dir) {
		if v.Source.File != nil {
			out = append(out, text(t, v.Source))
			continue
		}
		tree := v.Source.Tree.(fstest.MapFS)
		for name := range tree {
			data, err := fs.ReadFile(tree, name)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(data))
		}
	}
	return out
}
