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
	signatures, err := besides(in.Tree)
	if err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		var first error
		all := []any{}
		for part, err := range formats.Each(in.Source) {
			if signatures[part.Source.Name] {
				continue // read with its bundle
			}
			var done taken
			if err == nil {
				done, err = c.part(a, o, part, project)
			}
			switch {
			case err == nil:
				if out, err := tell(a, done); err != nil {
					return err
				} else if a.json {
					all = append(all, out)
				}
			case a.ctx.Err() != nil:
				a.cutOff()
				return err
			case memory.KindOf(err) == memory.Unsupported && part.Source.Name != "":
				a.warn("passed over: %s", describe(err)) // another kind of file lies beside them
			default:
				status := statusOf(err)
				first = cmp.Or(first, silent(status))
				all = append(all, failed{part.Source.Name, envelope(err, status, describe(err))["error"]})
				a.warn("not taken over, %s: %s", clean(part.Source.Name), describe(err))
			}
		}
		if a.json {
			if err := a.emit(all); err != nil {
				return err
			}
		}
		return first
	})
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
