package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// onDisk reports whether a text is in any file of the store.
func onDisk(t *testing.T, a *cli.App, text string) bool {
	t.Helper()
	found := false
	err := filepath.Walk(a.Env("SATCHEL_STORE"), func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCommandsSweep(t *testing.T) {
	t.Parallel()
	const secret = "the door code is 4711"
	after := func(hours time.Duration) func() time.Time {
		return func() time.Time { return time.Now().Add(hours * time.Hour) }
	}
	for _, test := range []struct {
		args  []string
		hours time.Duration // since it was told
		sweep bool
	}{
		{[]string{"recall", "door"}, 73, true},
		{[]string{"list"}, 73, true},
		{[]string{"export"}, 73, true},
		{[]string{"remember", "something else"}, 73, true},
		{[]string{"doctor", "--mend"}, 73, true},
		{[]string{"remember", "something else"}, 49, false},
		{[]string{"doctor", "--clock"}, 49, true},
	} {
		t.Run(fmt.Sprint(strings.Join(test.args, " "), " after ", int(test.hours)), func(t *testing.T) {
			a, out, messages := clitest.Person(t, t.Context())
			for _, args := range [][]string{{"init", "-q"}, {"remember", "--retention", "P1D", secret}} {
				if code := run(a, args); code != cli.ExitDone {
					t.Fatalf("%v ends with %d: %s", args, code, messages)
				}
			}
			if run(a, []string{"remember", "not yet"}); !onDisk(t, a, secret) {
				t.Fatal("it was emptied before its time")
			}
			a.Now = after(48)
			if code := run(a, []string{"remember", "back after two days"}); code != cli.ExitDone || !onDisk(t, a, secret) ||
				!strings.Contains(messages.String(), "by this machine's clock, which is 2 days after") {
				t.Fatalf("the clock was believed at once: %d, %s", code, messages)
			}
			if said := len(out.String()); run(a, []string{"list"}) != cli.ExitDone || strings.Contains(out.String()[said:], secret) {
				t.Errorf("it is shown: %s", out)
			}
			a.Now = after(test.hours)
			if code := run(a, []string{"doctor"}); code != cli.ExitFailed || !strings.Contains(out.String(), "1 memory has expired") {
				t.Errorf("doctor ends with %d: %s", code, out)
			}
			if code := run(a, test.args); code != cli.ExitDone {
				t.Errorf("ends with %d: %s%s", code, out, messages)
			}
			if got := onDisk(t, a, secret); got == test.sweep {
				t.Errorf("the content is on the disk: %v", got)
			}
		})
	}
}

// TestClockBehind asks with a clock that is behind the memories: the answer says so, and
// doctor does.
func TestClockBehind(t *testing.T) {
	t.Parallel()
	a, out, messages := clitest.Person(t, t.Context())
	for _, args := range [][]string{{"init", "-q"}, {"remember", "the lamp is green"}} {
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	a.Now = func() time.Time { return time.Now().Add(-73 * time.Hour) }
	if code := run(a, []string{"recall", "lamp"}); code != cli.ExitDone || !strings.Contains(messages.String(), "one of them is wrong; satchel doctor says more") {
		t.Errorf("recall ends with %d: %s", code, messages)
	}
	if code := run(a, []string{"doctor"}); code != cli.ExitFailed || !strings.Contains(out.String(), "3 days behind what was written last") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}
