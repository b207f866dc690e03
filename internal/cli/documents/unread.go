package documents

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
)

// watchedTree is a folder that notes which of its entries a reader opened.
type watchedTree struct {
	fs.FS
	opened map[string]bool // names in the folder
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
		top, _, _ := strings.Cut(name, "/")
		t.opened[top] = true
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

// unread returns the names of the entries that the reader neither opened nor reported.
func (t *watchedTree) unread(reported []codec.Loss) (names []string) {
	if t == nil {
		return nil
	}
	entries, err := fs.ReadDir(t.FS, ".")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		named := func(l codec.Loss) bool {
			rest, ok := strings.CutPrefix(l.Pointer, entry.Name())
			_, list, _ := strings.Cut(l.Reason, ": ")
			return ok && (rest == "" || rest[0] == '/' || rest[0] == ' ') || slices.Contains(strings.Split(list, ", "), entry.Name())
		}
		if !t.opened[entry.Name()] && !slices.ContainsFunc(reported, named) {
			names = append(names, entry.Name())
		}
	}
	return names
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
	formats int
	names   []string
}

// tell names the entries, and of which of them another import takes care.
func (u *unreadByAll) tell(a *cli.App, tree fs.FS) {
	if u == nil {
		return
	}
	known, others := (&watchedTree{FS: tree}).apart(u.names)
	if len(known) > 0 {
		a.Warn("passed over: %s: none of the formats reads what else lies in the folder; each can be imported by its name", cli.Clean(listed(known)))
	}
	if len(others) > 0 {
		a.Warn("passed over: %s: none of the formats reads what else lies in the folder", cli.Clean(listed(others)))
	}
}

// add notes the entries that one more format does not read.
func (u *unreadByAll) add(names []string) {
	if u.formats++; u.formats == 1 {
		u.names = names
	}
	u.names = slices.DeleteFunc(u.names, func(name string) bool { return !slices.Contains(names, name) })
}
