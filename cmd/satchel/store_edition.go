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
	From    string `json:"from,omitempty"`
	Signed  int    `json:"signed,omitempty"`  // records that were signed anew
	Foreign int    `json:"foreign,omitempty"` // of other owners, kept as they are
	Damaged int    `json:"damaged,omitempty"` // kept as they are; doctor names them
}

// Run says which edition of UMP the memory speaks, or changes it.
func (c *storeEditionCmd) Run(a *app) error {
	if c.UMP == "" {
		spoken, err := a.edition()
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(editionOut{UMP: spoken})
		}
		a.print("this memory speaks UMP %s", spoken)
		return nil
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
		if err != nil || o.Owner != o.config.Owner {
			return err
		}
		conf, err := o.readConfig()
		if err != nil || conf.UMP == edition {
			return err
		}
		conf.UMP = edition
		return o.writeConfig(conf)
	})
	return report, err
}
