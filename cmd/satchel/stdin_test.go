package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStandardInputCalledOff(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a, _, _ := person(t, ctx)
	in, w := io.Pipe() // which nothing comes from
	defer w.Close()
	a.in = in
	time.AfterFunc(10*time.Millisecond, stop)
	if _, err := a.agentBytes("-"); !errors.Is(err, context.Canceled) {
		t.Errorf("agentBytes: %v", err)
	}
	if _, err := a.text("-", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("text: %v", err)
	}
	if _, err := a.line(); !errors.Is(err, context.Canceled) {
		t.Errorf("line: %v", err)
	}
}

func TestStandardInputWhole(t *testing.T) {
	a, _, _ := person(t, t.Context())
	want := strings.Repeat("0123456789", 20_000)
	a.in = strings.NewReader(want)
	if got, err := a.agentBytes("-"); string(got) != want || err != nil {
		t.Errorf("%d bytes of %d: %v", len(got), len(want), err)
	}
}

// Whoever waits for standard input is ended by Ctrl-C.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another there")
	}
	for _, args := range [][]string{{"agent", "lint", "-"}, {"validate", "-"}, {"agent", "sign", "-"}} {
		t.Run(strings.Join(args, "_"), func(t *testing.T) {
			in, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			c := exec.Command(self)
			c.Args = append([]string{"satchel"}, args...) // by which name the program is itself, see TestMain
			c.Env = append(os.Environ(), "HOME="+home, "SATCHEL_STORE="+filepath.Join(home, "store"))
			c.Stdin = in
			var said strings.Builder
			c.Stderr = &said
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			_ = in.Close()
			timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
			defer timer.Stop()
			if _, err := w.Write(make([]byte, 200<<10)); err != nil { // more than a pipe holds: it is being read
				t.Fatal(err)
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // the status says how it ended
			if got := c.ProcessState.ExitCode(); got != exitInterrupted || !strings.Contains(said.String(), "interrupted") {
				t.Errorf("ends with %d: %s", got, &said)
			}
		})
	}
}
