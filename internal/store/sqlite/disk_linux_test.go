package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// asNobody makes a command run as a user without privileges, from a place that
// user can reach.
func asNobody(t testing.TB, cmd *exec.Cmd, path string) *exec.Cmd {
	t.Helper()
	for dir := filepath.Dir(filepath.Dir(path)); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "helper")
	data, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	if err == nil {
		err = os.Chmod(filepath.Dir(program), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = program
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

// TestFullDisk fills a small file system.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skip("skipped: no file system can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	fill(t, filepath.Join(dir, "satchel.db"))
}

// TestFullQuota runs into a limit on the size of files.
func TestFullQuota(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	if out, err := helper(t, "fill", path).Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sound(t, open(t, path))
}

func helpFill(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	acknowledged, err := fillUp(s)
	if err == nil {
		err = s.View(context.Background(), ada, func(r store.Reader) error {
			for _, id := range acknowledged {
				if _, err := r.Row(id); err != nil {
					return fmt.Errorf("%s was acknowledged: %w", id, err)
				}
			}
			return nil
		})
	}
	return errors.Join(err, s.Close())
}

// fillUp writes with several goroutines until there is no room, and expects the
// right error of each.
func fillUp(s *Store) ([]memory.ID, error) {
	var mu sync.Mutex
	var acknowledged []memory.ID
	var failed error
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			ids, err := fillAlone(s, g)
			mu.Lock()
			defer mu.Unlock()
			acknowledged = append(acknowledged, ids...)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	if len(acknowledged) == 0 {
		failed = errors.Join(failed, errors.New("nothing was acknowledged before there was no room"))
	}
	return acknowledged, failed
}

func fillAlone(s *Store, g int) (acknowledged []memory.ID, err error) {
	for n := range 100_000 {
		id := memory.ID(fmt.Sprintf("urn:ump:%d-%d%s", g, n, strings.Repeat("x", n%500)))
		err := s.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, id) })
		if errors.Is(err, store.ErrFull) {
			return acknowledged, nil
		}
		if err != nil {
			return nil, fmt.Errorf("no room: %w", err)
		}
		acknowledged = append(acknowledged, id)
	}
	return nil, errors.New("there is room without end")
}

// fill expects that a full disk loses nothing and that room heals it.
func fill(t *testing.T, path string) {
	s := open(t, path)
	ballast := path + "-ballast"
	if err := os.WriteFile(ballast, make([]byte, 1<<19), 0o600); err != nil {
		t.Fatal(err)
	}
	acknowledged, err := fillUp(s)
	if err != nil {
		t.Fatal(err)
	}
	present(t, s, acknowledged)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:after") })
	present(t, s, acknowledged, []memory.ID{"urn:ump:after"})
	sound(t, s)
}
