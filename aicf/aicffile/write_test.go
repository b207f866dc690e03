package aicffile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// generation returns contents of which all entries say the same number.
func generation(n int) *aicf.Contents {
	c := &aicf.Contents{}
	for range 3000 {
		c.Entries = append(c.Entries, insight(fmt.Sprint("generation ", n)))
	}
	return c
}

func TestWriteKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.aicf")
	if _, err := Write(path, generation(0), aicf.WriteOptions{}, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Run("AICF-WRITE-2 a file whose writer is killed is the old one or the new one", func(t *testing.T) {
		for round := range 12 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asWriter+"="+path)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(20+7*round) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed
			texts := insights(t, path)
			for _, text := range texts {
				if text != texts[0] || len(texts) != 3000 {
					t.Fatalf("%d entries, %q beside %q", len(texts), text, texts[0])
				}
			}
		}
	})
	if _, err := Append(path, Options{}, insight("afterwards")); err != nil {
		t.Errorf("AICF-WRITE-6: %v", err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	t.Run("AICF-WRITE-2 who has the old file open reads it to its end", func(t *testing.T) {
		path := filepath.Join(dir, "open.aicf")
		if _, err := Write(path, generation(0), aicf.WriteOptions{}, Options{}); err != nil {
			t.Fatal(err)
		}
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := Write(path, generation(1), aicf.WriteOptions{}, Options{}); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, old) {
			t.Errorf("%d bytes of %d, %v", len(got), len(old), err)
		}
		if now, err := os.ReadFile(path); err != nil || bytes.Equal(now, old) {
			t.Errorf("the file is the old one, %v", err)
		}
	})
	t.Run("AICF-ACC-1 a new file is its owner's only, and one that is replaced keeps its mode", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("this system has no such modes")
		}
		path := filepath.Join(dir, "mode.aicf")
		mode := func(want fs.FileMode) {
			t.Helper()
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("mode %v, want %v (%v)", info.Mode().Perm(), want, err)
			}
		}
		write := func() {
			t.Helper()
			if _, err := Write(path, generation(1), aicf.WriteOptions{}, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		write()
		mode(0o600)
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		write()
		mode(0o640)
		if _, err := Append(path, Options{}, insight("more")); err != nil {
			t.Fatal(err)
		}
		mode(0o640)
	})
	t.Run("AICF-FILE-3 the name says whether it is packed, and reading looks at the content", func(t *testing.T) {
		path := filepath.Join(dir, "x.aicf.gz")
		if _, err := Write(path, generation(1), aicf.WriteOptions{}, Options{}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			t.Fatalf("begins with %x (%v)", data[:2], err)
		}
		renamed := filepath.Join(dir, "renamed.aicf")
		if err := os.Rename(path, renamed); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(renamed, partial()); err != nil || f.Lines() == 0 {
			t.Errorf("%v", err)
		}
	})
}
