package documents

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
)

// TestUnread: what a reader neither opens nor reports is named, whatever words its losses
// have.
func TestUnread(t *testing.T) {
	tree := &watchedTree{FS: fstest.MapFS{"read.md": {}, "a": {}, "told.md": {}, "listed.md": {}, "sub/x.md": {}}, opened: map[string]bool{}}
	f, err := tree.Open("read.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	losses := tree.unread("x", []codec.Loss{
		{Pointer: "told.md", Reason: "a file without memories"},
		{Reason: "2 other files: listed.md, b"},
	})
	if len(losses) != 1 || !strings.HasSuffix(losses[0].Reason, ": a, sub") {
		t.Errorf("%+v", losses)
	}
}
