package source

import (
	"errors"
	"path"
	"strings"
)

// nested enters the archives that lie beside the files of an archive, as in exports that
// come in parts: where they would be unpacked to, which is the folder that they lie in
// or, if anything there has the name of something in them, one of their own. They go no
// deeper: an archive in one of these, or in a folder further down, stays a file.
func (b *builder) nested(top *node) error {
	for _, e := range top.sorted() {
		ending := path.Ext(e.path)
		if e.folder || !strings.EqualFold(ending, ".zip") {
			continue
		}
		head := make([]byte, len(zipMagic))
		if _, err := e.data.ReadAt(head, 0); err != nil || !isZip(head) {
			continue // only called like one
		}
		inner := *b
		inner.format, inner.within, inner.root = "zip", e.path+"/", &node{path: ".", folder: true}
		if err := inner.zip(e.data, e.size); err != nil {
			return err
		}
		delete(inner.root.below, appleDouble)
		delete(top.below, path.Base(e.path))
		if err := b.place(top, inner.root, e.path, strings.TrimSuffix(path.Base(e.path), ending)); err != nil {
			return err
		}
	}
	return nil
}

// place puts what was in an archive into the folder that it lay in.
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

// collide reports whether a file of one folder has the name of something in another.
func collide(a, b *node) bool {
	for name, e := range b.below {
		there := a.below[name]
		if there != nil && (!there.folder || !e.folder || collide(there, e)) {
			return true
		}
	}
	return false
}

// merge puts what is in one folder into another.
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
