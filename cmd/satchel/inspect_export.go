package main

import (
	"github.com/satchel-memory/satchel/engram"
)

// exportSummary is what inspect says about an export of Engram.
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
	Residue     bool           `json:"residue"` // records ride along in x_ump
	Judged      judged         `json:"signature"`
}

// issuerIs is who issued an export.
type issuerIs struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	DID  string `json:"did,omitempty"`
}

// inspectExport says what an export holds, and what it is worth.
func (a *app) inspectExport(d *document) error {
	s, err := a.sumUpExport(d)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(s)
	}
	s.show(a)
	return nil
}

// sumUpExport reads an export and counts. One that is not to be used is summed up as
// well, if it can be read.
func (a *app) sumUpExport(d *document) (exportSummary, error) {
	raw, err := d.export()
	if err != nil {
		return exportSummary{}, err
	}
	doc, _, err := engram.Parse(raw, engram.ReadOptions{})
	if err != nil {
		return exportSummary{}, err
	}
	j, err := a.judge(raw, judging{})
	if err != nil {
		return exportSummary{}, err
	}
	n := countsOf(doc.Memory)
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

func (s exportSummary) show(a *app) {
	a.print("%s: %s", clean(s.Name), s.Title)
	a.print("issuer      %s at %s", oneLine(s.Issuer.Name, 60), clean(s.Issuer.URL))
	a.print("subject     %s, %s", oneLine(s.Subject, 100), orDash(oneLine(s.Identity, 60)))
	a.print("issued      %s, good until %s", localStamp(s.Judged.Issued), localStamp(s.Judged.Until))
	a.print("holds       %s", scopeOf(s.Judged.doc))
	for _, line := range []struct {
		name   string
		counts map[string]int
	}{{"beliefs", s.Statuses}, {"categories", s.Categories}, {"sources", s.Sources}} {
		if len(line.counts) > 0 {
			a.print("%-11s %s", line.name, counted(line.counts))
		}
	}
	a.print("history     %s, %s, of which %d wait", plural(s.Changes, "change", "changes"), plural(s.Corrections, "correction", "corrections"), s.Pending)
	if s.Constraints > 0 {
		a.print("constraints %d", s.Constraints)
	}
	if s.Residue {
		a.print("records     ride along, in x_ump")
	}
	a.print("signature   %s", s.Judged.words())
	for _, w := range s.Judged.Warnings {
		a.print("warning     %s", clean(w))
	}
	s.Judged.advise(a)
}
