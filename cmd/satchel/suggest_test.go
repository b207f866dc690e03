package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// Every suggestion names a command that is there.
func TestSynonymsNameCommands(t *testing.T) {
	t.Parallel()
	root := fullParser(new(commands), io.Discard, io.Discard).Model.Node
	for word, meant := range synonyms() {
		if childNamed(root, word) == nil && len(commandsFor(word, root)) != 1 {
			t.Errorf("%q leads to %q", word, commandsFor(word, root))
		}
		for _, name := range meant {
			first, rest, _ := strings.Cut(name, " ")
			if child := childNamed(root, first); strings.HasPrefix(rest, "-") {
				if child == nil || flagNamed(child.Flags, rest) == nil {
					t.Errorf("%q: there is no satchel %s", word, name)
				}
			} else if rest != "" && (child == nil || childNamed(child, rest) == nil) {
				t.Errorf("%q: there is no satchel %s", word, name)
			}
		}
	}
}

func TestSpelledLike(t *testing.T) {
	t.Parallel()
	names := []string{"recall", "remember", "revise", "list", "export", "import"}
	for word, want := range map[string][]string{
		"reacll":  {"recall"},
		"rember":  {"remember"},
		"rev":     {"revise"},
		"lst":     {"list"},
		"exprot":  {"export"},
		"re":      nil,
		"impxrt":  {"import"},
		"zzzzzzz": nil,
		"x":       nil,
	} {
		got := similarNames(word, names)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q is like %q, want %q", word, got, want)
		}
	}
}

// A synonym of a command is unknown below another command.
func TestSynonymOfAnotherCommand(t *testing.T) {
	t.Parallel()
	root := fullParser(new(commands), io.Discard, io.Discard).Model.Node
	if got := commandsFor("merge", childNamed(root, "projects")); len(got) != 0 {
		t.Errorf("merge leads to %q", got)
	}
}
