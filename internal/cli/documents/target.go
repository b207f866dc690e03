package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// target is a document to be written.
type target struct {
	codec.Format
	path   string // "" or "-": standard output
	folder bool   // a folder of files, rather than a file
	lines  bool   // its name asks for one record a line
	signs  bool   // a signature beside it is taken care of
}

// targetOf finds the format to write at a path: the one asked for, or else the one
// that the path suggests.
func targetOf(path, to string) (target, error) {
	t := target{path: path}
	if f, own := formats.ByOwnName(path); own && (to == "" || to == f.Name) && !cli.IsStdout(path) {
		return t, cli.Usagef("satchel writes the files of %s into the folder of a project, each where %[1]s reads it: name that folder in place of %s, with --to %[1]s", f.Name, cli.Clean(path))
	}
	if to == "" {
		to, t.lines = suggested(path)
	}
	var err error
	if t.Format, err = writable(to); err != nil {
		return t, err
	}
	switch {
	case t.CreateIn != nil && cli.IsStdout(path) && t.Create == nil:
		return t, cli.Usagef("%s writes a folder of files; name the folder", t.Name)
	case t.CreateIn != nil && !cli.IsStdout(path):
		t.folder = t.Create == nil || looksLikeFolder(path)
	}
	if t.folder && atFile(path) {
		return t, cli.Usagef("%s is a file, and %s writes a folder of files; name a folder", cli.Clean(path), t.Name)
	}
	return t, nil
}

// rulesFormat is the name of the format that is a block in a file of rules.
const rulesFormat = "claudecode"

// suggested returns the format that a path suggests, and whether with one record a
// line.
func suggested(path string) (to string, lines bool) {
	switch strings.ToLower(filepath.Base(path)) {
	case "claude.md", "claude.local.md", "agents.md": // the user's own file, in which one block is ours
		return rulesFormat, false
	}
	if !cli.IsStdout(path) && (strings.HasSuffix(strings.ToLower(path), ".md") || isFolder(path)) {
		return cli.MarkdownFormat, false
	}
	return byEnding(path)
}

// byEnding returns the format that a file's name suggests, and whether with one
// record a line.
func byEnding(name string) (to string, lines bool) {
	name = strings.ToLower(name)
	lines = strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
	if f, ok := formats.ByExtension(name); ok && f.Create != nil {
		return f.Name, lines
	}
	var found []string
	for _, f := range formats.All() {
		if slices.ContainsFunc(f.Extensions, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			found = append(found, f.Name)
		}
	}
	if len(found) == 1 && !lines && slices.Contains(WritableNames(), found[0]) {
		return found[0], false
	}
	return "ump", lines
}

// isFolder reports whether a path is a folder, or is written as one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, "/") || path != "" && os.IsPathSeparator(path[len(path)-1])
}

// looksLikeFolder reports whether a format that can be a file or a folder should be a
// folder here. It should if the folder exists, or if nothing exists and the name has
// no ending.
func looksLikeFolder(path string) bool {
	return isFolder(path) || !cli.Exists(path) && filepath.Ext(path) == ""
}

// atFile reports whether a file stands in the place of a folder.
func atFile(path string) bool {
	info, err := os.Stat(filepath.Clean(path))
	return err == nil && !info.IsDir()
}

