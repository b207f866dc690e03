package formats

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Part is one file or folder in a folder that has no format as a whole.
type Part struct {
	codec.Source
	codec.Format
	Whole bool // it is the folder itself, in one of its formats
}

// Each yields the entries of folder src in the order of their names, each with the format
// that [Detect] finds. Satchel imports a folder without a format in this way, file by file.
// Each treats subfolders as wholes and does not enter them.
//
// An entry that cannot be imported comes with its name and an error, and the others follow.
// The error has kind unsupported if the format is unknown, or the entry is neither a file
// nor a folder; otherwise it is the file system's own. An error without a name says that
// the folder cannot be listed, and is the last.
//
// A part can be read until the caller asks for the next.
//
// A folder with files of several assistants, as [Beside] lists them, comes once for each.
func Each(src codec.Source) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		if list := Beside(src); len(list) > 1 {
			for _, f := range list {
				if !yield(Part{src, f, true}, nil) {
					return
				}
			}
			return
		}
		entries, err := entriesOf(src)
		if err != nil {
			yield(Part{}, err)
			return
		}
		for _, entry := range entries {
			if !each(src, entry.Name(), yield) {
				return
			}
		}
	}
}

// Beside returns the formats of a folder whose files lie beside one another, such as those
// of several assistants in a project. It returns no two for a folder that is a document of
// another format.
func Beside(src codec.Source) (list []codec.Format) {
	if src.Tree == nil {
		return nil
	}
	for _, f := range all() {
		if f.Beside && f.Detect(src) > codec.No {
			list = append(list, f)
		}
	}
	if len(list) < 2 {
		return list
	}
	if whole, ok := choose(all(), src); ok && !whole.Beside {
		return nil
	}
	return list
}

// Mixed reports whether to import a folder with [Each]: as a whole it has no format, or
// reading it so would skip a file of another format.
func Mixed(src codec.Source) bool {
	if src.Tree == nil {
		return false
	}
	whole, ok := choose(all(), src)
	if ok && whole.Create == nil && whole.CreateIn != nil && whole.Detect(src) == codec.Certain {
		return false // its documents are folders, and this is one, whatever else lies in it
	}
	if ok && whole.Beside && len(Beside(src)) > 1 {
		return true
	}
	for part, err := range Each(src) {
		if err == nil && (!ok || part.File != nil && part.isOther(whole) || part.isOwn(whole)) {
			return true
		}
	}
	return false
}

// isOwn reports whether a part is a folder of another format than the folder around it: a
// vault among notes, or the export of another assistant beside that of the first.
func (p Part) isOwn(whole codec.Format) bool {
	least := codec.Certain
	if whole.Create == nil && whole.CreateIn == nil {
		least = codec.Likely
	}
	return p.Tree != nil && !p.Whole && p.Format.Name != whole.Name && p.Detect(p.Source) >= least
}

// isOther reports whether a part has another format than the folder, by its content or by its
// extension. The two spellings of UMP count as one.
func (p Part) isOther(whole codec.Format) bool {
	family := func(f codec.Format) string { return strings.TrimSuffix(f.Name, "-md") }
	named, ok := ByExtension(p.Source.Name)
	return family(p.Format) != family(whole) && (p.Detect(p.Source) >= codec.Likely || ok && named.Name == p.Format.Name)
}

// entriesOf lists a folder.
func entriesOf(src codec.Source) ([]fs.DirEntry, error) {
	if src.Tree == nil {
		return nil, unsupported(src.Name, "not a folder")
	}
	entries, err := fs.ReadDir(src.Tree, ".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", src.Name, err)
	}
	if len(entries) == 0 {
		return nil, empty(src)
	}
	return entries, nil
}

// each opens one part, yields it and closes it.
func each(src codec.Source, name string, yield func(Part, error) bool) bool {
	part := Part{Source: codec.Source{Name: name}}
	f, err := src.Tree.Open(name)
	if err != nil {
		return yield(part, fmt.Errorf("open the source: %w", err))
	}
	defer f.Close()
	if part.Source, err = within(src, name, f); err == nil {
		part.Format, err = Detect(part.Source)
	}
	return yield(part, err)
}

// Known reports whether an entry of a folder is in a known format. The entries of the
// folder's own folders have no say in it.
func Known(src codec.Source, name string) (known bool) {
	each(src, name, func(_ Part, err error) bool {
		known = err == nil
		return true
	})
	return known
}

// Folders returns the folders in a folder that hold an entry in a known format, as paths. It
// looks at mostFolders folders at most, and looks for none below one that it returns.
func Folders(src codec.Source) (found []string) {
	type place struct {
		path  string
		depth int
	}
	if src.Tree == nil {
		return nil
	}
	for queue := []place{{"", 0}}; len(queue) > 0 && len(queue) <= mostFolders; queue = queue[1:] {
		at := queue[0]
		in := codec.Source{Name: path.Base(path.Join(src.Name, at.path)), Tree: src.Tree}
		if at.path != "" {
			below, err := fs.Sub(src.Tree, at.path)
			if err != nil {
				continue
			}
			in.Tree = below
		}
		if Mixed(in) {
			found = append(found, at.path)
			continue
		}
		entries, err := entriesOf(in)
		for _, entry := range entries {
			if err == nil && entry.IsDir() && at.depth < deepest {
				queue = append(queue, place{path.Join(at.path, entry.Name()), at.depth + 1})
			}
		}
	}
	return found
}

// The bounds of Folders.
const (
	mostFolders = 100
	deepest     = 3
)

// within makes a source of an open file or folder in src.
func within(src codec.Source, name string, f fs.File) (codec.Source, error) {
	part := codec.Source{Name: path.Base(name)}
	info, err := f.Stat()
	if err != nil {
		return part, fmt.Errorf("open %s: %w", name, err)
	}
	part.Modified = info.ModTime()
	switch at, isReaderAt := f.(io.ReaderAt); {
	case info.IsDir():
		part.Tree, err = fs.Sub(src.Tree, name)
	case !info.Mode().IsRegular():
		err = unsupported(name, "neither a file nor a folder")
	case isReaderAt:
		part.File, part.Size = at, info.Size()
	default:
		err = unsupported(name, "compressed or otherwise not to be read in place; unpack it first")
	}
	return part, err
}

// empty returns the refusal of a source without content; nil: it has some.
func empty(src codec.Source) error {
	switch {
	case !src.IsEmpty():
		return nil
	case src.Tree != nil:
		return unsupported(src.Name, "an empty folder; there is nothing in it to read")
	}
	return unsupported(src.Name, "an empty file; there is nothing in it to read")
}

func unsupported(name, what string) error {
	return &memory.Error{Kind: memory.Unsupported, Message: fmt.Sprintf("%q is %s", name, what)}
}
