package conversation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// file is a file of an export.
type file struct {
	name     string // empty: the source is this file
	part     Part
	fits     bool // it begins like a file of its part
	size     int64
	modified time.Time
	open     func() (io.ReadCloser, error)
	peek     func() (io.ReadCloser, error) // opens it to look at its beginning
}

// Below returns path patterns for a folder and for the folders directly below it, into
// which people may have unpacked an archive.
func Below(patterns ...string) (all []string) {
	for _, above := range [...]string{"", "*/"} {
		for _, pattern := range patterns {
			all = append(all, above+pattern)
		}
	}
	return all
}

// find lists the files of an export and the files beside them.
func (e *Export) find(src codec.Source) error {
	tree := src.Tree
	switch {
	case tree != nil:
	case src.File == nil:
		return e.violation("", errors.New("neither a file nor a folder"))
	case src.Size > e.limits.Document:
		return e.limit(fmt.Errorf("more than %d bytes; raise the limit to read it", e.limits.Document))
	default:
		return e.single(src)
	}
	taken := map[string]bool{}
	for _, part := range e.shape.Parts {
		if err := e.among(tree, part, taken); err != nil {
			return err
		}
	}
	if len(e.files) == 0 {
		return e.violation("", fmt.Errorf("no %s in it; name the export itself, or the folder it was unpacked to", e.shape.Parts[0].Files[0]))
	}
	return e.beside(tree, taken)
}

// single lists the one file of a source that is a file.
func (e *Export) single(src codec.Source) error {
	f := file{size: src.Size, modified: src.Modified, part: e.shape.Parts[0], open: func() (io.ReadCloser, error) {
		return section{io.NewSectionReader(src.File, 0, src.Size)}, nil
	}}
	f.peek = f.open
	for _, part := range e.shape.Parts {
		kind := f
		kind.part = part
		head, err := kind.head()
		if err != nil {
			return err
		}
		if part.claims(head) {
			f, f.fits = kind, true
			break
		}
	}
	e.files = append(e.files, f)
	return nil
}

// decode reads a file of the part as JSON.
func (p Part) decode(in io.Reader, most int64) io.Reader {
	if p.Decode == nil {
		return in
	}
	return p.Decode(in, most)
}

// claims reports whether a file with this beginning belongs to the part: it is JSON, and
// the part accepts it.
func (p Part) claims(head []byte) bool {
	start := bytes.TrimLeft(head, " \t\r\n")
	if list, ok := bytes.CutPrefix(start, []byte("[")); ok {
		start = bytes.TrimLeft(list, " \t\r\n")
	}
	return len(start) > 0 && bytes.IndexByte([]byte("{\"[]"), start[0]) >= 0 && p.Is(head)
}

// section is the content of a source that is one file; the file's owner closes it.
type section struct{ *io.SectionReader }

// Close implements [io.Closer].
func (section) Close() error { return nil }

// among adds the files of a part.
func (e *Export) among(tree fs.FS, part Part, taken map[string]bool) error {
	found, err := e.named(tree, part, taken)
	if err != nil {
		return err
	}
	fitting := map[string]bool{} // folders
	for _, f := range found {
		if f.fits {
			fitting[path.Dir(f.name)] = true
		}
	}
	for _, f := range found {
		// A file of this name in another folder than those that fit may be of another export.
		sure := part.Sure && (len(fitting) == 0 || fitting[path.Dir(f.name)])
		if taken[f.name] || !f.fits && !sure {
			continue
		}
		taken[f.name] = true
		e.files = append(e.files, f)
		if len(e.files) > e.limits.Files {
			return e.limit(fmt.Errorf("more than %d files of the export; raise the limit", e.limits.Files))
		}
	}
	return nil
}

// named lists the files that have a name of a part and are not taken.
func (e *Export) named(tree fs.FS, part Part, taken map[string]bool) (found []file, err error) {
	for _, pattern := range part.Files {
		names, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, fmt.Errorf("read the folder: %w", err)
		}
		slices.Sort(names)
		for _, name := range names {
			if taken[name] || part.Decode != nil && taken[strings.TrimSuffix(name, path.Ext(name))+".json"] {
				continue
			}
			f, err := e.file(tree, name, part)
			if err != nil {
				return nil, err
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// file looks at a file of a folder.
func (e *Export) file(tree fs.FS, name string, part Part) (file, error) {
	f := file{name: name, part: part, open: func() (io.ReadCloser, error) { return tree.Open(name) }}
	f.peek = func() (io.ReadCloser, error) { return codec.Peek(tree, name) }
	info, err := fs.Stat(tree, name)
	if err != nil {
		return f, fmt.Errorf("open %s: %w", name, err)
	}
	if info.IsDir() {
		return f, nil
	}
	f.size, f.modified = info.Size(), info.ModTime()
	head, err := f.head()
	f.fits = err == nil && part.claims(head)
	return f, err
}

// beside reports the files that are not read: the known ones by name, and the number of the
// others.
func (e *Export) beside(tree fs.FS, taken map[string]bool) error {
	folders := map[string]bool{}
	for _, f := range e.files {
		folders[path.Dir(f.name)] = true
		for above := path.Dir(path.Dir(f.name)); above != "."; above = path.Dir(above) {
			folders[above] = true
		}
	}
	var others []string
	for _, folder := range sorted(folders) {
		entries, err := fs.ReadDir(tree, folder)
		if err != nil {
			return fmt.Errorf("read the folder: %w", err)
		}
		for _, entry := range entries {
			name := path.Join(folder, entry.Name())
			switch {
			case taken[name] || entry.IsDir() && within(name, folders):
			case e.known(entry.Name()):
				e.lost.Add(codec.Loss{Pointer: name, Reason: LostFile})
			case entry.IsDir() && hollow(tree, name):
			default:
				others = append(others, name)
			}
		}
	}
	if n := len(others); n > 0 {
		const some = 5
		names := strings.Join(others[:min(n, some)], ", ")
		if n > some {
			names += ", …"
		}
		e.lost.Add(codec.Loss{Pointer: others[0], Reason: fmt.Sprintf("%d %s: %s", n, lostOthers, names)})
	}
	return nil
}

// hollow reports whether a folder is empty.
func hollow(tree fs.FS, name string) bool {
	entries, err := fs.ReadDir(tree, name)
	return err == nil && len(entries) == 0
}

// within reports whether a path is one of the folders, or lies in one.
func within(name string, folders map[string]bool) bool {
	for folder := range folders {
		if folder == name || strings.HasPrefix(folder, name+"/") {
			return true
		}
	}
	return false
}

func (e *Export) known(name string) bool {
	return slices.ContainsFunc(e.shape.Aside, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

func sorted(set map[string]bool) []string {
	var list []string
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// head returns the beginning of a file.
func (f file) head() ([]byte, error) {
	in, err := f.peek()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(f.part.decode(in, mostBytes), codec.HeadSize))
	return bytes.TrimPrefix(head, []byte("\ufeff")), err
}
