package documents

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
)

// TestUnread: what a reader neither opens nor reports is named, whatever words its losses
// have.
func TestUnread(t *testing.T) {
	tree := &watchedTree{FS: fstest.MapFS{"read.md": {}, "a": {}, "told.md": {}, "listed.md": {}, "sub/x.md": {}, "seen.md": {}}, opened: map[string]bool{}}
	f, err := tree.Open("read.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen, err := codec.Peek(tree, "seen.md")
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	names := tree.unread([]codec.Loss{
		{Pointer: "told.md", Reason: "a file without memories"},
		{Reason: "2 other files: listed.md, b"},
	})
	if losses := lossOfUnread("x", names); len(losses) != 1 || !strings.HasSuffix(losses[0].Reason, ": a, seen.md, sub") {
		t.Errorf("%+v", losses)
	}
	var all unreadByAll
	all.add(names)
	all.add([]string{"sub", "told.md"})
	if all.add([]string{"sub"}); !slices.Equal(all.names, []string{"sub"}) {
		t.Errorf("%q", all.names)
	}
}
