package markdown

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// Tree lists the content of a folder of notes.
type Tree struct {
	Notes  []string       // Markdown files, in the order of their names, folder by folder
	Hidden []string       // files and folders whose names begin with a dot; Walk does not enter them
	Links  []string       // links, which Walk does not follow
	Closed []string       // folders that Walk could not list
	Others map[string]int // number of files of each other extension
	First  map[string]string
}

// Walk lists a folder and everything below it. More entries than the limits allow give a
// [Fault].
func Walk(tree fs.FS, limits codec.Limits) (Tree, error) {
	t := Tree{Others: map[string]int{}, First: map[string]string{}}
	seen := 0
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil && name == "." {
			return err
		}
		if seen++; seen > limits.Files+1 { // the folder itself is one
			return &Fault{Limit: true, Err: fmt.Errorf("more than %d files; name a smaller folder, or raise the limit", limits.Files)}
		}
		if err != nil {
			t.Closed = append(t.Closed, name)
			return fs.SkipDir
		}
		return t.take(name, entry)
	})
	return t, err
}

func (t *Tree) take(name string, entry fs.DirEntry) error {
	ending := strings.ToLower(path.Ext(name))
	switch {
	case name == ".":
	case strings.HasPrefix(path.Base(name), "."):
		t.Hidden = append(t.Hidden, name)
		if entry.IsDir() {
			return fs.SkipDir
		}
	case entry.IsDir():
	case !entry.Type().IsRegular():
		t.Links = append(t.Links, name)
	case ending == ".md":
		t.Notes = append(t.Notes, name)
	default:
		if t.Others[ending]++; t.Others[ending] == 1 {
			t.First[ending] = name
		}
	}
	return nil
}
