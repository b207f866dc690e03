package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
)

// The canary: words that nothing else has, and their stems as recall indexes
// them.
const canary = "Quixotrovian flumberwicks are zephyrquartzing"

var canaryTraces = []string{canary, "uixotrovian", "flumberwick", "zephyrquartz"}

// canaried makes a store whose folder holds the canary in every kind of file that
// the program writes.
func canaried(t *testing.T, a *cli.App, messages *clitest.Buffer) {
	t.Helper()
	dir := a.Env("SATCHEL_STORE")
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, args := range [][]string{
		{"init", "-q"}, {"remember", canary, "--visibility", "public"}, {"remember", "something else"},
		{"token", "mint", "--verb", "read", "--all", "--name", "flumberwick"},
		{"export", "-o", file("mine.ump.json")}, {"export", "--to", "ump-md", "-o", file("notes")},
		{"backup", "-o", file("satchel-backup-1.tar")},
	} {
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	for _, name := range []string{".spool-1", ".satchel-1", "satchel.db.v0.bak"} {
		if err := os.WriteFile(file(name), []byte(canary), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, trace := range canaryTraces {
		if !onDisk(t, a, trace) && !onDisk(t, a, strings.ToLower(trace)) {
			t.Fatalf("%q is not on the disk before: the test could not fail", trace)
		}
	}
}

func TestEraseLeavesNothingInTheFolder(t *testing.T) {
	t.Parallel()
	a, out, messages := clitest.Person(t, t.Context())
	canaried(t, a, messages)
	_, conf, err := a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	if code := run(a, []string{"erase", "--confirm", string(conf.Owner)}); code != cli.ExitDone {
		t.Fatalf("erase ends with %d: %s", code, messages)
	}
	for _, trace := range canaryTraces {
		if onDisk(t, a, trace) || onDisk(t, a, strings.ToLower(trace)) {
			t.Errorf("%q is still on the disk", trace)
		}
	}
	for _, args := range [][]string{{"audit", "verify"}, {"doctor"}, {"remember", "a new beginning"}, {"recall", "beginning"}} {
		if code := run(a, args); code != cli.ExitDone {
			t.Errorf("%v ends with %d: %s%s", args, code, out, messages)
		}
	}
}

func TestErasingIsPendingWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, said, told string }{
		{"forget", "traces may remain in the files until other processes finish reading; satchel clears them later", ""},
		{"forget --json", `"result": "erased",`, `"pending": true`},
		{"erase --json", `"records": 1,`, `"pending": true`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // each waits for seconds
			a, out, messages := clitest.Person(t, t.Context())
			p := &tried{a: a, out: out, messages: messages}
			p.must(t, "init", "-q")
			id := strings.TrimSpace(p.must(t, "remember", canary))
			h, conf, err := a.ExistingStore()
			if err != nil {
				t.Fatal(err)
			}
			done := reads(t, h)
			args := []string{"forget", "--hard", "--yes", id}
			if strings.HasPrefix(test.name, "erase") {
				args = []string{"erase", "--confirm", string(conf.Owner)}
			}
			if strings.HasSuffix(test.name, "--json") {
				args = append(args, "--json")
			}
			said := p.must(t, args...)
			if !strings.Contains(said, test.said) || !strings.Contains(said, test.told) {
				t.Errorf("it says %s", said)
			}
			code, found, _ := p.run("doctor")
			if code != cli.ExitFailed || !strings.Contains(found, "may still be in the files") {
				t.Errorf("doctor ends with %d: %s", code, found)
			}
			done()
			if p.must(t, "doctor", "--mend"); onDisk(t, a, canary) {
				t.Error("the content is still on the disk")
			}
		})
	}
}

// reads is somebody else who reads for long; the function ends it.
func reads(t *testing.T, h cli.Home) func() {
	t.Helper()
	s, err := sqlite.Open(context.Background(), h.Database(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- s.View(context.Background(), "did:example:any", func(r store.Reader) error {
			_, err := r.Count(store.Filter{})
			close(begun)
			<-end
			return err
		})
	}()
	<-begun
	return func() {
		close(end)
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	}
}
