package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/source"
)

// linked makes a folder with links of every kind in it.
func linked(t *testing.T) (dir, outside string) {
	t.Helper()
	dir = write(t, map[string]string{"AGENTS.md": "rules", "docs/a.md": "a"})
	outside = write(t, map[string]string{"secret.txt": "not yours"})
	for name, target := range map[string]string{
		"CLAUDE.md":    "AGENTS.md",
		"docs/up.md":   "../AGENTS.md",
		"self":         "self",
		"ping":         "pong",
		"pong":         "ping",
		"docs/loop":    "..",
		"alias":        "docs",
		"dangling":     "nowhere",
		"absolute.txt": filepath.Join(outside, "secret.txt"),
		"folder":       outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("skipped: no symbolic links here")
		}
	}
	relative, err := filepath.Rel(dir, filepath.Join(outside, "secret.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(relative, filepath.Join(dir, "relative.txt")); err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

func TestLinksInFolder(t *testing.T) {
	dir, _ := linked(t)
	tree := open(t, dir, source.Options{}).Tree
	for name, want := range map[string]string{
		"CLAUDE.md":  "rules",
		"docs/up.md": "rules",
		"docs/a.md":  "a",
	} {
		if got, err := fs.ReadFile(tree, name); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"self", "ping", "dangling", "absolute.txt", "relative.txt", "folder", "folder/secret.txt",
		"alias", "alias/a.md", "docs/loop", "docs/loop/AGENTS.md", "docs/loop/docs/loop/docs/a.md",
		"..", "../x", "/etc/hostname", "docs/../AGENTS.md", "",
	} {
		if data, err := fs.ReadFile(tree, name); err == nil {
			t.Errorf("%s was opened: %d bytes", name, len(data))
		}
		if _, err := fs.Stat(tree, name); err == nil {
			t.Errorf("%s was described", name)
		}
		if _, err := fs.ReadDir(tree, name); err == nil {
			t.Errorf("%s was listed", name)
		}
	}
	for _, name := range []string{"alias", "alias/a.md", "docs/loop/AGENTS.md"} {
		if _, err := tree.Open(name); !errors.Is(err, source.ErrLink) {
			t.Errorf("%s: got %v, want ErrLink", name, err)
		}
	}
}

func TestWalkMeetsEveryFileOnce(t *testing.T) {
	dir, _ := linked(t)
	tree := open(t, dir, source.Options{}).Tree
	var regular []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			regular = append(regular, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"AGENTS.md", "docs/a.md"}; !slices.Equal(regular, want) {
		t.Errorf("met %q, want %q", regular, want)
	}
}

// A walker that calls Stat instead of reading the entry's type must end, too.
func TestCarelessWalkEnds(t *testing.T) {
	dir, _ := linked(t)
	tree := open(t, dir, source.Options{}).Tree
	visits := 0
	var visit func(string)
	visit = func(name string) {
		if visits++; visits > 1000 {
			t.Fatal("the walk runs in circles")
		}
		entries, _ := fs.ReadDir(tree, name)
		for _, entry := range entries {
			below := entry.Name()
			if name != "." {
				below = name + "/" + below
			}
			if info, err := fs.Stat(tree, below); err == nil && info.IsDir() {
				visit(below)
			}
		}
	}
	visit(".")
	if visits != 2 {
		t.Errorf("%d folders visited, want 2", visits)
	}
}