// way is the path of a write to its destination.
type way struct {
	place func(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error
	pass  atomicfile.Passage // nil: the write is always allowed
}

// anyway returns the way for data that concerns no store.
func anyway(a *cli.App) way {
	return way{place: func(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error {
		if cli.IsStdout(path) {
			return onStdout(a, fill)
		}
		return cli.PlaceAs(path, mode, pass, fill)
	}}
}

// way returns the way for an owner's data.
func (e *Way) way(a *cli.App) way {
	return way{pass: e.pass, place: func(path string, mode fs.FileMode, pass atomicfile.Passage, fill func(io.Writer) error) error {
		if cli.IsStdout(path) {
			return e.Place(a, path, fill)
		}
		return cli.PlaceAs(path, mode, pass, fill)
	}}
}

// ofWriting is the result of writing a document.
type ofWriting struct {
	losses []codec.Loss
	left   []string // files of earlier runs in the folder that this one did not write
}

// write writes the output of fill. around, if set, makes the last change to the bytes
// of a file.
func (t target) write(a *cli.App, out way, opt codec.Options, prune bool, around func(io.Writer, func(io.Writer) error) error, fill func(codec.Writer) error) (ofWriting, error) {
	if t.folder {
		return t.writeFolder(a, out, opt, prune, fill)
	}
	mode, pass, err := t.amend(&opt, out.pass)
	if err != nil {
		return ofWriting{}, err
	}
	var done ofWriting
	err = out.place(t.path, mode, pass, func(w io.Writer) error {
		return around(w, func(w io.Writer) error {
			doc, err := t.Create(w, opt)
			if err != nil {
				return err
			}
			if err = fill(doc); err == nil {
				err = doc.Close() // completes the document
			}
			if done.losses = doc.Losses(); err == nil {
				err = t.unsign(a)
			}
			return err
		})
	})
	return done, err
}

// amend passes the file's content to a format that changes a part of a file. It also
// prevents the replacement of a file that another program has changed since.
func (t target) amend(opt *codec.Options, pass atomicfile.Passage) (fs.FileMode, atomicfile.Passage, error) {
	if !t.Amends || cli.IsStdout(t.path) || !cli.Exists(t.path) {
		return 0o600, pass, nil
	}
	info, err := os.Stat(t.path)
	if err != nil {
		return 0, nil, err
	}
	if opt.Before, err = cli.ReadBounded(t.path, cli.MaxSettings); err != nil {
		return 0, nil, err
	}
	before := opt.Before
	return info.Mode().Perm(), func(write func() error) error {
		now, err := cli.ReadBounded(t.path, cli.MaxSettings)
		if err != nil || !bytes.Equal(now, before) {
			return cli.Refusedf("%s was changed by somebody else meanwhile, and was left as it is; try again", cli.Clean(t.path))
		}
		if pass == nil {
			return write()
		}
		return pass(write)
	}, nil
}

// filesTogether is how many files of a folder wait for the disk at the same time. The disk
// takes them together in hardly more time than one.
const filesTogether = 64

// writeFolder writes a folder of files.
func (t target) writeFolder(a *cli.App, out way, opt codec.Options, prune bool, fill func(codec.Writer) error) (done ofWriting, err error) {
	folder, err := atomicfile.OpenFolder(t.path, atomicfile.FolderOptions{Pass: out.pass, Ours: t.Wrote, Together: filesTogether})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	doc, err := t.CreateIn(folder, opt)
	if err != nil {
		return done, err
	}
	if err = fill(doc); err == nil {
		err = doc.Close()
	}
	done.losses = doc.Losses()
	if err == nil {
		done.left, err = folder.Left(codec.Limits{}.Filled().Files)
	}
	if err != nil {
		if late := folder.Flush(); late != nil {
			err = errors.Join(err, late)
		}
		return done, t.broken(folder.Written(), err)
	}
	for _, name := range done.left {
		if prune {
			err = errors.Join(err, folder.Remove(name))
		}
	}
	return done, err
}

// broken lists the files that a failed run has written.
func (t target) broken(names []string, err error) error {
	if len(names) == 0 {
		return err
	}
	const most = 5
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += ", …"
	}
	return fmt.Errorf("%w; before that, %s of %s were written: %s", err, cli.Plural(len(names), "file", "files"), cli.Clean(t.path), cli.Clean(list))
}

// tellLeft reports files of earlier runs that this run did not write: their memories
// were forgotten since.
func tellLeft(a *cli.App, path string, left []string, pruned bool) {
	switch {
	case len(left) > 0 && pruned:
		a.Say("removed %s of memories that are not exported any more", cli.Plural(len(left), "file", "files"))
	case len(left) > 0:
		a.Warn("%s in %s do not belong to this export; --prune removes them", cli.Plural(len(left), "file", "files"), cli.Clean(path))
	}
}
