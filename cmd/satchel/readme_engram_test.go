//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The README says whose standard Engram is, and where it is.
func TestReadmeCreditsEngram(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "## What an assistant starts from\n")
	section, _, _ = strings.Cut(section, "\n## ")
	t.Run("ENGRAM-6-1 the documentation links to the specification", func(t *testing.T) {
		if !strings.Contains(section, "https://engramspec.org") {
			t.Errorf("no link: %s", section)
		}
	})
	t.Run("ENGRAM-7-5 the specification is credited", func(t *testing.T) {
		for _, want := range []string{"Engram Standard v0.1", "Ashish (8mem)", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"} {
			if !strings.Contains(section, want) {
				t.Errorf("no %q: %s", want, section)
			}
		}
	})
}

// What README says of contexts works, but for the address of the server.
func TestReadmeEngram(t *testing.T) {
	commands := fenced(t, filepath.Join("..", "..", "README.md"), "## What an assistant starts from")
	base, _, a, out, messages := started(t)
	t.Chdir(t.TempDir())
	id, last := "", ""
	for _, line := range commands {
		args := words(strings.ReplaceAll(line, "http://127.0.0.1:7777", base))
		if i := slices.Index(args, "ID"); i >= 0 {
			args[i] = id
		}
		to := ""
		if i := slices.Index(args, ">"); i >= 0 {
			args, to = args[:i], args[i+1]
		}
		if args[1] == "serve" { // it runs already
			continue
		}
		out.Reset()
		if code := run(a, args[1:]); args[0] != "satchel" || code != exitDone {
			t.Fatalf("%s\nends with %d: %s", line, code, messages)
		}
		if to != "" {
			if err := os.WriteFile(to, []byte(out.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if args[1] == "corrections" && id == "" {
			id, _, _ = strings.Cut(out.String(), " ")
		}
		if args[1] == "engram" && args[2] == "context" {
			last = out.String()
		}
	}
	if !strings.Contains(last, "User: Ada\n") || !strings.Contains(last, "email_style: short, direct") {
		t.Errorf("the assistant starts from %q", last)
	}
	out.Reset()
	if code := run(a, []string{"context", "me.engram.json"}); code != exitDone || !strings.Contains(out.String(), "email_style: short\n") {
		t.Errorf("ends with %d, %q: what was confirmed is not in the export", code, out)
	}
}
