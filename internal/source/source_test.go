package source_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/source"
)

// write makes files below a new folder, by path and content.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, name string, opt source.Options) *source.Input {
	t.Helper()
	in, err := source.Open(name, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

func content(t *testing.T, src codec.Source) string {
	t.Helper()
	data, err := io.ReadAll(io.NewSectionReader(src.File, 0, src.Size))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFile(t *testing.T) {
	dir := write(t, map[string]string{"memory.jsonl": "{}\n"})
	name := filepath.Join(dir, "memory.jsonl")
	when := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
	in := open(t, name, source.Options{})
	if in.Name != "memory.jsonl" || in.Size != 3 || in.Tree != nil || !in.Modified.Equal(when) {
		t.Errorf("source is %q of %d bytes, tree %v, modified %v", in.Name, in.Size, in.Tree, in.Modified)
	}
	if got := content(t, in.Source); got != "{}\n" {
		t.Errorf("content is %q", got)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := in.Close(); err != nil {
		t.Errorf("a second Close fails: %v", err)
	}
	if _, err := in.File.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after Close gives %v", err)
	}
}

func TestFileThroughNamedLink(t *testing.T) {
	dir := write(t, map[string]string{"real.txt": "text"})
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink("real.txt", link); err != nil {
		t.Skip("skipped: no symbolic links here")
	}
	if got := content(t, open(t, link, source.Options{}).Source); got != "text" {
		t.Errorf("content is %q", got)
	}
}

func TestFolder(t *testing.T) {
	dir := write(t, map[string]string{"CLAUDE.md": "# Rules\n", "docs/a.md": "a", "docs/deep/b.md": "b"})
	in := open(t, dir, source.Options{})
	if in.File != nil || in.Name != filepath.Base(dir) || in.Modified.IsZero() {
		t.Errorf("source is %+v", in.Source)
	}
	if err := fstest.TestFS(in.Tree, "CLAUDE.md", "docs/a.md", "docs/deep/b.md"); err != nil {
		t.Error(err)
	}
}

func TestFolderNamedByDot(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "a"})
	t.Chdir(dir)
	if in := open(t, ".", source.Options{}); in.Name != filepath.Base(dir) {
		t.Errorf("name is %q, want %q", in.Name, filepath.Base(dir))
	}
}

func TestStdin(t *testing.T) {
	temp := t.TempDir()
	in := open(t, "-", source.Options{Stdin: strings.NewReader("piped"), Temp: temp})
	if got := content(t, in.Source); got != "piped" || in.Size != 5 {
		t.Errorf("content is %q of %d bytes", got, in.Size)
	}
	if !in.Modified.IsZero() {
		t.Errorf("piped input claims to be from %v", in.Modified)
	}
	info, err := in.File.(*os.File).Stat()
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		t.Errorf("the spool has mode %v: others may read it", mode)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	empty(t, temp)
}

func TestStdinRefused(t *testing.T) {
	broken := errors.New("the pipe broke")
	for name, test := range map[string]struct {
		in   io.Reader
		want error
	}{
		"longer than the limit": {strings.NewReader("123456789"), source.ErrTooLarge},
		"endless":               {endless{}, source.ErrTooLarge},
		"broken off":            {io.MultiReader(strings.NewReader("12"), failing{broken}), broken},
		"broken at the limit":   {io.MultiReader(strings.NewReader("12345678"), failing{broken}), broken},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			_, err := source.Open("-", source.Options{Stdin: test.in, Temp: temp, Limits: codec.Limits{Document: 8}})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			empty(t, temp)
		})
	}
	t.Run("absent", func(t *testing.T) {
		if _, err := source.Open("-", source.Options{}); err == nil {
			t.Error("accepted")
		}
	})
	t.Run("exactly the limit is taken", func(t *testing.T) {
		opt := source.Options{Stdin: strings.NewReader("12345678"), Temp: t.TempDir(), Limits: codec.Limits{Document: 8}}
		if got := content(t, open(t, "-", opt).Source); got != "12345678" {
			t.Errorf("content is %q", got)
		}
	})
}

func TestHugeSparseFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "huge.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skipf("skipped: no sparse files here: %v", err)
	}
	if _, err := source.Open(name, source.Options{}); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("as a file: got %v", err)
	}
	tree := open(t, dir, source.Options{}).Tree
	if _, err := tree.Open("huge.jsonl"); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("in a folder: got %v", err)
	}
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if _, err := source.Open(filepath.Join(dir, "none"), source.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("as a file: got %v", err)
	}
	if _, err := open(t, dir, source.Options{}).Tree.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder: got %v", err)
	}
}

func TestTooManyFiles(t *testing.T) {
	dir := write(t, map[string]string{"a": "", "b": "", "c": ""})
	for limit, want := range map[int]error{2: source.ErrTooMany, 3: nil} {
		tree := open(t, dir, source.Options{Limits: codec.Limits{Files: limit}}).Tree
		if _, err := fs.ReadDir(tree, "."); !errors.Is(err, want) {
			t.Errorf("limit %d, ReadDir: got %v, want %v", limit, err, want)
		}
		if got := bySteps(t, tree); !errors.Is(got, want) {
			t.Errorf("limit %d, step by step: got %v, want %v", limit, got, want)
		}
	}
}

// bySteps lists the root one entry at a time and returns the error at its end, nil for a
// proper end.
func bySteps(t *testing.T, tree fs.FS) error {
	t.Helper()
	f, err := tree.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.(fs.ReadDirFile).ReadDir(1); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("%d files are left behind, the first is %s", len(left), left[0].Name())
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
