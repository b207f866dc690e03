package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/satchel-memory/satchel/internal/atomicfile"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// spare is a copy of the store in a file beside it. The file is locked while the copy
// is in use. So Compact, of this process or another, can tell it from the copy of a
// process that died.
type spare struct{ f *os.File }

// copyInto writes c's snapshot into a spare, down to the disk.
func copyInto(ctx context.Context, c *conn, path string) (spare, error) {
	f, err := createLocked(filepath.Dir(path), filepath.Base(path)+".copy-*")
	if err != nil {
		return spare{}, gateError(err)
	}
	s := spare{f}
	err = c.execWithin(ctx, "VACUUM INTO ?", f.Name())
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err = errors.Join(translate("copy store", err), f.Sync()); err != nil {
		return spare{}, errors.Join(err, s.remove())
	}
	return s, nil
}

// createLocked makes a new locked file. A cleanup may take the new file for a
// leftover before it is locked; then createLocked makes another.
func createLocked(dir, pattern string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, pattern)
		if err != nil {
			return nil, err
		}
		locked, err := filelock.Try(f)
		if cannotLock(err) || err == nil && locked && exists(f.Name()) {
			return f, nil
		}
		if err := errors.Join(err, removeOpen(f)); err != nil {
			return nil, err
		}
	}
}

// send writes the copy to w.
func (s spare) send(ctx context.Context, w io.Writer) error {
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, boundReader{ctx, s.f})
	return err
}

// keep renames the copy to a permanent name.
func (s spare) keep(name string) error {
	if runtime.GOOS == "windows" {
		_ = s.f.Close() // Windows does not rename open files
	}
	if err := os.Rename(s.f.Name(), name); err != nil {
		return errors.Join(fmt.Errorf("keep a copy: %w", err), s.remove())
	}
	_ = s.f.Close() // the copy is on the disk
	return nil
}

// remove deletes the copy.
func (s spare) remove() error { return removeOpen(s.f) }

func removeOpen(f *os.File) error {
	if runtime.GOOS == "windows" {
		_ = f.Close() // Windows does not remove open files
	}
	err := os.Remove(f.Name())
	_ = f.Close() // its content is not needed
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// removeLeftovers removes copies that are no longer in use. It reports whether one
// stays because a process still works on it.
func (s *Store) removeLeftovers() (busy bool, err error) {
	names, err := s.beside(".copy-*")
	for _, name := range names {
		used, failed := removeLeftover(name)
		busy, err = busy || used, errors.Join(err, failed)
	}
	if len(names) > 0 {
		err = errors.Join(err, atomicfile.SyncFolder(filepath.Dir(s.path)))
	}
	return busy, err
}

// removeKept removes the copies from before migrations, and the files that programs
// left beside them when they opened the copies. It first makes sure that the current
// store is sound.
func (s *Store) removeKept(ctx context.Context) error {
	names, err := s.beside(".v*.bak", ".v*.bak-*")
	if err != nil || len(names) == 0 {
		return err
	}
	if err := s.verify(ctx); err != nil {
		return refusal("compact", err, fmt.Sprintf(
			"%s was kept from before an update and holds what was deleted, but the store itself is damaged; "+
				"run satchel doctor, and remove the copy once you need it no more", names[0]))
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return refusal("compact", err, fmt.Sprintf(
				"%s was kept from before an update, holds what was deleted, and cannot be removed; "+
					"remove it by hand, then run satchel doctor --mend", name))
		}
	}
	return atomicfile.SyncFolder(filepath.Dir(s.path))
}

var errDamaged = errors.New("the store is damaged")

// verify asks SQLite whether the file is sound.
func (s *Store) verify(ctx context.Context) error {
	return s.readNow(ctx, func(c *conn) error {
		finding := ""
		if err := c.first("PRAGMA quick_check(1)", nil, &finding); err != nil || finding != "ok" {
			return errors.Join(errDamaged, err)
		}
		return nil
	})
}

// beside finds the files whose names are the store's name and one of these endings.
func (s *Store) beside(endings ...string) ([]string, error) {
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), base)
		matches := func(ending string) bool { found, _ := filepath.Match(ending, rest); return found }
		if ours && slices.ContainsFunc(endings, matches) {
			names = append(names, filepath.Join(dir, entry.Name()))
		}
	}
	return names, nil
}

// removeLeftover removes a copy unless it is locked. While SQLite fills a copy it
// keeps a journal beside it; removeLeftover removes both.
func removeLeftover(name string) (busy bool, err error) {
	if copied, ok := strings.CutSuffix(name, "-journal"); ok && exists(copied) {
		return false, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // its maker has removed it
	}
	if err != nil {
		return false, err
	}
	locked, err := filelock.Try(f)
	if cannotLock(err) {
		locked, err = true, nil
	}
	if err != nil || !locked {
		return !locked, errors.Join(err, f.Close())
	}
	return false, removeOpen(f)
}

// cannotLock reports whether the file system has no file locks.
func cannotLock(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// boundReader reads until its context is done.
type boundReader struct {
	ctx context.Context
	r   io.Reader
}

func (p boundReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
