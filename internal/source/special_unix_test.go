//go:build unix

package source_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/source"
)

func TestSpecialFilesRefused(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skipf("skipped: no named pipes here: %v", err)
	}
	if err := os.Symlink("fifo", filepath.Join(dir, "to-fifo")); err != nil {
		t.Fatal(err)
	}
	// The short relative name keeps the socket's path within the system's limit.
	t.Chdir(dir)
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Skipf("skipped: no sockets here: %v", err)
	}
	defer socket.Close()

	tree := open(t, dir, source.Options{}).Tree
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"fifo", "to-fifo", "socket"} {
			if _, err := source.Open(filepath.Join(dir, name), source.Options{}); !errors.Is(err, source.ErrSpecial) {
				t.Errorf("%s by name: got %v", name, err)
			}
			if _, err := tree.Open(name); !errors.Is(err, source.ErrSpecial) {
				t.Errorf("%s in a folder: got %v", name, err)
			}
		}
		for _, device := range []string{"/dev/zero", "/dev/null"} {
			if _, err := source.Open(device, source.Options{}); !errors.Is(err, source.ErrSpecial) {
				t.Errorf("%s: got %v", device, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("opening a pipe waits for a writer")
	}
}

func TestUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"closed.md": "text", "shut/a.md": "a"})
	if err := os.Chmod(filepath.Join(dir, "closed.md"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "shut"), 0o700) })
	for _, above := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(above, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore, ok := asNobody()
	if !ok {
		t.Skip("skipped: root reads everything, and cannot step down here")
	}
	defer restore()
	if _, err := source.Open(filepath.Join(dir, "closed.md"), source.Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("by name: got %v", err)
	}
	in, err := source.Open(dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, name := range []string{"closed.md", "shut/a.md"} {
		if _, err := in.Tree.Open(name); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s in a folder: got %v", name, err)
		}
	}
	if _, err := fs.ReadDir(in.Tree, "shut"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("listing: got %v", err)
	}
}
