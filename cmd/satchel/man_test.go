package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli"
)

// manualFolder is where make docs writes the pages.
var manualFolder = filepath.Join("..", "..", "docs", "cli")

func TestManualIsFresh(t *testing.T) {
	t.Parallel()
	pages := manual(fullParser(new(commands), io.Discard, io.Discard).Model.Node, "markdown")
	for name, want := range pages {
		if got, err := os.ReadFile(filepath.Join(manualFolder, name)); err != nil || string(got) != want {
			t.Errorf("docs/cli/%s is stale; run: make docs", name)
		}
	}
	files, err := os.ReadDir(manualFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := pages[f.Name()]; !ok {
			t.Errorf("docs/cli/%s is about no command: remove it", f.Name())
		}
	}
}

// mostHelp is the most words of a detailed help text.
const mostHelp = 150

// Every help text belongs to a command, is short, and its examples can be typed.
func TestHelpTexts(t *testing.T) {
	t.Parallel()
	root := fullParser(new(commands), io.Discard, io.Discard).Model.Node
	texts := map[string]string{}
	examples := 0
	var visit func(*kong.Node)
	visit = func(node *kong.Node) {
		texts[pageName(node)+".txt"] = node.Detail
		if node.Type == kong.CommandNode && !node.Hidden && node.Help == "" {
			t.Errorf("satchel %s has no help", pathOf(node))
		}
		for _, child := range node.Children {
			visit(child)
		}
	}
	visit(root)
	files, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if texts[f.Name()] == "" {
			t.Errorf("help/%s is about no command", f.Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if n := len(strings.Fields(texts[name])); n > mostHelp {
			t.Errorf("help/%s has %d words, %d are the most", name, n, mostHelp)
		}
		for line := range strings.Lines(texts[name]) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " < ")
			if !strings.HasPrefix(line, "  satchel ") {
				continue
			}
			examples++
			if _, _, err := parse(&cli.App{Out: io.Discard, Err: io.Discard}, words(command)[1:]); err != nil {
				t.Errorf("help/%s: %s: %v", name, command, err)
			}
		}
	}
	if examples < 50 {
		t.Errorf("only %d examples were tried", examples)
	}
}

// words splits a command as a shell does that knows double quotes.
func words(line string) (out []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}
