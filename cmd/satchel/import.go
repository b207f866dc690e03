package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type importCmd struct {
	Path string `arg:"" optional:"" help:"A file, a folder, or - for standard input."`
	projectFlags
	bringFlags
	takeInFlags
	From   string `help:"The format: ${reads}. Default: detected." placeholder:"FORMAT"`
	Adopt  string `help:"Take over the unsigned records of this owner, such as the plain name another tool wrote." placeholder:"OWNER"`
	DryRun bool   `short:"n" help:"Say what would happen and change nothing."`
	Undo   int64  `xor:"what" help:"Take an import back, by the number it was given." placeholder:"N"`
	List   bool   `xor:"what" help:"List the imports."`
}

// Run takes a document in, takes one back, or lists them.
func (c *importCmd) Run(a *app) error {
	switch {
	case (c.Path != "") == (c.Undo != 0 || c.List):
		return usagef("name what to import, or say --undo N or --list")
	case c.List:
		return c.list(a)
	case c.Undo != 0:
		return c.undo(a)
	}
	project, err := c.name(a)
	if err != nil {
		return err
	}
	in, err := source.Open(c.Path, source.Options{Stdin: a.in})
	if err != nil {
		return err
	}
	defer in.Close()
	if c.From == "" && formats.Mixed(in.Source) {
		if c.given, err = a.keysGiven(c.Key); err != nil {
			return err
		}
		return c.folder(a, in, project)
	}
	f, err := formatOf(in.Source, c.From)
	if err != nil {
		return err
	}
	d := &document{in, f}
	if err := c.fits(d, true); err != nil {
		return err
	}
	if d.isExport() {
		c.judging, err = c.how(a, c.Key)
	} else {
		c.given, err = a.keysGiven(c.Key)
	}
	if err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		done, err := c.one(a, o, d, c.Path, project)
		if err != nil {
			a.cutOff()
			return err
		}
		if a.json {
			out, err := done.machineReadable()
			if err != nil {
				return err
			}
			return a.emit(out)
		}
		done.show(a)
		return nil
	})
}

// taken is what came of one document.
type taken interface {
	show(*app)
	machineReadable() (any, error)
}

// one takes one document in.
func (c *importCmd) one(a *app, o *opened, d *document, path, project string) (taken, error) {
	if d.isBundle() && d.File != nil {
		done, err := c.takeBundle(a, o, d, path)
		return done, err
	}
	if d.isExport() {
		done, err := c.takeExport(a, o, d)
		return done, err
	}
	done, err := c.take(a, o, d, project)
	return takenRecords{done}, err
}

// cutOff says what an import that was called off left behind.
func (a *app) cutOff() {
	if a.ctx.Err() != nil {
		a.warn("the import was cut off: nothing of it was kept")
	}
}

func (c *importCmd) take(a *app, o *opened, d *document, project string) (vault.ImportReport, error) {
	var steering []string
	for _, choice := range []string{project, c.Adopt} {
		if choice != "" {
			steering = append(steering, choice)
		}
	}
	digest, err := d.digest(steering...)
	if err != nil {
		return vault.ImportReport{}, fmt.Errorf("read %s: %w", d.Source.Name, err)
	}
	r, err := d.read(a, o.Owner, project)
	if err != nil {
		return vault.ImportReport{}, err
	}
	p := a.progress("read")
	report, err := o.Import(a.ctx, o.owner(), &memories{Reader: r}, vault.ImportOptions{
		Name: d.Source.Name, Format: d.Format.Name, Digest: digest, Adopt: memory.DID(c.Adopt), DryRun: c.DryRun, Restore: c.Restore, Progress: p.reached,
	})
	p.end()
	return report, errors.Join(err, r.Close())
}

// importOut is an import for machines.
type importOut struct {
	Number  int64             `json:"number,omitempty"`
	Format  string            `json:"format"`
	Name    string            `json:"name"`
	DryRun  bool              `json:"dry_run"`
	Known   bool              `json:"known"`
	Read    int               `json:"read"`
	Created int               `json:"created"`
	Merged  int               `json:"merged"`
	Closed  int               `json:"closed"`
	Skipped int               `json:"skipped"`
	Losses  []codec.Loss      `json:"losses"`
	Samples []json.RawMessage `json:"samples"`
}

// takenRecords is what came of a document that is no bundle.
type takenRecords struct{ vault.ImportReport }

func (r takenRecords) machineReadable() (any, error) {
	samples, err := raws(r.Samples)
	return importOut{r.Number, r.Format, r.Name, r.DryRun, r.Known, r.Read, r.Created, r.Merged, r.Closed, r.Skipped,
		append([]codec.Loss{}, r.Losses...), samples}, err
}

func (r takenRecords) show(a *app) {
	a.lost(r.Losses)
	if r.Known {
		a.print("%s (%s) was imported before; nothing was added", clean(r.Name), r.Format)
		return
	}
	verb := "imported"
	if r.DryRun {
		verb = "would import"
	}
	a.print("%s %s (%s): %d read, %d new, %d known already, %d left out", verb, clean(r.Name), r.Format, r.Read, r.Created, r.Merged, r.Skipped)
	if r.Closed > 0 {
		a.print("  of those known, %d ended their validity elsewhere, and so here", r.Closed)
	}
	if r.DryRun {
		for _, rec := range r.Samples {
			a.print("  %s  %s", rec.Kind, oneLine(rec.Body.Text, 100))
		}
		if r.Created > len(r.Samples) {
			a.print("  … and %d more", r.Created-len(r.Samples))
		}
	}
	if r.Number != 0 && r.Created > 0 {
		a.say("to take it back: satchel import --undo %d", r.Number)
	}
}

func (c *importCmd) undo(a *app) error {
	return a.with(writing, func(o *opened) error {
		done, err := o.Undo(a.ctx, o.owner(), c.Undo)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"removed": done.Removed, "kept": done.Kept})
		}
		a.print("import %d taken back: %d removed, %d kept because they were changed since", c.Undo, done.Removed, done.Kept)
		return nil
	})
}

func (c *importCmd) list(a *app) error {
	type entry struct {
		Number  int64  `json:"number"`
		At      string `json:"at"`
		Format  string `json:"format"`
		Name    string `json:"name"`
		State   string `json:"state"`
		Created int    `json:"created"`
		Merged  int    `json:"merged"`
	}
	return a.with(reading, func(o *opened) error {
		imports, err := o.Imports(a.ctx, o.owner())
		if err != nil {
			return err
		}
		out := []entry{}
		w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
		for _, i := range imports {
			out = append(out, entry{i.Number, i.At.Format(time.RFC3339), i.Format, i.Name, string(i.State), i.Created, i.Merged})
			if !a.json {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d new\t%s\n", i.Number, local(i.At), i.Format, i.State, i.Created, clean(i.Name))
			}
		}
		if a.json {
			return a.emit(map[string]any{"imports": out})
		}
		return w.Flush()
	})
}
