//go:build !windows

package access_test

import (
	"os"
	"testing"
)

// openUp lets everybody of the group read. On Windows, where files have no modes, its
// counterpart puts an entry for everybody into the list.
func openUp(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Chmod(path, info.Mode().Perm()|0o040)
	}
	if err != nil {
		t.Fatal(err)
	}
}

