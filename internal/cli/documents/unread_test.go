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
	names := tree.unread(reported)
	losses := tree.lossesOfUnread("x", reported)
	if len(losses) != 2 || !strings.HasSuffix(losses[0].Reason, "each can be imported by its name: talk.aicf") || !strings.HasSuffix(losses[1].Reason, "in the folder: a, seen.md, sub") {
		t.Errorf("%+v", losses)
	}
	var all unreadByAll
	all.add(names)
	all.add([]string{"sub", "told.md"})
	if all.add([]string{"sub"}); !slices.Equal(all.names, []string{"sub"}) {
		t.Errorf("%q", all.names)
	}
}
