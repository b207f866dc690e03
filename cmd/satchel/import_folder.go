package main

import (
	"cmp"
	"io/fs"
	"path/filepath"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// failed is a document of a folder that was not taken in, for machines.
type failed struct {
	Name  string `json:"name"`
	Error any    `json:"error"`
}

// folder takes in a folder of documents in different formats, one after the
// other. What cannot be taken in is told and does not keep the rest out; the
// first failure decides how the program ends.
func (c *importCmd) folder(a *app, in *source.Input, project string) error {
	if c.Signature != "" {
		return usagef("%s is a folder; --signature goes with one bundle. Those of a folder lie beside its bundles", clean(c.Path))
	}
	c.within = in.Tree
	signatures, err := besides(in.Tree)
	if err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		all := gathered{list: []any{}}
		for part, err := range formats.Each(in.Source) {
			if signatures[part.Source.Name] {
				continue // read with its bundle
			}
			var done taken
			if err == nil {
				done, err = c.part(a, o, part, project)
			}
			if memory.KindOf(err) == memory.Unsupported && source.IsArchive(part.Source) {
				a.warn("passed over: %s is an archive: name it itself: satchel import %s", clean(part.Source.Name), clean(filepath.Join(c.Path, part.Source.Name)))
				continue
			}
			if err = all.add(a, part.Source.Name, done, err); err != nil {
				return err
			}
		}
		if err := c.end(a, all.list); err != nil {
			return err
		}
		return all.first
	})
}

// gathered is what came of the documents of a folder.
type gathered struct {
	list  []any // for machines
	first error // of those that tell how the program ends
}

// add tells what came of one document. Its error ends the import.
func (g *gathered) add(a *app, name string, done taken, err error) error {
	switch {
	case err == nil:
		out, err := tell(a, done)
		if a.json && err == nil {
			g.list = append(g.list, out)
		}
		g.first = cmp.Or(g.first, allRead(a, done))
		return err
	case a.ctx.Err() != nil:
		a.cutOff(done)
		return err
	case memory.KindOf(err) == memory.Unsupported && name != "":
		a.warn("passed over: %s", describe(err)) // another kind of file lies beside them
	default:
		status := statusOf(err)
		g.first = cmp.Or(g.first, silent(status))
		g.list = append(g.list, failed{name, envelope(err, status, describe(err))["error"]})
		a.warn("not taken over, %s: %s", clean(name), describe(err))
	}
	return nil
}

// tell shows what came of a document, or returns it for machines.
func tell(a *app, done taken) (any, error) {
	if a.json {
		return done.machineReadable()
	}
	done.show(a)
	return nil, nil
}

// part takes in one document of a folder.
func (c *importCmd) part(a *app, o *opened, part formats.Part, project string) (taken, error) {
	d := &document{&source.Input{Source: part.Source}, part.Format}
	if err := c.fits(d, false); err != nil {
		return nil, err
	}
	return c.one(a, o, d, filepath.Join(c.Path, filepath.FromSlash(part.Source.Name)), project)
}

// besides are the names under which signatures of what lies in a folder may lie
// beside it.
func besides(tree fs.FS) (map[string]bool, error) {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, entry := range entries {
		for _, name := range aimem.SignatureNames(entry.Name()) {
			names[name] = true
		}
	}
	return names, nil
}
