package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// Whoever waits for standard input is ended by Ctrl-C.
func TestInterrupted(t *testing.T) {
	t.Parallel()
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
			if got := c.ProcessState.ExitCode(); got != cli.ExitInterrupted || !strings.Contains(said.String(), "interrupted") {
				t.Errorf("ends with %d: %s", got, &said)
			}
		})
	}
}
