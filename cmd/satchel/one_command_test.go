package main

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/racing"
)

// The parser of one command knows that command alone, except for the commands that list all
// others.
func TestOtherCommands(t *testing.T) {
	t.Parallel()
	all := leaves(fullParser(new(commands), io.Discard, io.Discard).Model.Node)
	for _, path := range all {
		args := strings.Fields(path)
		if slices.Contains([]string{"completion", "man", "__complete"}, args[0]) {
			if got, _ := oneParser(args, io.Discard, io.Discard); got != nil {
				t.Errorf("%s: others are left out", path)
			}
			continue
		}
		one, _ := oneParser(args, io.Discard, io.Discard)
		if got := leaves(one.Model.Node); len(got) != 1 || got[0] != path {
			t.Errorf("%s: the parser knows %q", path, got)
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d commands were tried", len(all))
	}
}

// The value of a flag may be the name of a command.
func TestOtherCommandsOfValues(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"--owner list recall tea", "--store recall list", "agent registry agents", "--owner mcp -q agent registry list"} {
		want, err := fullParser(new(commands), io.Discard, io.Discard).Parse(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		one, _ := oneParser(strings.Fields(line), io.Discard, io.Discard)
		if got, err := one.Parse(strings.Fields(line)); err == nil && commandOf(got) != commandOf(want) {
			t.Errorf("%s is %s, want %s", line, commandOf(got), commandOf(want))
		}
	}
}

// leaves returns the paths of the commands that have no commands below them.
func leaves(node *kong.Node) (paths []string) {
	for _, child := range node.Children {
		paths = append(paths, leaves(child)...)
	}
	if len(node.Children) == 0 {
		paths = []string{pathOf(node)}
	}
	return paths
}

// TestCollectLate: no garbage is collected before a command has run. A collection while the
// libraries are initialised would take an eighth of the time of a short one.
func TestCollectLate(t *testing.T) {
	t.Parallel()
	if racing.Detector {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	for setting, want := range map[string]bool{"": false, "20": true} {
		c := exec.CommandContext(t.Context(), "satchel", "--version")
		c.Env = append(os.Environ(), "GODEBUG=gctrace=1", "GOGC="+setting)
		var said strings.Builder
		c.Stderr = &said
		if err := c.Run(); err != nil || strings.Contains(said.String(), "gc 1 @") != want {
			t.Errorf("with GOGC=%s: %v\n%s", setting, err, &said)
		}
	}
}
