//go:build unix

package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance/engramruntime"
)

func TestRuntimeCommand(t *testing.T) {
	call := engramruntime.Call{URL: "http://127.0.0.1:1", Token: "tok", Base: "B", Audience: "urn:x:y"}
	for _, test := range []struct {
		name     string
		line     []string
		done     bool
		out, log string
	}{
		{"arguments", []string{"echo", "{url}/{token}", "{audience}"}, true, "http://127.0.0.1:1/tok urn:x:y\n", ""},
		{"the environment", []string{"sh", "-c", `echo "$ENGRAM_URL $ENGRAM_TOKEN $ENGRAM_BASE_PROMPT" >&2; exit 3`}, false, "", "http://127.0.0.1:1 tok B\n"},
		{"no end", []string{"sleep", "60"}, false, "", "\nit is not done after 300ms"},
		{"a child that stays", []string{"sh", "-c", "sleep 2 & echo done"}, true, "done\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if test.name == "no end" {
				patience = 300 * time.Millisecond
			}
			s, err := runtimeCommand{test.line, patience}.start(t.Context(), call)
			if err != nil || s.Done != test.done || s.Out != test.out || s.Log != test.log {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	if s, err := (runtimeCommand{[]string{"no-such-program"}, time.Minute}).start(t.Context(), call); err == nil {
		t.Errorf("%+v", s)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if s, err := (runtimeCommand{[]string{"echo"}, time.Minute}).start(over, call); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestHostileRuntimeCommand runs commands that would fill memory, or outlive their time.
func TestHostileRuntimeCommand(t *testing.T) {
	t.Run("output without an end is not kept", func(t *testing.T) {
		t.Parallel()
		s, err := runtimeCommand{[]string{"head", "-c", "20000000", "/dev/zero"}, time.Minute}.start(t.Context(), engramruntime.Call{})
		if err != nil || !s.Done || len(s.Out) != maxPrompt {
			t.Errorf("kept %d bytes, done: %v, %v", len(s.Out), s.Done, err)
		}
	})
	for name, last := range map[string]string{"when it ends": "exit 0", "when its time is over": "sleep 60"} {
		t.Run("what it started goes "+name, func(t *testing.T) {
			t.Parallel()
			line := []string{"sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!; " + last}
			s, err := runtimeCommand{line, 300 * time.Millisecond}.start(t.Context(), engramruntime.Call{})
			child, wrong := strconv.Atoi(strings.TrimSpace(s.Out))
			if err != nil || wrong != nil {
				t.Fatalf("%+v, %v, %v", s, err, wrong)
			}
			for wait := 0; syscall.Kill(child, 0) == nil && !isZombie(child); wait++ {
				if time.Sleep(10 * time.Millisecond); wait > 500 {
					_ = syscall.Kill(child, syscall.SIGKILL)
					t.Fatal("it is still there")
				}
			}
		})
	}
}

// isZombie reports whether a process has ended and nobody has taken note of that.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestAtMost(t *testing.T) {
	b := &atMost{most: 5}
	for _, text := range []string{"abc", "def", "ghi"} {
		if n, err := b.Write([]byte(text)); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if b.kept.String() != "abcde" {
		t.Errorf("%q", b.kept.String())
	}
	if n, err := io.Copy(b, strings.NewReader(strings.Repeat("x", 100))); n != 100 || err != nil || b.kept.Len() != 5 {
		t.Errorf("copied %d and kept %d, %v", n, b.kept.Len(), err)
	}
}
