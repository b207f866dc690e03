package documents

import (
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// exportSummary is the result of inspect for an Engram export.
type exportSummary struct {
	Name        string         `json:"name"`
	Format      string         `json:"format"`
	Title       string         `json:"title"`
	Version     string         `json:"engram_version"`
	Issuer      issuerIs       `json:"issuer"`
	Subject     string         `json:"subject"`
	Scope       engram.Scope   `json:"scope"`
	IssuedTo    string         `json:"issued_to,omitempty"`
	Purpose     string         `json:"purpose,omitempty"`
	Identity    string         `json:"display_name,omitempty"`
	Statuses    map[string]int `json:"statuses"`
	Categories  map[string]int `json:"categories"`
	Sources     map[string]int `json:"sources"`
	Changes     int            `json:"evolution"`
	Corrections int            `json:"corrections"`
	Pending     int            `json:"pending"`
	Constraints int            `json:"constraints"`
	Residue     bool           `json:"residue"` // x_ump carries records
	Judged      ExportVerdict  `json:"signature"`
}

// issuerIs describes the issuer of an export.
type issuerIs struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	DID  string `json:"did,omitempty"`
}

// inspectExport prints the contents of an export, and whether to trust it.
func inspectExport(a *cli.App, d *document) error {
	s, err := sumUpExport(a, d)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(s)
	}
	s.show(a)
	return nil
}

// sumUpExport reads an export and counts. It also sums up a refused export, if it can
// be read.
func sumUpExport(a *cli.App, d *document) (exportSummary, error) {
	raw, err := d.Export()
	if err != nil {
		return exportSummary{}, err
	}
	doc, _, err := engram.Parse(raw, engram.ReadOptions{})
	if err != nil {
		return exportSummary{}, err
	}
	j, err := Judge(a, raw, Judging{})
	if err != nil {
		return exportSummary{}, err
	}
	n := CountsOf(doc.Memory)
	s := exportSummary{
		Name: d.Source.Name, Format: engram.Name, Title: d.Format.Title, Version: doc.Version, Issuer: issuerIs(doc.Issuer),
		Subject: doc.Subject.ID, Scope: doc.Scope, Identity: doc.Identity.DisplayName,
		Statuses: map[string]int{}, Categories: map[string]int{}, Sources: map[string]int{},
		Changes: n.Changes, Corrections: n.Corrections, Pending: n.Pending, Constraints: n.Constraints, Judged: j,
	}
	if doc.Definition != nil {
		s.IssuedTo, s.Purpose = doc.Definition.IssuedTo, doc.Definition.Purpose
	}
	for _, b := range doc.Beliefs {
		s.Statuses[string(b.Status)]++
		s.Categories[string(b.Category)]++
		s.Sources[string(b.Source)]++
		s.Residue = s.Residue || b.Value.Has("x_ump")
	}
	return s, nil
}

func (s exportSummary) show(a *cli.App) {
	a.Print("%s: %s", cli.Clean(s.Name), s.Title)
	a.Print("issuer      %s at %s", cli.OneLine(s.Issuer.Name, 60), cli.Clean(s.Issuer.URL))
	a.Print("subject     %s, %s", cli.OneLine(s.Subject, 100), cli.OrDash(cli.OneLine(s.Identity, 60)))
	a.Print("issued      %s, good until %s", LocalStamp(s.Judged.Issued), LocalStamp(s.Judged.Until))
	a.Print("holds       %s", scopeOf(s.Judged.Doc))
	for _, line := range []struct {
		name   string
		counts map[string]int
	}{{"beliefs", s.Statuses}, {"categories", s.Categories}, {"sources", s.Sources}} {
		if len(line.counts) > 0 {
			a.Print("%-11s %s", line.name, CountedWords(line.counts))
		}
	}
	a.Print("history     %s, %s, of which %d wait", cli.Plural(s.Changes, "change", "changes"), cli.Plural(s.Corrections, "correction", "corrections"), s.Pending)
	if s.Constraints > 0 {
		a.Print("constraints %d", s.Constraints)
	}
	if s.Residue {
		a.Print("records     ride along, in x_ump")
	}
	a.Print("signature   %s", s.Judged.Words())
	for _, w := range s.Judged.Warnings {
		a.Print("warning     %s", cli.Clean(w))
	}
	s.Judged.Advise(a)
}
