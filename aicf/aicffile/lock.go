package aicffile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// suffix is the suffix of a lock's name after the name of its file.
const suffix = ".lock"

// longestPause is the longest pause before another look at a lock of another program.
const longestPause = 20 * time.Millisecond

// lock is the right to change a file.
type lock struct {
	name string   // of the lock file
	mark string   // the line we wrote into it
	data *os.File // the file, locked by the operating system; nil: there is none
	// interrupted is the length of the file when a process that has ended began to
	// append; negative: no interruption is known.
	interrupted int64
	since       time.Time // the time of that
}

// acquire waits for the right to change a file.
func acquire(path string, o Options) (*lock, error) {
	until := o.now().Add(o.wait())
	l := &lock{name: path + suffix, mark: mark(o.now()), interrupted: -1}
	for pause := time.Millisecond; ; pause = min(2*pause, longestPause) {
		err := l.claim()
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if l.takeAway(o) {
			continue
		}
		if o.now().After(until) {
			return nil, fmt.Errorf("lock %s: %w: %s; let it finish, or delete %s if nobody uses the file", path, ErrLocked, l.holder(), l.name)
		}
		time.Sleep(pause)
	}
	if err := l.lockData(path, until, o); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// mark returns the line in a lock: process, machine, time.
func mark(now time.Time) string {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = "-"
	}
	return fmt.Sprintf("%d %s %s\n", os.Getpid(), host, now.UTC().Format(time.RFC3339Nano))
}

// claim makes the lock file, which must not exist, together with its content. So a
// killed process leaves no lock without a holder.
func (l *lock) claim() error {
	made, err := beside(l.name, l.mark)
	if err != nil {
		return err
	}
	err = os.Link(made, l.name)
	if e := os.Remove(made); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, e)
	}
	return l.claimBare() // the file system has no links
}

// beside makes a file with a new name, beside another.
func beside(name, content string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// claimBare is claim without links.
func (l *lock) claimBare() error {
	f, err := os.OpenFile(l.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(l.mark)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(l.name))
	}
	return nil
}

// note adds the length of the file to the lock before an append, so that the next
// program can undo an interrupted one.
func (l *lock) note(size int64) error {
	noted := withSize(l.mark, size)
	if l.content() != l.mark {
		return fmt.Errorf("%w: another program took the lock away", ErrLocked)
	}
	f, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	_, err = f.WriteString(noted) // at least as long as the old line, which it begins with
	l.mark = noted
	return errors.Join(err, f.Close())
}

// withSize returns the line of a lock followed by a size, of fixed width.
func withSize(mark string, size int64) string {
	return fmt.Sprintf("%s %019d\n", strings.Join(strings.Fields(mark)[:3], " "), size)
}

// takeAway removes a lock whose holder is gone, and reports whether to try to claim
// it again. It renames the lock first, so that only one of several programs that
// judge it stale takes it. A program that has renamed a newer lock that way puts it
// back.
func (l *lock) takeAway(o Options) bool {
	judged, err := os.Lstat(l.name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	held := l.holder()
	if !held.gone() && o.now().Sub(judged.ModTime()) < o.stale() {
		return false
	}
	aside, err := beside(l.name, "")
	if err != nil {
		return false
	}
	defer os.Remove(aside)
	if err := os.Rename(l.name, aside); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if moved, err := os.Lstat(aside); err != nil || !os.SameFile(judged, moved) {
		_ = os.Link(aside, l.name) // if a third lock exists already, the lock on the file decides
		return true
	}
	if held.size >= 0 {
		l.interrupted, l.since, l.mark = held.size, judged.ModTime(), withSize(l.mark, held.size)
	}
	return true
}

// lockData locks the file itself if it exists and files can be locked. If the file is
// replaced meanwhile, it locks the new one.
func (l *lock) lockData(path string, until time.Time, o Options) error {
	for {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("open %s: %w", path, err)
		}
		ok, err := filelock.Try(f)
		if err != nil || ok && sameFile(f, path) {
			l.data = f // an error means that files cannot be locked here
			return nil
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("open %s: %w", path, err)
		}
		if !ok && o.now().After(until) {
			return fmt.Errorf("lock %s: %w: another program is changing the file", path, ErrLocked)
		}
		time.Sleep(time.Millisecond)
	}
}

// sameFile reports whether an open file is still the one at that path.
func sameFile(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}

// letReplace releases the lock on the file itself, on systems that cannot replace an
// open file.
func (l *lock) letReplace() error {
	if runtime.GOOS != "windows" {
		return nil
	}
	return l.closeData()
}

func (l *lock) closeData() error {
	if l.data == nil {
		return nil
	}
	err := l.data.Close() // unlocks it
	l.data = nil
	return err
}

// release removes the lock. It leaves a lock alone that another program took away and
// made again.
func (l *lock) release() error {
	err := l.closeData()
	if l.content() == l.mark {
		err = errors.Join(err, os.Remove(l.name))
	}
	return err
}
