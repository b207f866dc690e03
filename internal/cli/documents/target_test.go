package documents

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// What is chosen by the name of what is to be written.
func TestTargetOf(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("there", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, to, want string
		folder, lines  bool
	}{
		{"-", "", "ump", false, false},
		{"", "", "ump", false, false},
		{"x.json", "", "ump", false, false},
		{"x.jsonl", "", "ump", false, true},
		{"x.ump.md", "", "ump-md", false, false},
		{"new/", "", "ump-md", true, false},
		{"there", "", "ump-md", true, false},
		{"new", "", "ump", false, false},
		{"new", "ump-md", "ump-md", true, false},
		{"x.md", "ump-md", "ump-md", false, false},
		{"x.aimem.json", "", "aimem", false, false},
		{"x.AIMEM.ndjson", "", "aimem", false, true},
		{"x.aicf", "", "aicf", false, false},
		{"sub/CLAUDE.md", "", "claudecode", false, false},
		{"AGENTS.md", "", "claudecode", false, false},
		{"new", "claudecode", "claudecode", true, false},
		{"there", "claudecode", "claudecode", true, false},
	} {
		got, err := targetOf(c.path, c.to)
		if err != nil || got.Name != c.want || got.folder != c.folder || got.lines != c.lines {
			t.Errorf("%q, --to %q: %s, folder %v, lines %v, %v; want %+v", c.path, c.to, got.Name, got.folder, got.lines, err, c)
		}
	}
}

// A tool's own file is written into the folder of its project, which the message names.
func TestTargetOfOwnFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range [][3]string{
		{".cursorrules", "", "cursor"}, {".cursorrules", "cursor", "cursor"}, {"app/.cursor", "cursor", "cursor"}, {".cursor/rules/a.mdc", "", "cursor"},
		{".windsurfrules", "", "windsurf"}, {".windsurfrules", "windsurf", "windsurf"},
		{".github/copilot-instructions.md", "", "copilot"}, {"go.instructions.md", "", "copilot"}, {".github/", "copilot", "copilot"},
		{".clinerules", "", "cline"}, {".clinerules/", "cline", "cline"}, {"memory-bank", "cline", "cline"},
	} {
		got, err := targetOf(c[0], c[1])
		if cli.StatusOf(err) != cli.ExitUsage || !strings.Contains(err.Error(), "folder of a project") || !strings.Contains(err.Error(), "--to "+c[2]) {
			t.Errorf("%s, --to %q: %s, %v", c[0], c[1], got.Name, err)
		}
	}
	if got, err := targetOf("app", "cursor"); err != nil || !got.folder {
		t.Errorf("the folder of a project: %+v, %v", got, err)
	}
	if got, err := targetOf(".cursorrules", "ump"); err != nil || got.Name != "ump" {
		t.Errorf("another format asked for: %s, %v", got.Name, err)
	}
}

// TestAmend puts nothing in the place of a file that somebody else changed meanwhile.
func TestAmend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CLAUDE.md")
	if err := os.WriteFile(path, []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	var opt codec.Options
	to := target{Format: codec.Format{Amends: true}, path: path}
	mode, pass, err := to.amend(&opt, nil)
	if err != nil || string(opt.Before) != "mine" || mode != 0o640 {
		t.Fatalf("%q, %v, %v", opt.Before, mode, err)
	}
	ran := 0
	write := func() error { ran++; return nil }
	if err := pass(write); err != nil || ran != 1 {
		t.Errorf("a file that nobody changed: %v", err)
	}
	if err := os.WriteFile(path, []byte("mine, edited"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := pass(write); cli.StatusOf(err) != cli.ExitRefused || ran != 1 {
		t.Errorf("a file that was changed: %v, written %d times", err, ran)
	}
	held := errors.New("held back")
	if _, pass, err = to.amend(&opt, func(func() error) error { return held }); err != nil || !errors.Is(pass(write), held) {
		t.Errorf("the way out is passed by: %v", err)
	}
}
