//go:build !windows

package access

import (
	"io/fs"
	"os"
)

// OpenToOthers reports whether other users have access to the file or folder at path. info
// describes it.
func OpenToOthers(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// Command is the command with which a person closes a file or folder to other users.
func Command(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "chmod 700 " + path
	}
	return "chmod 600 " + path
}

// Close takes the access to a file or folder from other users.
func Close(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.Chmod(path, 0o700)
	}
	return os.Chmod(path, 0o600)
}

// Enclose closes a new folder to other users. On this system the folder's mode has done that.
func Enclose(string) error { return nil }
