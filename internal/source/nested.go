package source

import (
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// nested unpacks the archives beside the files of an archive, as in exports that come in
// parts. Their content goes into the folder that holds them. If a name there is taken, it
// goes into a folder of its own. nested recognises an archive by name and content, because
// other programs' documents are archives, too; it recognises a single archive by content
// alone. It returns the folder that holds everything. It goes no deeper: an archive inside
// one of these, or in a subfolder, stays a file, and one that lies alone there is refused.
func (b *builder) nested(top *node) (*node, error) {
	if err := b.plain(top); err != nil {
		return nil, err
	}
	alone := top.only()
	for _, e := range top.sorted() {
		if kind := kindOf(e); !e.folder && kind != "" && (e == alone || isPart(e.path)) {
			if err := b.enter(top, e, kind); err != nil {
				return nil, err
			}
		}
	}
	if alone == nil || kindOf(alone) == "" {
		return top, nil
	}
	b.within = alone.path + "/"
	top = topOf(top)
	if err := b.plain(top); err != nil {
		return nil, err
	}
	if only := top.only(); only != nil && kindOf(only) != "" {
		return nil, b.refused(only.path, ruleNested, errors.New("an archive in an archive that lies in one; unpack it first"))
	}
	return top, nil
}

// kindOf returns the kind of an archive by its content; empty: it is not one.
func kindOf(e *node) string {
	if e.folder {
		return ""
	}
	head, err := beginning(codec.Source{File: e.data})
	switch {
	case err != nil:
	case isZip(head):
		return "zip"
	case isTar(head):
		return "tar"
	}
	return ""
}

// isPart reports whether a file has the name of an archive.
func isPart(name string) bool {
	return slices.Contains([]string{".zip", ".tar"}, strings.ToLower(path.Ext(name)))
}

// plain unpacks the only file of a folder if it is compressed and no format reads it as it
// is.
func (b *builder) plain(top *node) error {
	e := top.only()
	if e == nil || !b.isPacked(e) {
		return nil
	}
	in, err := gzip.NewReader(io.NewSectionReader(e.data, 0, e.size))
	if err == nil {
		err = b.keep(e, b.read(in))
	}
	if err != nil {
		return unreadable("gzip", path.Join(b.within, e.path), err)
	}
	if b.isPacked(e) || kindOf(e) == "zip" {
		return parseError("gzip", path.Join(b.within, e.path), ruleNested, errors.New("an archive that is compressed once more; unpack it first"))
	}
	delete(top.below, path.Base(e.path))
	e.path = path.Join(path.Dir(e.path), bare(path.Base(e.path)))
	top.below[path.Base(e.path)] = e
	return nil
}

// isPacked reports whether a file is compressed and no format reads it as it is.
func (b *builder) isPacked(e *node) bool {
	src := codec.Source{Name: path.Base(e.path), File: e.data, Size: e.size, Modified: e.modified}
	head, err := beginning(src)
	return err == nil && strings.HasPrefix(string(head), string(gzipMagic)) && (b.spool.opt.Known == nil || !b.spool.opt.Known(src))
}

// enter replaces an archive by its content.
func (b *builder) enter(top, e *node, kind string) error {
	inner := *b
	inner.format, inner.within, inner.root = kind, e.path+"/", &node{path: ".", folder: true}
	read := inner.zip
	if kind == "tar" {
		read = inner.tar
	}
	if err := read(e.data, e.size); err != nil {
		return err
	}
	delete(inner.root.below, appleDouble)
	delete(top.below, path.Base(e.path))
	return b.place(top, inner.root, e.path, strings.TrimSuffix(path.Base(e.path), path.Ext(e.path)))
}

// place puts the content of an archive into the folder that holds it.
func (b *builder) place(top, inner *node, archive, own string) error {
	at := top
	if collide(top, inner) {
		if own == "" || top.below[own] != nil {
			return b.refused(archive, ruleNested, errors.New("holds what has names that others beside it have; unpack it first"))
		}
		at = &node{path: path.Join(top.path, own), folder: true}
		top.below[own] = at
	}
	merge(at, inner)
	return nil
}

// collide reports whether a file of one folder has the name of an entry of another.
func collide(a, b *node) bool {
	for name, e := range b.below {
		there := a.below[name]
		if there != nil && (!there.folder || !e.folder || collide(there, e)) {
			return true
		}
	}
	return false
}

// merge moves the content of one folder into another.
func merge(into, from *node) {
	if into.below == nil {
		into.below = map[string]*node{}
	}
	for name, e := range from.below {
		if there := into.below[name]; there != nil {
			merge(there, e)
			continue
		}
		into.below[name] = e
	}
}
