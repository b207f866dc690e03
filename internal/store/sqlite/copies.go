package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// spare is a copy of the store in a file beside it. The file is locked for as
// long as somebody has a use for it, so that Compact, of this process or another,
// can tell it from what a process that died left behind.
type spare struct{ f *os.File }

// copyInto writes what c sees into a spare, down to the disk.
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

// createLocked makes a new file that is locked. Somebody who clears up may take a
// new file for a leftover before it is locked; then another is made.
func createLocked(dir, pattern string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, pattern)
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(f)
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

// keep gives the copy a name of its own.
func (s spare) keep(name string) error {
	if runtime.GOOS == "windows" {
		_ = s.f.Close() // it does not rename open files
	}
	if err := os.Rename(s.f.Name(), name); err != nil {
		return errors.Join(fmt.Errorf("keep a copy: %w", err), s.remove())
	}
	_ = s.f.Close() // the copy is on the disk
	return nil
}

// remove ends the copy.
func (s spare) remove() error { return removeOpen(s.f) }

func removeOpen(f *os.File) error {
	if runtime.GOOS == "windows" {
		_ = f.Close() // it does not remove open files
	}
	err := os.Remove(f.Name())
	_ = f.Close() // nothing in it is wanted
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// removeCopies removes whatever else beside the store holds content, and reports
// whether a copy was left because somebody is at work on it.
func (s *Store) removeCopies() (left bool, err error) {
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if kept, _ := filepath.Match(escapePattern(base)+".v*.bak", entry.Name()); kept {
			err = errors.Join(err, os.Remove(name))
		}
		if spare, _ := filepath.Match(escapePattern(base)+".copy-*", entry.Name()); spare {
			busy, failed := removeLeftover(name)
			left, err = left || busy, errors.Join(err, failed)
		}
	}
	return left, err
}

// removeLeftover removes a copy unless it is locked. While SQLite fills a copy it
// keeps a journal beside it, which goes with the copy.
func removeLeftover(name string) (busy bool, err error) {
	if copied, ok := strings.CutSuffix(name, "-journal"); ok && exists(copied) {
		return false, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // whoever made it has removed it
	}
	if err != nil {
		return false, err
	}
	locked, err := tryLock(f)
	if cannotLock(err) {
		locked, err = true, nil
	}
	if err != nil || !locked {
		return !locked, errors.Join(err, f.Close())
	}
	return false, removeOpen(f)
}

// cannotLock reports whether files cannot be locked here.
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
