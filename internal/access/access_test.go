package access_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/satchel-memory/satchel/internal/access"
)

// TestClose opens a folder and a file to others and closes them again.
func TestClose(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	file := filepath.Join(dir, "file")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := access.Enclose(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(path string) bool {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return access.OpenToOthers(path, info)
	}
	if open(dir) || open(file) {
		t.Errorf("new: the folder is open to others: %v, the file: %v", open(dir), open(file))
	}
	for _, path := range []string{dir, file} {
		openUp(t, path)
		if !open(path) {
			t.Errorf("%s is open to others, and is said to be closed", path)
		}
		if err := access.Close(path); err != nil || open(path) {
			t.Errorf("%s stays open to others: %v", path, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("its owner is kept out: %v", err)
	}
	if err := access.Close(filepath.Join(dir, "none")); err == nil && runtime.GOOS != "windows" {
		t.Error("what is not there was closed")
	}
}
