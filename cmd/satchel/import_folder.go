package main

import (
	"cmp"
	"errors"

	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// folder takes in a folder of documents in different formats, one after the
// other. What cannot be taken in is told and does not keep the rest out; the
// first failure decides how the program ends.
func (c *importCmd) folder(a *app, in *source.Input, project string) error {
	return a.with(writing, func(o *opened) error {
		var failed error
		var done []vault.ImportReport
		for part, err := range formats.Each(in.Source) {
			var report vault.ImportReport
			switch {
			case err != nil:
			case part.Format.Name == "aimem" && part.Source.File != nil:
				report, err = c.part(a, o, part.Source, part.Format)
			default:
				d := &document{&source.Input{Source: part.Source}, part.Format}
				report, err = c.take(a, o, d, project)
			}
			switch {
			case err == nil:
				done = append(done, report)
			case memory.KindOf(err) == memory.Unsupported && part.Source.Name != "":
				a.warn("passed over: %s", describe(err)) // another kind of file lies beside them
			default:
				failed = cmp.Or(failed, as(exitInvalid, err))
				a.warn("not taken over, %s: %s", clean(part.Source.Name), describe(err))
			}
		}
		return errors.Join(c.reportAll(a, done), failed)
	})
}

// reportAll tells what became of each document of a folder.
func (c *importCmd) reportAll(a *app, reports []vault.ImportReport) error {
	if a.json {
		all := []importOut{}
		for _, r := range reports {
			out, err := machineReadable(r)
			if err != nil {
				return err
			}
			all = append(all, out)
		}
		return a.emit(all)
	}
	for _, r := range reports {
		if err := c.report(a, r); err != nil {
			return err
		}
	}
	return nil
}
