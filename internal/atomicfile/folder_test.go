package atomicfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// ours are files that begin with a mark.
func ours(_ string, data []byte) bool { return bytes.HasPrefix(data, []byte("mark")) }

func open(t *testing.T, dir string, opt atomicfile.FolderOptions) *atomicfile.Folder {
	t.Helper()
	if opt.Ours == nil {
		opt.Ours = ours
	}
	f, err := atomicfile.OpenFolder(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, dir, name, text string, mode fs.FileMode) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestFolderPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := open(t, dir, atomicfile.FolderOptions{})
	put(t, dir, fmt.Sprintf(".satchel-%d-0", os.Getpid()), "of a run that was cut off", 0o600)
	put(t, dir, "old.md", "mark one", 0o644)
	put(t, dir, "same.md", "somebody's", 0o600)
	for name, text := range map[string]string{"a.md": "mark a", "below/deep/b.md": "mark b", "old.md": "mark two", "same.md": "somebody's"} {
		if err := f.Put(name, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Put("a.md", []byte("anew")); err != nil {
		t.Errorf("what this run wrote itself: %v", err)
	}
	holds(t, filepath.Join(dir, "a.md"), "anew", 0o600)
	holds(t, filepath.Join(dir, "below/deep/b.md"), "mark b", 0o600)
	holds(t, filepath.Join(dir, "old.md"), "mark two", 0o644)
	if got, want := f.Written(), []string{"a.md", "below/deep/b.md", "old.md", "same.md"}; !slices.Equal(got, want) {
		t.Errorf("written %q, want %q", got, want)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

func TestFolderRefuses(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, dir, "theirs.md", "their own", 0o600)
	put(t, dir, "large.md", "mark "+string(make([]byte, 100)), 0o600)
	put(t, dir, "folder/x.md", "mark", 0o600)
	put(t, outside, "target.md", "mark outside", 0o600)
	want := map[string]error{
		"theirs.md": atomicfile.ErrForeign, "large.md": atomicfile.ErrForeign, "folder": atomicfile.ErrForeign,
		"../x.md": atomicfile.ErrOutside, "/x.md": atomicfile.ErrOutside, "": atomicfile.ErrOutside, ".": atomicfile.ErrOutside,
		"a/../x.md": atomicfile.ErrOutside, "theirs.md/x": atomicfile.ErrLink,
	}
	if runtime.GOOS != "windows" {
		for name, target := range map[string]string{"link.md": filepath.Join(outside, "target.md"), "within.md": "folder/x.md", "away": outside, "near": "folder"} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		want["link.md"], want["within.md"] = atomicfile.ErrForeign, atomicfile.ErrForeign
		want["away/new.md"], want["near/new.md"], want["near/x.md"] = atomicfile.ErrLink, atomicfile.ErrLink, atomicfile.ErrLink
	}
	f := open(t, dir, atomicfile.FolderOptions{Most: 50})
	for name, want := range want {
		if err := f.Put(name, []byte("mark new")); !errors.Is(err, want) || errors.Is(err, fs.ErrInvalid) != (want == atomicfile.ErrOutside) {
			t.Errorf("%q: got %v, want %v", name, err, want)
		}
	}
	holds(t, filepath.Join(outside, "target.md"), "mark outside", 0o600)
	holds(t, filepath.Join(dir, "folder/x.md"), "mark", 0o600)
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there is %v (%v)", entries, err)
	}
	if len(f.Written()) > 0 {
		t.Errorf("written %q", f.Written())
	}
}

// TestFolderHeld replaces a file that Held returned, unless somebody else changes it.
func TestFolderHeld(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "index.md", "theirs", 0o640)
	put(t, dir, "other.md", "theirs", 0o600)
	put(t, dir, "gone.md", "theirs", 0o600)
	f := open(t, dir, atomicfile.FolderOptions{})
	for _, name := range []string{"index.md", "other.md", "gone.md"} {
		if got, err := f.Held(name); err != nil || string(got) != "theirs" {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"new.md", "below/new.md"} {
		if _, err := f.Held(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := f.Put("index.md", []byte("theirs and ours")); err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "index.md"), "theirs and ours", 0o640)
	put(t, dir, "other.md", "theirs, edited", 0o600)
	put(t, dir, "new.md", "theirs, new", 0o600)
	if err := os.Remove(filepath.Join(dir, "gone.md")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"other.md": atomicfile.ErrChanged, "new.md": atomicfile.ErrChanged, "gone.md": atomicfile.ErrChanged, "below/new.md": nil} {
		if err := f.Put(name, []byte("ours")); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	holds(t, filepath.Join(dir, "other.md"), "theirs, edited", 0o600)
}

func TestFolderLeft(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "mark a", "below/b.md": "mark b", "c.md": "theirs", ".git/d.md": "mark d"} {
		put(t, dir, name, text, 0o600)
	}
	f := open(t, dir, atomicfile.FolderOptions{})
	if err := f.Put("a.md", []byte("mark new")); err != nil {
		t.Fatal(err)
	}
	left, err := f.Left(10)
	if err != nil || !slices.Equal(left, []string{"below/b.md"}) {
		t.Fatalf("left %q, %v", left, err)
	}
	if err := f.Remove("c.md"); !errors.Is(err, atomicfile.ErrForeign) {
		t.Errorf("somebody else's: %v", err)
	}
	if err := f.Remove("below/b.md"); err != nil {
		t.Error(err)
	}
	if left, err := f.Left(10); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if _, err := f.Left(0); err == nil {
		t.Error("more files were looked at than allowed")
	}
}

func TestFolderPasses(t *testing.T) {
	dir, refused := t.TempDir(), errors.New("refused")
	f := open(t, dir, atomicfile.FolderOptions{Pass: func(func() error) error { return refused }})
	if err := f.Put("a.md", []byte("mark")); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestFolderTogether: files that wait for the disk together are in place after Flush. Reading
// one of them earlier gives its content.
func TestFolderTogether(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, atomicfile.FolderOptions{Together: 3})
	for _, name := range []string{"a.md", "below/b.md", "a.md", "c.md"} {
		if err := f.Put(name, []byte("first "+name)); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, filepath.Join(dir, "below", "b.md"), "first below/b.md", 0o600)
	if _, err := os.Stat(filepath.Join(dir, "c.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("c.md did not wait: %v", err)
	}
	if got, err := f.Held("c.md"); err != nil || string(got) != "first c.md" {
		t.Errorf("held %q, %v", got, err)
	}
	for _, name := range []string{"d.md", "c.md"} {
		if err := f.Put(name, []byte("second "+name)); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := f.Left(10); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if want := []string{"a.md", "below/b.md", "c.md", "d.md"}; !slices.Equal(f.Written(), want) {
		t.Errorf("written %q, want %q", f.Written(), want)
	}
	holds(t, filepath.Join(dir, "c.md"), "second c.md", 0o600)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestFolderTogetherChanged: what somebody else does to a file while its new content waits is
// found before it is put in place.
func TestFolderTogetherChanged(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"edited.md", "gone.md", "read.md", "own.md"} {
		put(t, dir, name, "mark old", 0o600)
	}
	for name, c := range map[string]struct {
		meanwhile func(path string) error
		want      error
		holds     string
	}{
		"created.md":       {func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, atomicfile.ErrForeign, "theirs"},
		"below/created.md": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, atomicfile.ErrForeign, ""},
		"marked.md":        {func(path string) error { return os.WriteFile(path, []byte("mark theirs"), 0o600) }, atomicfile.ErrChanged, "mark theirs"},
		"edited.md":        {func(path string) error { return os.WriteFile(path, []byte("mark old, edited"), 0o600) }, atomicfile.ErrChanged, "mark old, edited"},
		"read.md":          {func(path string) error { return os.WriteFile(path, []byte("edited"), 0o600) }, atomicfile.ErrChanged, "edited"},
		"gone.md":          {os.Remove, atomicfile.ErrChanged, ""},
		"same.md":          {func(path string) error { return os.WriteFile(path, []byte("mark new"), 0o600) }, nil, "mark new"},
		"own.md":           {func(string) error { return nil }, nil, "mark new"},
	} {
		f := open(t, dir, atomicfile.FolderOptions{Together: 3})
		if name == "read.md" {
			if _, err := f.Held(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Put(name, []byte("mark new")); err != nil {
			t.Fatal(name, err)
		}
		if err := c.meanwhile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := f.Flush(); !errors.Is(err, c.want) || (c.want == nil) != slices.Contains(f.Written(), name) {
			t.Errorf("%s: got %v, want %v; written %q", name, err, c.want, f.Written())
		}
		if name != "gone.md" {
			holds(t, filepath.Join(dir, name), c.holds, 0o600)
		}
	}
	if found, err := filepath.Glob(filepath.Join(dir, ".satchel-*")); err != nil || len(found) > 0 {
		t.Errorf("%q are left (%v)", found, err)
	}
}

// TestFolderCase: a file does not wait beside one that is the same on a file system without
// case, and does not replace it there.
func TestFolderCase(t *testing.T) {
	for first, second := range map[string]string{"A.md": "a.md", "\u00e9.md": "e\u0301.md", "Über/a.md": "über"} {
		dir := t.TempDir()
		f := open(t, dir, atomicfile.FolderOptions{Together: 3})
		if err := f.Put(first, []byte("mark first")); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Held(second); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		holds(t, filepath.Join(dir, filepath.FromSlash(first)), "mark first", 0o600)
	}
	dir := t.TempDir()
	f := open(t, dir, atomicfile.FolderOptions{Together: 3})
	if err := errors.Join(f.Put("A.md", []byte("mark first")), f.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "A.md"), filepath.Join(dir, "a.md")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Skip("the file system has no second names:", err) // one without case has this name by itself
	}
	if err := f.Put("a.md", []byte("mark second")); !errors.Is(err, atomicfile.ErrTwice) {
		t.Errorf("got %v", err)
	}
	holds(t, filepath.Join(dir, "A.md"), "mark first", 0o600)
}

// TestFolderTidies: Left removes the temporary files of a killed run, and nothing else.
func TestFolderTidies(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".satchel-7-0", ".satchel-7-63", "below/.satchel-7-1", ".satchel-notes", ".satchel-7-x.md", "satchel-7-0"} {
		put(t, dir, name, "mark", 0o600)
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, ".satchel-8-0", "of a run that is under way", 0o600)
	f := open(t, dir, atomicfile.FolderOptions{Ours: func(string, []byte) bool { return false }})
	if left, err := f.Left(10); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	var got []string
	for _, pattern := range []string{".s*", "s*", "below/.*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			got = append(got, filepath.Base(path))
		}
	}
	if want := []string{".satchel-7-x.md", ".satchel-8-0", ".satchel-notes", "satchel-7-0"}; !slices.Equal(got, want) {
		t.Errorf("%q stay, want %q", got, want)
	}
}

// TestFolderTogetherFails refuses one passage after the other: the files before it are in
// place, those behind it are not, and nothing else is left.
func TestFolderTogetherFails(t *testing.T) {
	refused := errors.New("refused")
	names := []string{"a.md", "b.md", "c.md", "d.md", "e.md"}
	for allowed := 0; ; allowed++ {
		dir, passed := t.TempDir(), 0
		f := open(t, dir, atomicfile.FolderOptions{Together: 3, Pass: func(write func() error) error {
			if passed++; passed > allowed {
				return refused
			}
			return write()
		}})
		var err error
		for _, name := range names {
			if err == nil {
				err = f.Put(name, []byte(name))
			}
		}
		err = errors.Join(err, f.Flush())
		entries, failed := os.ReadDir(dir)
		if failed != nil || len(entries) != len(f.Written()) || !slices.Equal(f.Written(), names[:len(entries)]) {
			t.Fatalf("after %d passages the folder holds %v (%v), written %q", allowed, entries, failed, f.Written())
		}
		if err == nil {
			if len(entries) != len(names) || passed != allowed {
				t.Errorf("%d files after %d passages, of which %d were allowed", len(entries), passed, allowed)
			}
			return
		}
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
	}
}
