package main

import (
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// The parser of one command knows that command alone, except for the commands that list all
// others.
func TestOtherCommands(t *testing.T) {
	t.Parallel()
	all := leaves(fullParser(new(commands), io.Discard, io.Discard).Model.Node)
	for _, path := range all {
		args := strings.Fields(path)
		if slices.Contains([]string{"completion", "man", "__complete"}, args[0]) {
			if got := otherCommands(args); got != nil {
				t.Errorf("%s: %q are left out", path, got)
			}
			continue
		}
		one := newParser(new(commands), io.Discard, io.Discard, kong.IgnoreFields(otherCommands(args)...), kong.PostBuild(withoutHelp))
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
		one := newParser(new(commands), io.Discard, io.Discard, kong.IgnoreFields(otherCommands(strings.Fields(line))...), kong.PostBuild(withoutHelp))
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

// TestCollectLate: the usual percentage holds after the first collection, and always for a
// user who says when to collect.
func TestCollectLate(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	if collectLate(true); percent() != 70 {
		t.Errorf("the collector starts at %d percent", percent())
	}
	if collectLate(false); percent() != 400 {
		t.Errorf("at first the collector starts at %d percent", percent())
	}
	runtime.GC()
	for end := time.Now().Add(10 * time.Second); percent() != 70; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a collection the collector starts at %d percent", percent())
		}
	}
}
