package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// stopping is a stream that calls a command off once something is written to it.
type stopping struct {
	clitest.Buffer
	at   string
	stop func()
}

// Write appends to the buffer.
func (s *stopping) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.at) {
		s.stop()
	}
	return s.Buffer.Write(p)
}

// facts writes a file of many memories, each an active one or one that waits.
func facts(t *testing.T, n int, status string) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ump":"0.1","kind":"semantic","body":{"text":"fact number %d"},"scope":{"owner":"alice"},"time":{"created":"2026-01-01T00:00:00Z"},"lifecycle":{"status":%q}}`+"\n", i, status)
	}
	path := filepath.Join(t.TempDir(), "facts.ump.ndjson")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUndoBrokenOff(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a, out, messages := clitest.Person(t, ctx)
	for _, args := range [][]string{{"init", "-q"}, {"import", facts(t, 600, "active"), "--adopt", "alice"}} {
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	cut := &stopping{at: "taken back ", stop: stop}
	hour := 0
	a.Err, a.Now = cut, func() time.Time { hour++; return time.Now().Add(time.Duration(hour) * time.Hour) }
	if code := run(a, []string{"import", "--undo", "1"}); code != cli.ExitFailed {
		t.Errorf("ends with %d: %s%s", code, out, cut)
	}
	for _, want := range []string{"taken back 256 of 600 memories", "256 memories are gone", "satchel import --undo 1 goes on"} {
		if !strings.Contains(cut.String(), want) {
			t.Errorf("%q is not said in: %s", want, cut)
		}
	}
	a.Ctx = t.Context()
	if code := run(a, []string{"import", "--undo", "1"}); code != cli.ExitDone || !strings.Contains(out.String(), "import 1 taken back: 344 removed") {
		t.Errorf("going on ends with %d: %s", code, out)
	}
}

// TestMendedAtOnce: doctor --mend removes what a killed import left, and clears the files
// of it, in one run.
func TestMendedAtOnce(t *testing.T) {
	t.Parallel()
	p := filled(t, 1)
	c := p.process(t, "import", facts(t, 20_000, "active"), "--adopt", "alice")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(p.must(t, "import", "--list"), "at work") {
		time.Sleep(10 * time.Millisecond)
	}
	_ = c.Process.Kill() // an import that ended is told below
	if c.Wait() == nil {
		t.Fatal("the import ended before it was killed")
	}
	p.a.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if code, out, said := p.run("doctor", "--mend"); code != cli.ExitDone || !strings.Contains(out, "mended: 1 import broke off") {
		t.Errorf("doctor --mend ends with %d: %s%s", code, out, said)
	}
}

func TestConfirmBrokenOff(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a, _, messages := clitest.Person(t, ctx)
	talk := filepath.Join(t.TempDir(), "talk.json")
	text := `[{"uuid": "k1", "name": "Catalogue", "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:10:00Z", "chat_messages": [
{"uuid": "m1", "sender": "human", "created_at": "2026-01-02T03:05:00Z", "text": "I work in Graz. Let's use SQLite for the catalogue because one file is enough. Never suggest an ORM."}]}]`
	if err := os.WriteFile(talk, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"distill", "--propose", talk}} {
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	a.Out = &stopping{at: "confirmed as", stop: stop}
	if code := run(a, []string{"corrections", "confirm", "--all", "--yes"}); code != cli.ExitFailed {
		t.Errorf("ends with %d: %s", code, messages)
	}
	if want := "broken off: 1 of 3 confirmed, and 2 still wait"; !strings.Contains(messages.String(), want) {
		t.Errorf("%q is not said in: %s", want, messages)
	}
}
