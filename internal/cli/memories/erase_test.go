package memories

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestClear: erase names the files that are not the program's, and none of its locks.
func TestClear(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	for _, path := range []string{h.Config(), filepath.Join(h.Dir, "run", "tools.json")} {
		if err := cli.InTurn(path, func() error { return os.WriteFile(path, []byte("{}"), 0o600) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notes.txt", "all.ump.json", "sync.json", "syncing.lock"} {
		if err := os.WriteFile(filepath.Join(h.Dir, name), []byte("bees"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var e erasure
	if err := e.clear(h); err != nil {
		t.Fatal(err)
	}
	if want := []string{"all.ump.json"}; !slices.Equal(e.Files, want) {
		t.Errorf("removed %q, want %q", e.Files, want)
	}
	if want := []string{"notes.txt", filepath.Join("run", "tools.json")}; !slices.Equal(e.Left, want) {
		t.Errorf("left %q, want %q", e.Left, want)
	}
}
