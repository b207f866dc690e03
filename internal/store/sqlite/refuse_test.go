package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// made is the path of a store with some rows, closed.
func made(t testing.TB, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	for n := range rows {
		update(t, s, func(w store.Writer) error { return insertSmall(w, memory.ID(fmt.Sprint("urn:ump:", n))) })
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused expects that opening fails in a certain way, says what to do, and
// leaves the file as it was.
func refused(t *testing.T, path string, opt Options, want error) {
	t.Helper()
	before, _ := os.ReadFile(path) // may not exist
	s, err := Open(t.Context(), path, opt)
	if err == nil {
		err = s.Close()
		t.Fatalf("it opened; %v", err)
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if e, ok := errors.AsType[*memory.Error](err); !ok || !strings.ContainsAny(e.Message, ";,") {
		t.Errorf("the message does not say what to do: %v", err)
	}
	after, _ := os.ReadFile(path)
	if !bytes.Equal(before, after) {
		t.Error("the file has changed")
	}
}

func TestRefusal(t *testing.T) {
	file := func(t *testing.T, content []byte) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("a file that is no database", func(t *testing.T) {
		refused(t, file(t, bytes.Repeat([]byte("not a database "), 1000)), Options{}, store.ErrNotStore)
		refused(t, file(t, []byte("short")), Options{}, store.ErrNotStore)
		refused(t, file(t, []byte("short")), Options{ReadOnly: true}, store.ErrNotStore)
	})
	t.Run("a database of another program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "other.db")
		statement(t, path, "CREATE TABLE t (a)")
		refused(t, path, Options{}, store.ErrNotStore)
		refused(t, path, Options{ReadOnly: true}, store.ErrNotStore)
	})
	t.Run("a store of a later release", func(t *testing.T) {
		path := made(t, 1)
		statement(t, path, "PRAGMA user_version = 99")
		refused(t, path, Options{}, store.ErrNewer)
		refused(t, path, Options{ReadOnly: true}, store.ErrNewer)
	})
	t.Run("a store of a revision that was never released", func(t *testing.T) {
		path := made(t, 1)
		statement(t, path, "PRAGMA user_version = 1")
		for _, opt := range []Options{{}, {ReadOnly: true}} {
			refused(t, path, opt, store.ErrNotStore)
			_, err := Open(t.Context(), path, opt)
			if err == nil || !strings.Contains(err.Error(), "export it with that revision") {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("a database of another program with our schema number", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "other.db")
		statement(t, path, "CREATE TABLE t (a); PRAGMA user_version = 2")
		refused(t, path, Options{}, store.ErrNotStore)
	})
	t.Run("a store that somebody put a trigger or a view into", func(t *testing.T) {
		for _, trap := range []string{
			"CREATE TABLE shadow (a); CREATE TRIGGER t AFTER INSERT ON records BEGIN INSERT INTO shadow VALUES (new.origin); END",
			"CREATE VIEW v AS SELECT origin FROM records",
		} {
			path := made(t, 1)
			statement(t, path, trap)
			refused(t, path, Options{}, store.ErrNotStore)
			refused(t, path, Options{ReadOnly: true}, store.ErrNotStore)
		}
	})
	t.Run("a truncated file", func(t *testing.T) {
		path := made(t, 50)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, info.Size()/2/4096*4096); err != nil {
			t.Fatal(err)
		}
		refused(t, path, Options{}, nil)
	})
	t.Run("nothing to read", func(t *testing.T) {
		refused(t, filepath.Join(t.TempDir(), "none.db"), Options{ReadOnly: true}, store.ErrNotStore)
		refused(t, file(t, nil), Options{ReadOnly: true}, store.ErrNotStore)
	})
	t.Run("an empty file becomes a store", func(t *testing.T) {
		s := open(t, file(t, nil))
		update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
		sound(t, s)
	})
}

// statement runs one statement on a file with nothing of the store around it.
func statement(t testing.TB, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnly(t *testing.T) {
	path := made(t, 3)
	s, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // only read
	present(t, s, []memory.ID{"urn:ump:0", "urn:ump:2"})
	if err := s.Update(t.Context(), ada, func(store.Writer) error { return nil }); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Update: %v", err)
	}
	if err := s.Compact(t.Context()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Compact: %v", err)
	}
	sound(t, s)
}

// TestReadOnlyFolder needs a user whom permissions bind.
func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: folders have no permission bits on Windows")
	}
	t.Run("closed in order", func(t *testing.T) { onlyReadable(t, made(t, 3)) })
	t.Run("with a log that a crash left", func(t *testing.T) { onlyReadable(t, crashed(t, made(t, 3))) })
}

// crashed returns a copy of a store as a killed program leaves it: a row is in the log
// alone, and nobody has an index of the log. One of the other rows is gone.
func crashed(t *testing.T, path string) string {
	t.Helper()
	s := open(t, path)
	update(t, s, func(w store.Writer) error { return errors.Join(insertSmall(w, "urn:ump:late"), w.Delete("urn:ump:0")) })
	copied := filepath.Join(t.TempDir(), "satchel.db")
	for _, suffix := range []string{"", "-wal", ".lock", ".next"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(copied+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// onlyReadable opens a store of three rows as somebody who cannot write it.
func onlyReadable(t *testing.T, path string) {
	t.Helper()
	modes := map[string]fs.FileMode{filepath.Dir(path): 0o555, path: 0o444, path + "-wal": 0o444, path + ".lock": 0o444, path + ".next": 0o444}
	for name, mode := range modes {
		if err := os.Chmod(name, mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) }) // so that it can be removed
	cmd := helper(t, "locked", path)
	if os.Getuid() == 0 {
		cmd = asNobody(t, cmd, path)
	}
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// helpLocked opens a store whose folder it cannot write.
func helpLocked(path string) error {
	ctx := context.Background()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("opening for writing: %w", err)
	}
	s, err := Open(ctx, path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close() // only read
	return s.View(ctx, ada, func(r store.Reader) error {
		n, err := r.Count(store.Filter{})
		if n != 3 {
			return fmt.Errorf("%d rows, %w", n, err)
		}
		return err
	})
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: files have no permission bits on Windows")
	}
	path := filepath.Join(t.TempDir(), "a", "b", "satchel.db")
	cmd := exec.Command("sh", "-c", `umask 0 && exec "$0" "$1"`, os.Args[0], path)
	cmd.Env = append(os.Environ(), helperEnv+"=modes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// helpModes makes a store under a umask that forbids nothing.
func helpModes(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if err := s.Update(ctx, ada, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") }); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Dir(filepath.Dir(path)), func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			err = fmt.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
}

// TestBusy has another program hold the store for longer than a write waits.
func TestBusy(t *testing.T) {
	path := made(t, 1)
	c, err := dial(t.Context(), source(path, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close() // only reads
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // nothing was written
	insert := func(w store.Writer) error { return insertSmall(w, "urn:ump:x") }
	if err := s.Update(t.Context(), ada, insert); !errors.Is(err, store.ErrBusy) {
		t.Errorf("while the store is held: %v", err)
	}
	if _, err := c.exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), ada, insert); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestBusyGate has another store wait behind one that does not finish, give up,
// and be in nobody's way after that.
func TestBusyGate(t *testing.T) {
	path := made(t, 1)
	first := open(t, path)
	second, err := Open(t.Context(), path, Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close() // what it wrote is looked at
	insert := func(w store.Writer) error { return insertSmall(w, "urn:ump:x") }
	update(t, first, func(store.Writer) error {
		for range 2 {
			if err := second.Update(t.Context(), ada, insert); !errors.Is(err, store.ErrBusy) {
				t.Errorf("while the other writes: %v", err)
			}
		}
		return nil
	})
	time.Sleep(20 * time.Millisecond) // until the second has the lock it no longer wants
	update(t, first, func(w store.Writer) error { return insertSmall(w, "urn:ump:y") })
	for err = store.ErrBusy; errors.Is(err, store.ErrBusy); {
		err = second.Update(t.Context(), ada, insert)
	}
	if err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestGiveUp cancels an Update that waits for another process.
func TestGiveUp(t *testing.T) {
	path := made(t, 1)
	first, second := open(t, path), open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	update(t, first, func(store.Writer) error {
		go func() {
			result <- second.Update(ctx, ada, func(store.Writer) error {
				t.Error("a function ran although its caller had given up")
				return nil
			})
		}()
		time.Sleep(20 * time.Millisecond) // so that it waits for the lock, most of the time
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	update(t, second, func(w store.Writer) error { return insertSmall(w, "urn:ump:x") })
}
