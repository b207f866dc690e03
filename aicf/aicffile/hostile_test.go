package aicffile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWhatLiesBeside puts things beside a file that an archive or a stranger could have
// put there.
func TestWhatLiesBeside(t *testing.T) {
	begun := func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "x.aicf")
		if _, err := Append(path, Options{}, insight("one")); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(t *testing.T, to, name string) {
		t.Helper()
		if err := os.Symlink(to, name); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	t.Run("AICF-WRITE-6 a lock that leads nowhere is waited for, and taken away when it is old", func(t *testing.T) {
		path := begun(t)
		link(t, filepath.Join(t.TempDir(), "nowhere"), path+suffix)
		if _, err := Append(path, Options{Wait: 30 * time.Millisecond}, insight("two")); !errors.Is(err, ErrLocked) {
			t.Errorf("young: %v", err)
		}
		if _, err := Append(path, Options{Stale: time.Millisecond}, insight("two")); err != nil {
			t.Errorf("old: %v", err)
		}
	})
	t.Run("AICF-SAFE-5 what a lock leads to is not changed", func(t *testing.T) {
		path, other := begun(t), filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(other, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		link(t, other, path+suffix)
		_, err := Append(path, Options{Stale: time.Millisecond}, insight("two"))
		if now, _ := os.ReadFile(other); err != nil || string(now) != "precious" {
			t.Errorf("%q, %v", now, err)
		}
	})
	t.Run("AICF-SAFE-5 the rest of an append goes to no other file", func(t *testing.T) {
		path, other := begun(t), filepath.Join(t.TempDir(), "other")
		whole, _ := os.ReadFile(path)
		torn := append(whole, "7|evil"...)
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		link(t, other, path+tornSuffix)
		if _, err := Append(path, Options{}, insight("two")); err == nil {
			t.Error("it was appended to")
		}
		now, _ := os.ReadFile(path)
		if _, err := os.Lstat(other); err == nil || !bytes.Equal(now, torn) {
			t.Errorf("the other is there, or the file changed to %q", now)
		}
	})
	t.Run("AICF-LINE-11 a lock that was left does not take back what others wrote since", func(t *testing.T) {
		path := begun(t)
		if err := os.WriteFile(path+suffix, []byte("1 elsewhere 2020-01-01T00:00:00Z 0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path+suffix, old, old); err != nil {
			t.Fatal(err)
		}
		r, err := Append(path, Options{}, insight("two"))
		if texts := insights(t, path); err != nil || r.Torn > 0 || !slices.Equal(texts, []string{"one", "two"}) {
			t.Errorf("%q, %d bytes torn, %v", texts, r.Torn, err)
		}
	})
}

func TestReplacedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.aicf")
	if _, err := Append(path, Options{}, insight("one")); err != nil {
		t.Fatal(err)
	}
	l, err := acquire(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Skipf("an open file cannot be replaced here: %v", err)
	}
	t.Run("AICF-WRITE-5 an append to a file that is no longer there is no success", func(t *testing.T) {
		if _, err := l.extend(file, path, Options{}, nil); !errors.Is(err, ErrReplaced) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AICF-WRITE-6 a lock that was taken away is not written to", func(t *testing.T) {
		others := fmt.Sprintf("%d elsewhere 2027-01-01T00:00:00Z\n", os.Getpid())
		if err := os.WriteFile(path+suffix, []byte(others), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := l.extend(file, path, Options{}, nil)
		if now, _ := os.ReadFile(path + suffix); !errors.Is(err, ErrLocked) || string(now) != others {
			t.Errorf("got %v, and the lock says %q", err, now)
		}
	})
	if err := errors.Join(file.Close(), l.release()); err != nil {
		t.Error(err)
	}
}

// TestBombBehindAMember takes long where a packed file is unpacked beyond the limit.
func TestBombBehindAMember(t *testing.T) {
	t.Run("AICF-FILE-5", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.aicf.gz")
		bomb, err := pack(bytes.Repeat([]byte("1|@WORK:w\n"), 1<<17))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Repeat(bomb, 2000), 0o600); err != nil { // 2.6 GB
			t.Fatal(err)
		}
		o := Options{}
		o.Limits.File = 1 << 20
		begin := time.Now()
		_, err = Append(path, o, insight("one"))
		if err == nil || !strings.Contains(err.Error(), "exceeds maximum size") || time.Since(begin) > 5*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}
