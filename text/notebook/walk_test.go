package notebook_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/text/notebook"
)

// TestWalk: a walk leaves out what visit does not want, and gives up in a project that is too
// large, and says where.
func TestWalk(t *testing.T) {
	tree := fstest.MapFS{"a/b/x.md": {}, "node_modules/y.md": {}, ".git/z": {}, "n.md": {}}
	var seen []string
	visit := func(name string, _ bool) bool {
		seen = append(seen, name)
		return !notebook.IsForeign(name)
	}
	if stopped := notebook.Walk(tree, ".", visit); stopped != "" || strings.Join(seen, " ") != ".git a n.md node_modules a/b a/b/x.md" {
		t.Errorf("it visits %v and stops at %q", seen, stopped)
	}
	for i := range 100_000 {
		tree[fmt.Sprintf("a/many/%d", i)] = &fstest.MapFile{}
	}
	if stopped := notebook.Walk(tree, ".", visit); stopped != "a/many" {
		t.Errorf("it stops at %q", stopped)
	}
}
