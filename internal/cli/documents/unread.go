package documents

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
)

// watchedTree is a folder that notes which of its files a reader opened.
type watchedTree struct {
	fs.FS
	opened map[string]bool // paths of files, and of the folders that they are in
}

var (
	_ fs.ReadDirFS = (*watchedTree)(nil)
	_ fs.StatFS    = (*watchedTree)(nil)
	_ fs.GlobFS    = (*watchedTree)(nil)
	_ codec.Peeker = (*watchedTree)(nil)
)

// Peek opens a file without noting it.
func (t *watchedTree) Peek(name string) (fs.File, error) { return codec.Peek(t.FS, name) }

// Open opens a file and notes it, or opens a folder.
func (t *watchedTree) Open(name string) (fs.File, error) {
	f, err := t.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		mark(t.opened, name)
	}
	return f, nil
}

// ReadDir lists a folder.
func (t *watchedTree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }

// Stat describes a file or folder.
func (t *watchedTree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

// Glob lists the names that match a pattern.
func (t *watchedTree) Glob(pattern string) ([]string, error) { return fs.Glob(t.FS, pattern) }

// watchTree makes the document note which entries of its folder are read.
func (d *document) watchTree() *watchedTree {
	if d.Tree == nil {
		return nil
	}
	t := &watchedTree{FS: d.Tree, opened: map[string]bool{}}
	d.Tree = t
	return t
}

// mostUnread is how many unread entries of a folder are named.
const mostUnread = 50

// mostVisited is how many entries of folders are looked at to find those that are unread.
const mostVisited = 100_000

// mark notes a path, and the folders that it is in.
func mark(paths map[string]bool, name string) {
	for ; name != "." && !paths[name]; name = path.Dir(name) {
		paths[name] = true
	}
}

// unread returns the paths that the reader neither opened nor reported. Of a folder in which
// it read nothing, the folder alone is named.
func (t *watchedTree) unread(reported []codec.Loss) (names []string) {
	if t == nil {
		return nil
	}
	whole, seen := map[string]bool{}, maps.Clone(t.opened)
	for _, l := range reported {
		_, list, _ := strings.Cut(l.Reason, ": ")
		for _, name := range append(strings.Split(list, ", "), spelledPaths(l.Pointer)...) {
			if fs.ValidPath(name) {
				whole[name] = true
				mark(seen, name)
			}
		}
	}
	visited := 0
	for folders := []string{"."}; len(folders) > 0 && visited <= mostVisited; folders = folders[1:] {
		entries, err := fs.ReadDir(t.FS, folders[0])
		if err != nil {
			continue
		}
		visited += len(entries)
		for _, entry := range entries {
			switch name := path.Join(folders[0], entry.Name()); {
			case !seen[name]:
				names = append(names, name)
			case entry.IsDir() && !whole[name]:
				folders = append(folders, name)
			}
		}
	}
	return names
}

// spelledPaths returns the paths that a loss may point to: a line or other words can follow.
func spelledPaths(pointer string) (paths []string) {
	for i, c := range pointer {
		if c == ' ' {
			paths = append(paths, pointer[:i])
		}
	}
	return append(paths, pointer)
}

// listed lists names, at most mostUnread of them.
func listed(names []string) string {
	list := strings.Join(names[:min(len(names), mostUnread)], ", ")
	if more := len(names) - mostUnread; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// apart returns the names that a format reads by themselves, and those that none reads.
func (t *watchedTree) apart(names []string) (known, others []string) {
	for i, name := range names {
		if i < mostUnread && formats.Known(codec.Source{Tree: t.FS}, name) {
			known = append(known, name)
			continue
		}
		others = append(others, name)
	}
	return known, others
}

// lossesOfUnread returns the losses of entries that a format does not read.
func (t *watchedTree) lossesOfUnread(format string, reported []codec.Loss) (losses []codec.Loss) {
	known, others := t.apart(t.unread(reported))
	if len(known) > 0 {
		losses = append(losses, codec.Loss{Pointer: known[0], Reason: format + " does not read what else lies in the folder, and each can be imported by its name: " + listed(known)})
	}
	if len(others) > 0 {
		losses = append(losses, codec.Loss{Pointer: others[0], Reason: format + " does not read what else lies in the folder: " + listed(others)})
	}
	return losses
}

// tellUnread names the entries that a format does not read, where nothing is imported.
func tellUnread(a *cli.App, format string, tree *watchedTree, reported []codec.Loss) {
	for _, l := range tree.lossesOfUnread(format, reported) {
		a.Warn("passed over: %s", cli.Clean(l.Reason))
	}
}

// unreadByAll finds the entries of a folder that none of its formats reads.
type unreadByAll struct {
	opened   map[string]bool
	reported []codec.Loss
	news     bool // a format of the folder was not imported before
}

// tell names the entries, and of which of them another import takes care.
func (u *unreadByAll) tell(a *cli.App, tree fs.FS) {
	if u == nil || !u.news {
		return
	}
	all := &watchedTree{FS: tree, opened: u.opened}
	known, others := all.apart(all.unread(u.reported))
	if len(known) > 0 {
		a.Warn("passed over: %s: none of the formats reads what else lies in the folder; each can be imported by its name", cli.Clean(listed(known)))
	}
	if len(others) > 0 {
		a.Warn("passed over: %s: none of the formats reads what else lies in the folder", cli.Clean(listed(others)))
	}
}

// add notes what one more format read and reported.
func (u *unreadByAll) add(tree *watchedTree, reported []codec.Loss, known bool) {
	maps.Copy(u.opened, tree.opened)
	u.reported, u.news = append(u.reported, reported...), u.news || !known
}
