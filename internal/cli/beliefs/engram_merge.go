package beliefs

import (
	"encoding/json"
	"io"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type engramMergeCmd struct {
	Files         []string `arg:"" name:"file" help:"Two or more exports."`
	Output        string   `short:"o" default:"-" help:"The file for the result, signed by this store. Default: standard output." placeholder:"FILE"`
	Report        string   `help:"Write a report of each conflict to a file, as JSON. It contains values." placeholder:"FILE"`
	AllowUnsigned bool     `help:"Accept exports without a signature."`
}

// Run merges the exports of several stores of one person into one that this store signs. It
// verifies each first.
func (c *engramMergeCmd) Run(a *cli.App) error {
	if len(c.Files) < 2 {
		return cli.Usagef("name two exports or more")
	}
	if c.Report != "" && (cli.IsStdout(c.Report) || c.Report == c.Output) {
		return cli.Usagef("--report is a file of its own")
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		way, err := documents.Leaving(o, a.Ctx)
		if err != nil {
			return err
		}
		docs, err := c.verified(a, o)
		if err != nil {
			return err
		}
		merged, report, err := engram.Merge(docs...)
		if err != nil {
			return cli.Refusedf("%w", err)
		}
		view := engram.View{Subject: engram.Subject{ID: engram.SubjectID(o.Owner)}, Scope: merged.Scope, Definition: merged.Definition, Memory: merged.Memory}
		if merged.Scope == engram.Full {
			view.Subject.DisplayName = merged.Identity.DisplayName
		}
		raw, signer, err := documents.Issued(o, a, view, engram.DefaultLifetime)
		if err != nil {
			return err
		}
		if err := way.Place(a, c.Output, func(w io.Writer) error { _, err := w.Write(append(raw, '\n')); return err }); err != nil {
			return err
		}
		if err := c.tell(a, way, report); err != nil {
			return err
		}
		a.Say("merged %d exports into %s: %d archived, %d deleted, %d for you to decide; signed with %s of %s", len(docs),
			cli.Plural(report.Active, "active belief", "active beliefs"), report.Archived, report.Deleted, report.Waiting, signer.Kid, cli.Clean(signer.URL))
		return nil
	})
}

// verified reads the exports; one untrustworthy export refuses all.
func (c *engramMergeCmd) verified(a *cli.App, o *cli.Session) ([]engram.Document, error) {
	var docs []engram.Document
	for _, path := range c.Files {
		j, err := c.judge(a, o, path)
		if err != nil {
			return nil, err
		}
		if status := j.Status(c.AllowUnsigned); status != cli.ExitDone {
			a.Warn("%s is %s", cli.Clean(path), j.Words())
			j.Advise(a)
			return nil, cli.Silent(status)
		}
		docs = append(docs, j.Doc)
	}
	return docs, nil
}

func (c *engramMergeCmd) judge(a *cli.App, o *cli.Session, path string) (documents.ExportVerdict, error) {
	d, err := documents.ReadDocument(a, path, engram.Name)
	if err != nil {
		return documents.ExportVerdict{}, err
	}
	raw, err := d.Export()
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return documents.ExportVerdict{}, err
	}
	return documents.JudgeWith(a, raw, documents.Judging{}, func(issuer string) (documents.KnownKeys, error) { return documents.KeysOfIssuer(o, a, issuer) })
}

// tell writes the report.
func (c *engramMergeCmd) tell(a *cli.App, way *documents.Way, report engram.MergeReport) error {
	if c.Report == "" {
		return nil
	}
	for i := range report.Sources {
		report.Sources[i].IssuedAt = report.Sources[i].IssuedAt.UTC().Truncate(time.Second)
	}
	return way.Place(a, c.Report, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(report)
	})
}
