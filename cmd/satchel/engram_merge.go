package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

type engramMergeCmd struct {
	Files         []string `arg:"" name:"file" help:"Two or more exports."`
	Output        string   `short:"o" default:"-" help:"The file for the result, signed by this store. Default: standard output." placeholder:"FILE"`
	Report        string   `help:"Write a report of each conflict to a file, as JSON. It contains values." placeholder:"FILE"`
	AllowUnsigned bool     `help:"Accept exports without a signature."`
}

// Run merges the exports of several stores of one person into one that this store
// signs. Each is verified by itself first.
func (c *engramMergeCmd) Run(a *app) error {
	if len(c.Files) < 2 {
		return usagef("name two exports or more")
	}
	if c.Report != "" && (stdout(c.Report) || c.Report == c.Output) {
		return usagef("--report is a file of its own")
	}
	return a.with(signing, func(o *opened) error {
		way, err := o.leaving(a.ctx)
		if err != nil {
			return err
		}
		docs, err := c.verified(a, o)
		if err != nil {
			return err
		}
		merged, report, err := engram.Merge(docs...)
		if err != nil {
			return refusedf("%w", err)
		}
		view := engram.View{Subject: engram.Subject{ID: engram.SubjectID(o.Owner)}, Scope: merged.Scope, Definition: merged.Definition, Memory: merged.Memory}
		if merged.Scope == engram.Full {
			view.Subject.DisplayName = merged.Identity.DisplayName
		}
		raw, signer, err := o.issued(a, view, engram.DefaultLifetime)
		if err != nil {
			return err
		}
		if err := way.place(a, c.Output, func(w io.Writer) error { _, err := w.Write(append(raw, '\n')); return err }); err != nil {
			return err
		}
		if err := c.tell(a, way, report); err != nil {
			return err
		}
		a.say("merged %d exports into %s: %d archived, %d deleted, %d for you to decide; signed with %s of %s", len(docs),
			plural(report.Active, "active belief", "active beliefs"), report.Archived, report.Deleted, report.Waiting, signer.Kid, clean(signer.URL))
		return nil
	})
}

// verified reads the exports; one that is not to be trusted refuses all.
func (c *engramMergeCmd) verified(a *app, o *opened) ([]engram.Document, error) {
	var docs []engram.Document
	for _, path := range c.Files {
		j, err := c.judge(a, o, path)
		if err != nil {
			return nil, err
		}
		if status := j.status(c.AllowUnsigned); status != exitDone {
			a.warn("%s is %s", clean(path), j.words())
			j.advise(a)
			return nil, silent(status)
		}
		docs = append(docs, j.doc)
	}
	return docs, nil
}

func (c *engramMergeCmd) judge(a *app, o *opened, path string) (judged, error) {
	d, err := a.document(path, engram.Name)
	if err != nil {
		return judged{}, err
	}
	raw, err := d.export()
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return judged{}, err
	}
	return a.judgeWith(raw, judging{}, func(issuer string) (knownKeys, error) { return o.keysOfIssuer(a, issuer) })
}

// tell writes the report.
func (c *engramMergeCmd) tell(a *app, way *exit, report engram.MergeReport) error {
	if c.Report == "" {
		return nil
	}
	for i := range report.Sources {
		report.Sources[i].IssuedAt = report.Sources[i].IssuedAt.UTC().Truncate(time.Second)
	}
	return way.place(a, c.Report, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(report)
	})
}
