package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first", strings.Repeat("second ", 100_000)} {
		if err := atomicfile.Write(path, 0o640, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text, 0o640)
	}
	alone(t, dir)
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := atomicfile.Create(path, 0o640, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(path, 0o600, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: got %v", err)
	}
	holds(t, path, "first", 0o640)
	alone(t, dir)
	if err := atomicfile.Create(filepath.Join(dir, "none", "file"), 0o600, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is missing: got %v", err)
	}
}

func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := atomicfile.Write(path, 0o600, []byte("before")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := atomicfile.Replace(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half ", 100_000))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want what broke", err)
	}
	holds(t, path, "before", 0o600)
	alone(t, dir)
	if err := atomicfile.Write(filepath.Join(dir, "none", "file"), 0o600, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is missing: got %v", err)
	}
	if err := atomicfile.Write(dir, 0o600, nil); err == nil {
		t.Error("a folder was replaced by a file")
	}
	alone(t, dir)
}

func TestLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	real, link := filepath.Join(elsewhere, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("skipped: no links here: %v", err)
	}
	if err := atomicfile.Write(atomicfile.Target(link), 0o600, []byte("after")); err != nil {
		t.Fatal(err)
	}
	holds(t, real, "after", 0o600)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v %v", info, err)
	}
	if err := atomicfile.Write(link, 0o600, []byte("beside")); err != nil {
		t.Fatal(err)
	}
	holds(t, real, "after", 0o600)
	holds(t, link, "beside", 0o600)
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v %v", info, err)
	}
	if got := atomicfile.Target(filepath.Join(dir, "none")); got != filepath.Join(dir, "none") {
		t.Errorf("of what is not there: %s", got)
	}
}

// TestStreams writes to a pipe, which stays one.
func TestStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Skipf("skipped: no pipes with names here: %v %s", err, out)
	}
	got := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		got <- string(text)
	}()
	if err := atomicfile.Write(path, 0o600, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("%q came through the pipe", text)
	}
	if !atomicfile.IsStream(path) {
		t.Error("the pipe was replaced by a file")
	}
	alone(t, filepath.Dir(path))
}

func holds(t *testing.T, path, want string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Fatalf("%s holds %d bytes (%v), want %d", path, len(got), err, len(want))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("mode %v (%v), want %v", info.Mode(), err, mode)
	}
}

// alone makes sure that nothing was left beside the one file.
func alone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want the one file", entries, err)
	}
}

// TestReplaceBy refuses one write after the other, at last the renaming: nothing is left.
func TestReplaceBy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	text := strings.Repeat("piece ", 30_000)
	refused := errors.New("refused")
	fill := func(w io.Writer) error {
		_, err := io.WriteString(w, text[:100_000])
		if err == nil {
			_, err = io.WriteString(w, text[100_000:])
		}
		return err
	}
	for allowed := 0; ; allowed++ {
		passed, named := 0, 0
		err := atomicfile.ReplaceBy(path, 0o600, func(write func() error) error {
			if passed++; passed > allowed {
				return refused
			}
			err := write()
			if _, there := os.Stat(path); there == nil {
				named = passed
			}
			return err
		}, fill)
		if err == nil {
			if holds(t, path, text, 0o600); named != passed || named < 3 {
				t.Errorf("of %d writes that passed number %d gave it its name", passed, named)
			}
			break
		}
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("after %d writes there is %v, %v", allowed, left, err)
		}
	}
	alone(t, dir)
}
