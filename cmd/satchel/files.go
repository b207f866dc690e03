package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// others reports whether somebody but the owner may use a file or folder.
func others(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// stdout is what a path says for standard output.
func stdout(path string) bool { return path == "" || path == "-" }

// place writes to a file, wholly or not at all, or to standard output.
func (a *app) place(path string, fill func(io.Writer) error) error {
	if stdout(path) {
		return fill(a.out)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file", path)
	}
	return atomicfile.Replace(path, 0o600, fill)
}
