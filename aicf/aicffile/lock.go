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

// suffix is what the name of a lock has behind that of its file.
const suffix = ".lock"

// longestPause is the most time between two looks at a lock that another holds.
const longestPause = 20 * time.Millisecond

// lock is the right to change a file.
type lock struct {
	name string   // of the lock file
	mark string   // what we wrote into it
	data *os.File // the file, locked by the operating system; nil: there is none
	// interrupted is how long the file was when somebody began to append who is gone
	// now; negative: nobody was interrupted, as far as is known.
	interrupted int64
	since       time.Time // when that was
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

// mark is the line in a lock: process, machine, time.
func mark(now time.Time) string {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = "-"
	}
	return fmt.Sprintf("%d %s %s\n", os.Getpid(), host, now.UTC().Format(time.RFC3339Nano))
}

// claim makes the lock file, which must not exist, with its content at once: whoever is
// killed leaves no lock that names nobody.
func (l *lock) claim() error {
	made, err := beside(l.name, l.mark)
	if err != nil {
		return err
	}
	err = os.Link(made, l.name)
	if e := os.Remove(made); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, e)
	}
	return l.claimBare() // links are not to be had here
}

// beside makes a file of a name of its own, beside another.
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

// claimBare is claim where there are no links.
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

// note adds to the lock how long the file is before it is appended to, so that whoever
// comes after an interruption knows what to take back.
func (l *lock) note(size int64) error {
	noted := withSize(l.mark, size)
	if l.content() != l.mark {
		return fmt.Errorf("%w: another program took the lock away", ErrLocked)
	}
	f, err := os.OpenFile(l.name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	_, err = f.WriteString(noted) // no shorter than what is there, which it begins with
	l.mark = noted
	return errors.Join(err, f.Close())
}

// withSize returns the line of a lock with a size behind it, of fixed width.
func withSize(mark string, size int64) string {
	return fmt.Sprintf("%s %019d\n", strings.Join(strings.Fields(mark)[:3], " "), size)
}

// takeAway removes a lock whose holder is gone, and reports whether it is worth trying
// to claim it again. The lock is renamed first, so that of several that judge it stale
// only one takes it; whoever got hold of a newer one by that puts it back.
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
		_ = os.Link(aside, l.name) // where there is a third one already, the lock on the file decides
		return true
	}
	if held.size >= 0 {
		l.interrupted, l.since, l.mark = held.size, judged.ModTime(), withSize(l.mark, held.size)
	}
	return true
}

// lockData locks the file itself where it exists and files can be locked. Of a file that
// is replaced meanwhile the new one is locked.
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

// sameFile reports whether an open file is still the one of that path.
func sameFile(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}

// letReplace gives the lock on the file itself back where a file that is open cannot be
// replaced.
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
	err := l.data.Close() // which unlocks it
	l.data = nil
	return err
}

// release gives the right back. A lock that somebody took away and made anew is left
// alone.
func (l *lock) release() error {
	err := l.closeData()
	if l.content() == l.mark {
		err = errors.Join(err, os.Remove(l.name))
	}
	return err
}
