package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
)

// writerFunc lets something happen whenever a backup writes.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func nothingLeft(t *testing.T, path string) {
	t.Helper()
	if left, _ := filepath.Glob(path + ".copy-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestBackupBesideCompact compacts while a backup is under way.
func TestBackupBesideCompact(t *testing.T) {
	path := made(t, 20)
	s, other := open(t, path), open(t, path)
	leftover := path + ".copy-1"
	must(t, os.WriteFile(leftover, []byte("x"), 0o600))
	update(t, s, func(w store.Writer) error { return w.Delete("urn:ump:19") })
	var copied bytes.Buffer
	must(t, s.Backup(t.Context(), writerFunc(func(p []byte) (int, error) {
		for _, s := range []*Store{s, other} {
			if err := s.Compact(t.Context()); !errors.Is(err, store.ErrBusy) {
				t.Errorf("a copy exists, and Compact says %v", err)
			}
			if owed, err := s.Owed(t.Context()); err != nil || !owed {
				t.Errorf("nothing is owed while a copy exists: %v", err)
			}
		}
		if left, _ := filepath.Glob(path + ".copy-*"); len(left) != 1 || exists(leftover) {
			t.Errorf("there are %v", left)
		}
		return copied.Write(p)
	})))
	nothingLeft(t, path)
	must(t, other.Compact(t.Context()))
	if owed, err := s.Owed(t.Context()); err != nil || owed {
		t.Errorf("something is owed in the end: %v", err)
	}
	again := filepath.Join(t.TempDir(), "copy.db")
	must(t, os.WriteFile(again, copied.Bytes(), 0o600))
	sound(t, open(t, again))
}

// TestCopiesAtOnce makes copies while others clear up all the time.
func TestCopiesAtOnce(t *testing.T) {
	racing.Skip(t)
	path := made(t, 5)
	s := open(t, path)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := s.removeLeftovers(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 100 {
		var b bytes.Buffer
		if err := s.Backup(t.Context(), &b); err != nil || b.Len() == 0 {
			t.Errorf("%d bytes, %v", b.Len(), err)
			break
		}
	}
	close(stop)
	wg.Wait()
	nothingLeft(t, path)
}

// TestBackupGivesUp ends a backup before it begins, while the copy is made, and
// while it is sent.
func TestBackupGivesUp(t *testing.T) {
	path := made(t, 20)
	s := open(t, path)
	update(t, s, func(w store.Writer) error {
		row := small("urn:ump:large")
		row.Origin = make([]byte, 32<<20)
		_, err := w.Insert(row, store.Document{}, store.Links{})
		return err
	})
	for name, when := range map[string]func(sent int) bool{
		"before": func(int) bool { return true },
		"while the copy is made": func(int) bool {
			made, _ := filepath.Glob(path + ".copy-*")
			return len(made) > 0
		},
		"while it is sent": func(sent int) bool { return sent > 0 },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sent := 0
			if when(sent) {
				cancel()
			}
			if name == "while the copy is made" {
				go func() {
					for ctx.Err() == nil && !when(0) {
						time.Sleep(100 * time.Microsecond)
					}
					cancel()
				}()
			}
			err := s.Backup(ctx, writerFunc(func(p []byte) (int, error) {
				sent += len(p)
				if name == "while it is sent" && when(sent) {
					cancel()
				}
				return len(p), nil
			}))
			if !errors.Is(err, context.Canceled) || sent > 1<<20 || sent > 0 != (name == "while it is sent") {
				t.Errorf("%d bytes were sent, %v", sent, err)
			}
			nothingLeft(t, path)
		})
	}
}

// TestMigrationKeepsNoCopy has something in the way of the copy's name.
func TestMigrationKeepsNoCopy(t *testing.T) {
	path := made(t, 5)
	must(t, os.MkdirAll(filepath.Join(path+".v13.bak", "full"), 0o700))
	s, err := Open(t.Context(), path, Options{migrations: later(t, "CREATE TABLE more (a);")})
	if err == nil {
		t.Fatal(s.Close())
	}
	nothingLeft(t, path)
	sound(t, open(t, path))
}
