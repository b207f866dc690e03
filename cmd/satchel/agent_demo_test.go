package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDemoAgent runs what make demo-agent shows: an agent that is killed while a tool works,
// resumed and approved. No receipt is booked twice.
func TestDemoAgent(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "grep", "sed", "seq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("skipped: there is no %s", program)
		}
	}
	program, err := exec.LookPath("satchel")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join("..", "..", "examples", "agents", "demo.sh"), program)
	cmd.Env = append(cmd.Environ(), "TMPDIR="+t.TempDir(), "HOME="+t.TempDir(), "DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(t.TempDir(), "no-bus"))
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{`kill -9 \d+`, `may have been carried out, or not`, `call call_2_0 of book is approved`, `(?m)^Both receipts have been dealt with\.$`} {
		if !regexp.MustCompile(want).Match(said) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	_, booked, _ := strings.Cut(string(said), "--- what was booked")
	for _, amount := range []string{`{"amount":12}`, `{"amount":900}`} {
		if n := strings.Count(booked, amount); n != 1 {
			t.Errorf("%s is booked %d times:\n%s", amount, n, said)
		}
	}
}
