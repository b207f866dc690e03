package main

import (
	"github.com/satchel-memory/satchel/internal/vault"
)

type storeEditionCmd struct {
	UMP string `arg:"" name:"edition" optional:"" enum:",0.1,1.0" default:"" help:"The edition to speak: 0.1 or 1.0. Default: only say which it is."`
}

// editionOut is what is said of editions, for machines.
type editionOut struct {
	UMP     string `json:"ump"`
	Begun   bool   `json:"going_over,omitempty"` // a change to 1.0 is not done
	Left    int    `json:"left,omitempty"`       // records that it has still to sign
	From    string `json:"from,omitempty"`
	Signed  int    `json:"signed,omitempty"`  // records that were signed anew
	Foreign int    `json:"foreign,omitempty"` // of other owners, kept as they are
	Damaged int    `json:"damaged,omitempty"` // kept as they are; doctor names them
}

// Run says which edition of UMP the memory speaks, or changes it.
func (c *storeEditionCmd) Run(a *app) error {
	if c.UMP == "" {
		return a.showEdition()
	}
	report, err := a.changeEdition(c.UMP)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(editionOut{UMP: report.To, From: report.From, Signed: report.Signed, Foreign: report.Foreign, Damaged: report.Damaged})
	}
	if report.From == report.To {
		a.print("this memory speaks UMP %s already", report.To)
		return nil
	}
	a.print("this memory speaks UMP %s now; %s signed anew", report.To, plural(report.Signed, "memory was", "memories were"))
	if report.Foreign > 0 {
		a.say("%s of other owners stay as they are; an export leaves out and names those that are signed as 0.1", plural(report.Foreign, "memory", "memories"))
	}
	if report.Damaged > 0 {
		a.warn("%s could not be signed anew, since your key did not sign them as they are: satchel doctor names them", plural(report.Damaged, "memory", "memories"))
	}
	return nil
}

// showEdition prints which edition the memory speaks, and how far a change of it is.
func (a *app) showEdition() error {
	var s vault.EditionStatus
	err := a.with(reading, func(o *opened) (err error) {
		s, err = o.EditionStatus(a.ctx, o.owner())
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(editionOut{UMP: s.Speaks, Begun: s.GoingOver, Left: s.Left})
	}
	a.print("this memory speaks UMP %s", s.Speaks)
	if s.GoingOver {
		a.print("%s: %s", editionBegun(s), editionGoesOn)
	}
	return nil
}

// editionGoesOn is what finishes a change of edition.
const editionGoesOn = "if no program is at it any more, satchel store edition 1.0 goes on"

// editionBegun says how far a change of edition is.
func editionBegun(s vault.EditionStatus) string {
	return "going over to UMP 1.0 has begun, and " + plural(s.Left, "memory is", "memories are") + " still to be signed"
}

// edition looks for a change of edition that was cut off.
func (d *doctor) edition(o *opened) {
	s, err := o.EditionStatus(d.app.ctx, o.owner())
	switch {
	case err != nil:
		d.bad("edition", describe(err), d.restore(), nil)
	case s.GoingOver:
		d.bad("edition", editionBegun(s), editionGoesOn, nil)
	}
}

// edition returns the edition that the memory speaks.
func (a *app) edition() (spoken string, err error) {
	err = a.with(reading, func(o *opened) error {
		spoken, err = o.Edition(a.ctx, o.Owner)
		return err
	})
	return spoken, err
}

// changeEdition lets the memory speak another edition.
func (a *app) changeEdition(edition string) (report vault.EditionReport, err error) {
	err = a.with(signing, func(o *opened) error {
		p := a.progress("looked at")
		report, err = o.SetEdition(a.ctx, o.owner(), edition, p.reached)
		p.end()
		return err
	})
	return report, err
}
