package vault_test

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// TestKernelStaysInside: only the packages above the kernel get hold of it, since it
// asks for no caller.
func TestKernelStaysInside(t *testing.T) {
	const inside = "internal/vault"
	users := map[string]bool{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err == nil && strings.Contains(string(data), "vault."+"KernelOf(") {
			users[path.Dir(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !users[inside+"/rekey"] {
		t.Error("internal/vault/rekey was not seen")
	}
	for user := range users {
		if path.Dir(user) != inside {
			t.Errorf("%s gets hold of the kernel", user)
		}
	}
}
