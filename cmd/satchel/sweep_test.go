package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// onDisk reports whether a text is in any file of the store.
func onDisk(t *testing.T, a *app, text string) bool {
	t.Helper()
	found := false
	err := filepath.Walk(a.env("SATCHEL_STORE"), func(path string, info os.FileInfo, err error) error {
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
	const secret = "the door code is 4711"
	later := func() time.Time { return time.Now().Add(48 * time.Hour) }
	for _, test := range []struct {
		args  []string
		sweep bool
	}{
		{[]string{"recall", "door"}, false},
		{[]string{"list"}, false},
		{[]string{"export"}, false},
		{[]string{"remember", "something else"}, true},
		{[]string{"doctor", "--mend"}, true},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			a, out, messages := person(t, t.Context())
			for _, args := range [][]string{{"init", "-q"}, {"remember", "--retention", "P1D", secret}} {
				if code := run(a, args); code != exitDone {
					t.Fatalf("%v ends with %d: %s", args, code, messages)
				}
			}
			if run(a, []string{"remember", "not yet"}); !onDisk(t, a, secret) {
				t.Fatal("it was emptied before its time")
			}
			a.now = later
			if code := run(a, []string{"doctor"}); code != exitFailed || !strings.Contains(out.String(), "1 memory has expired") {
				t.Errorf("doctor ends with %d: %s", code, out)
			}
			if code := run(a, test.args); code != exitDone {
				t.Errorf("ends with %d: %s%s", code, out, messages)
			}
			if got := onDisk(t, a, secret); got == test.sweep {
				t.Errorf("the content is on the disk: %v", got)
			}
		})
	}
}
