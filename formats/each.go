package formats

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Part is one file or folder within a folder that is in no format as a whole.
type Part struct {
	codec.Source
	codec.Format
}

// Each yields what lies in the folder src, in the order of names, each with the
// format that [Detect] finds it in: the way to import a folder that is in no
// format itself, file by file. Folders within are looked at as a whole and not
// entered.
//
// What cannot be imported comes with an error and its name, and the others come
// all the same: of kind unsupported what is in no known format, or is neither a
// file nor a folder; the file system's own error what cannot be opened. An error
// without a name says that the folder cannot be listed, and is the last.
//
// A part may be read until the next is asked for.
func Each(src codec.Source) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
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

// Mixed reports whether a folder is to be imported with [Each]: as a whole it is
// in no format, or reading it so would pass over a file in another one.
func Mixed(src codec.Source) bool {
	if src.Tree == nil {
		return false
	}
	whole, ok := choose(all(), src)
	if ok && whole.Create == nil && whole.CreateIn != nil && whole.Detect(src) == codec.Certain {
		return false // its documents are folders, and this is one, whatever else lies in it
	}
	for part, err := range Each(src) {
		if err == nil && (!ok || part.File != nil && part.isOther(whole)) {
			return true
		}
	}
	return false
}

// isOther reports whether a part surely is in another format than the folder.
// The two spellings of UMP are read together.
func (p Part) isOther(whole codec.Format) bool {
	family := func(f codec.Format) string { return strings.TrimSuffix(f.Name, "-md") }
	return family(p.Format) != family(whole) && p.Detect(p.Source) >= codec.Likely
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

// each opens one part, hands it over and closes it.
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

// within makes a source of an open file or folder within src.
func within(src codec.Source, name string, f fs.File) (codec.Source, error) {
	part := codec.Source{Name: name}
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

// empty refuses a source without content; nil: it has some.
func empty(src codec.Source) error {
	switch {
	case src.File != nil && src.Size == 0:
		return unsupported(src.Name, "an empty file; there is nothing in it to read")
	case src.Tree != nil:
		entries, err := fs.ReadDir(src.Tree, ".")
		if err == nil && len(entries) == 0 {
			return unsupported(src.Name, "an empty folder; there is nothing in it to read")
		}
	}
	return nil
}

func unsupported(name, what string) error {
	return &memory.Error{Kind: memory.Unsupported, Message: fmt.Sprintf("%q is %s", name, what)}
}
