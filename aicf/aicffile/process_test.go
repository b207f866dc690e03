package aicffile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

func appender(path string, n int, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], fmt.Sprint(n), name)
	cmd.Env = append(os.Environ(), asAppender+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.aicf")
	const processes, each = 5, 100
	before, err := Append(path, Options{}, insight("was here first"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || len(first) != before.Bytes {
		t.Fatalf("%d bytes, want %d (%v)", len(first), before.Bytes, err)
	}
	var running []*exec.Cmd
	for i := range processes {
		cmd := appender(path, each, fmt.Sprintf("process %d", i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
	}()
	reads := 0
	for reading := true; reading; reads++ {
		select {
		case <-done:
			reading = false
		default:
		}
		f, err := Read(path, partial())
		if err != nil || aicf.Fatal(f.Findings(), true) {
			t.Fatalf("AICF-WRITE-7: while others write: %v %v", err, f.Findings())
		}
	}
	t.Run("AICF-WRITE-5 AICF-OV-3 none is lost and none torn", func(t *testing.T) {
		texts := insights(t, path)
		if want := processes*each + 1; len(texts) != want {
			t.Fatalf("%d insights, want %d", len(texts), want)
		}
		slices.Sort(texts)
		if len(slices.Compact(texts)) != processes*each+1 {
			t.Error("one is there twice")
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(data, first) {
			t.Errorf("what was there before has changed (%v)", err)
		}
		if _, err := os.Stat(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the lock is still there: %v", err)
		}
	})
	t.Logf("%d reads meanwhile", reads)
}

func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.aicf")
	acknowledged := []string{}
	for round := range 5 {
		cmd := appender(path, 1_000_000, fmt.Sprintf("round %d", round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for i := 0; i < 5+7*round && lines.Scan(); i++ {
			acknowledged = append(acknowledged, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it had said before it died
			acknowledged = append(acknowledged, lines.Text())
		}
		_ = cmd.Wait() // killed
	}
	if _, err := Append(path, Options{}, insight("afterwards")); err != nil {
		t.Fatalf("AICF-WRITE-6: after kills: %v", err)
	}
	texts := insights(t, path)
	for _, text := range append(acknowledged, "afterwards") {
		if !slices.Contains(texts, text) {
			t.Errorf("%q was acknowledged and is gone", text)
		}
	}
}

// holder starts a process that holds the lock of a file, and returns how to end it.
func holder(t *testing.T, path string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHolder+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "held" {
		t.Fatalf("the holder said %q, %v", line, err)
	}
	return kill
}

func TestLock(t *testing.T) {
	fresh := func(t *testing.T) (string, []byte) {
		path := filepath.Join(t.TempDir(), "x.aicf")
		if _, err := Append(path, Options{}, insight("one")); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return path, data
	}
	t.Run("AICF-WRITE-6 a holder that lives is waited for, and then refused by name", func(t *testing.T) {
		path, before := fresh(t)
		kill := holder(t, path)
		_, err := Append(path, Options{Wait: 60 * time.Millisecond}, insight("two"))
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path+suffix) {
			t.Errorf("got %v", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("the file was touched (%v)", err)
		}
		kill()
		if _, err := Append(path, Options{}, insight("two")); err != nil {
			t.Errorf("after the holder died: %v", err)
		}
	})
	t.Run("AICF-WRITE-6 a lock of another machine is taken away when it is old", func(t *testing.T) {
		path, _ := fresh(t)
		if err := os.WriteFile(path+suffix, []byte("1 elsewhere 2020-01-01T00:00:00Z\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Append(path, Options{Wait: 30 * time.Millisecond}, insight("two")); !errors.Is(err, ErrLocked) {
			t.Errorf("a young lock: %v", err)
		}
		old := time.Now().Add(-31 * time.Second)
		if err := os.Chtimes(path+suffix, old, old); err != nil {
			t.Fatal(err)
		}
		if _, err := Append(path, Options{Wait: 30 * time.Millisecond}, insight("two")); err != nil {
			t.Errorf("an old lock: %v", err)
		}
	})
	t.Run("AICF-WRITE-6 an empty lock of another program is waited for", func(t *testing.T) {
		path, _ := fresh(t)
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, func() { _ = os.Remove(path + suffix) })
		if _, err := Append(path, Options{}, insight("two")); err != nil {
			t.Error(err)
		}
	})
	t.Run("AICF-WRITE-7 reading waits for no lock", func(t *testing.T) {
		path, _ := fresh(t)
		holder(t, path)
		if _, err := Read(path, partial()); err != nil {
			t.Error(err)
		}
	})
}

// deadProcess returns the number of a process that is gone.
func deadProcess(t *testing.T) int {
	t.Helper()
	cmd := appender(filepath.Join(t.TempDir(), "none.aicf"), 0, "nobody")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
