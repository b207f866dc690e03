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
	tree := &watchedTree{FS: fstest.MapFS{"read.md": {}, "a": {}, "told.md": {}, "listed.md": {}, "sub/x.md": {}, "seen.md": {}, "talk.aicf": {Data: []byte("@VOICE_NOTES:pond\ntext=the pump hums\n")}}, opened: map[string]bool{}}
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
	reported := []codec.Loss{
		{Pointer: "told.md", Reason: "a file without memories"},
		{Reason: "2 other files: listed.md, b"},
	}
	losses := tree.lossesOfUnread("x", reported)
	if len(losses) != 2 || !strings.HasSuffix(losses[0].Reason, "each can be imported by its name: talk.aicf") || !strings.HasSuffix(losses[1].Reason, "in the folder: a, seen.md, sub") {
		t.Errorf("%+v", losses)
	}
	all := unreadByAll{opened: map[string]bool{}}
	all.add(tree, []codec.Loss{{Pointer: "sub/x.md line:1"}}, false)
	all.add(tree, []codec.Loss{{Pointer: "a"}}, true)
	if names := (&watchedTree{FS: tree.FS, opened: all.opened}).unread(all.reported); !slices.Equal(names, []string{"listed.md", "seen.md", "talk.aicf", "told.md"}) || !all.news {
		t.Errorf("%q", names)
	}
}
