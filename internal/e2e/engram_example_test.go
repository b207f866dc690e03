package e2e

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestEngramExamples runs the smallest runtimes against a server: that in Go, and that
// of curl and jq where this machine has them.
func TestEngramExamples(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.run("remember", "I write short mails.")
	token := strings.TrimSpace(h.run("token", "mint", "--runtime", "example", "--scope", "full", "-q"))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	serving := h.command("serve", "--addr", "127.0.0.1:0")
	said, err := serving.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serving.Process.Signal(syscall.SIGTERM)
		_ = serving.Wait()
	}()
	base := ""
	for lines := bufio.NewScanner(said); base == "" && lines.Scan(); {
		if found := regexp.MustCompile(`serving (http://[^/]+)/ump`).FindStringSubmatch(lines.Text()); found != nil {
			base = found[1]
		}
	}
	go func() { _, _ = bufio.NewReader(said).WriteTo(discard{}) }()
	runtime := filepath.Join(t.TempDir(), "runtime")
	h.must(build(runtime, "../../examples/engram"))
	const want = "You are a helpful assistant.\n\nUser: Owner\nTimezone: UTC\n\nWhat I know about this user:\n- "
	try := func(program, token string) (string, error) {
		cmd := exec.CommandContext(ctx, program, base)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ENGRAM_TOKEN=" + token}
		out, err := cmd.Output()
		return string(out), err
	}
	t.Run("ENGRAM-5-1 ENGRAM-5-6 in Go", func(t *testing.T) {
		if got, err := try(runtime, token); err != nil || !strings.HasPrefix(got, want) || !strings.Contains(got, "short mails") {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := try(runtime, "nonsense"); err == nil || got != "" {
			t.Errorf("ENGRAM-5-2: %q", got)
		}
	})
	t.Run("ENGRAM-3.8-12 ENGRAM-3.8-26 ENGRAM-3.2-11 that in Go keeps all that is asked of runtimes", func(t *testing.T) {
		if got := h.run("conformance", "engram", "--runtime", "--strict", "--", runtime, "{url}"); !strings.HasPrefix(got, "level full, tier Reader\n") {
			t.Errorf("%s", got)
		}
	})
	t.Run("ENGRAM-5-1 ENGRAM-5-5 with curl", func(t *testing.T) {
		for _, tool := range []string{"curl", "jq"} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("this machine has no %s", tool)
			}
		}
		if got, err := try("../../examples/engram/context.sh", token); err != nil || !strings.HasPrefix(got, want) || !strings.Contains(got, "short mails") {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := try("../../examples/engram/context.sh", "nonsense"); err == nil || got != "" {
			t.Errorf("ENGRAM-5-2: %q", got)
		}
		script, err := filepath.Abs("../../examples/engram/context.sh")
		if err != nil {
			t.Fatal(err)
		}
		if got := h.run("conformance", "engram", "--runtime", "--level", "minimal", "--", script, "{url}"); !strings.HasPrefix(got, "level minimal, tier Reader\n") {
			t.Errorf("%s", got)
		}
	})
}

// discard takes what nobody reads.
type discard struct{}

// Write drops p.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
