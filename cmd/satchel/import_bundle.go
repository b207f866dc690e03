package main

import (
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
)

// bringFlags steer how a bundle of AIMEM is taken in.
type bringFlags struct {
	OnNewer          string `name:"on-newer" enum:"reject,update" default:"reject" help:"Of a bundle: what becomes of a chunk that is newer than the one that is here: reject or update." placeholder:"WHAT"`
	AcceptForeignIDs bool   `name:"accept-foreign-ids" help:"Of a bundle: accept ids of other producers than its own, as the reference implementation writes them."`
	Restore          bool   `help:"Take in again what was deleted here."`
	Verify           string `enum:"require,verify,skip" default:"verify" help:"Of a bundle: whether its signature must be there and trusted, must be valid if it is there, or is not looked at: require, verify or skip." placeholder:"HOW"`
}

// told is how many rejected chunks and warnings are told one by one.
const told = 20

// bundle takes a bundle in and tells what came of it.
func (c *importCmd) bundle(a *app, d *document) error {
	return a.with(writing, func(o *opened) error {
		began := time.Now()
		report, err := c.takeBundle(a, o, d, c.Path)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(report)
		}
		c.showBundle(a, d, report, time.Since(began))
		return nil
	})
}

// takeBundle opens the bundle at path, with the signature beside it, and takes it
// in.
func (c *importCmd) takeBundle(a *app, o *opened, d *document, path string) (aimem.Report, error) {
	signature, _, err := signatureBeside(path, "")
	if err != nil {
		return aimem.Report{}, err
	}
	trusted := func(name string) ([]aimem.Key, error) { return o.keysOf(a, name) }
	b, err := d.bundle(a, aimem.Options{ForeignIDs: c.AcceptForeignIDs, Signature: signature, Policy: aimem.Policy(c.Verify), Trusted: trusted})
	if err != nil {
		return aimem.Report{}, err
	}
	defer b.Close()
	p := a.progress("read")
	defer p.end()
	outcome, _ := b.Signature()
	return o.ImportBrain(a.ctx, o.owner(), b, aimem.Import{
		Name: d.Source.Name, OnNewer: aimem.OnNewer(c.OnNewer), ForeignIDs: c.AcceptForeignIDs, Restore: c.Restore,
		DryRun: c.DryRun, Signature: outcome, Progress: p.reached,
	})
}

// showBundle tells people what came of a bundle.
func (c *importCmd) showBundle(a *app, d *document, r aimem.Report, took time.Duration) {
	verb := "imported"
	if r.DryRun {
		verb = "would import"
	}
	a.print("%s %s (aimem): %d chunks, %d new, %d updated, %d known already, %d rejected", verb, clean(d.Source.Name),
		r.Chunks, r.Inserted, r.Updated, r.Skipped, len(r.Rejected))
	a.print("  %d new edges, %d new entities, %d new links", r.Edges.Inserted, r.Entities.Inserted, r.Links.Inserted)
	for i, out := range r.Rejected {
		if i == told {
			a.warn("and %d more were rejected; --json lists all", len(r.Rejected)-told)
			break
		}
		a.warn("rejected: %s %s: %s", out.Code, clean(string(out.ID)), out.Detail)
	}
	for i, w := range r.Warnings {
		if i == told {
			a.warn("and %d more warnings; --json lists them", len(r.Warnings)-told)
			break
		}
		a.warn("warning: %s", warned(w))
	}
	if seconds := took.Seconds(); seconds >= 1 {
		a.say("%.0f chunks a second", float64(r.Chunks)/seconds)
	}
	if r.Import != 0 {
		a.say("to take it back: satchel import --undo %d", r.Import)
	}
}

// part takes in one bundle of a folder.
func (c *importCmd) part(a *app, o *opened, part codec.Source, format codec.Format) (vault.ImportReport, error) {
	d := &document{&source.Input{Source: part}, format}
	r, err := c.takeBundle(a, o, d, filepath.Join(c.Path, filepath.FromSlash(part.Name)))
	return vault.ImportReport{Number: r.Import, Format: format.Name, Name: part.Name, DryRun: r.DryRun, Read: r.Chunks,
		Created: r.Inserted + r.Updated, Merged: r.Skipped, Skipped: len(r.Rejected)}, err
}
