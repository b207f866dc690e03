package operate

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/edition"
)

type storeEditionCmd struct {
	UMP string `arg:"" name:"edition" optional:"" enum:",0.1,1.0" default:"" help:"The edition to speak: 0.1 or 1.0. Default: only say which it is."`
}

// editionOut is the state of editions, for machines.
type editionOut struct {
	UMP     string `json:"ump"`
	Begun   bool   `json:"going_over,omitempty"` // a change to 1.0 is incomplete
	Left    int    `json:"left,omitempty"`       // records still to sign
	From    string `json:"from,omitempty"`
	Signed  int    `json:"signed,omitempty"`  // newly signed records
	Foreign int    `json:"foreign,omitempty"` // of other owners, left as they are
	Damaged int    `json:"damaged,omitempty"` // left as they are; doctor names them
}

// Run prints the memory's edition of UMP, or changes it.
func (c *storeEditionCmd) Run(a *cli.App) error {
	if c.UMP == "" {
		return showEdition(a)
	}
	report, err := changeEdition(a, c.UMP)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(editionOut{UMP: report.To, From: report.From, Signed: report.Signed, Foreign: report.Foreign, Damaged: report.Damaged})
	}
	if report.From == report.To {
		a.Print("this memory speaks UMP %s already", report.To)
		return nil
	}
	a.Print("this memory speaks UMP %s now; %s signed anew", report.To, cli.Plural(report.Signed, "memory was", "memories were"))
	if report.Foreign > 0 {
		a.Say("%s of other owners stay as they are; an export leaves out and names those that are signed as 0.1", cli.Plural(report.Foreign, "memory", "memories"))
	}
	if report.Damaged > 0 {
		a.Warn("%s could not be signed anew, since your key did not sign them as they are: satchel doctor names them", cli.Plural(report.Damaged, "memory", "memories"))
	}
	return nil
}

// showEdition prints the memory's edition, and the progress of a change.
func showEdition(a *cli.App) error {
	var s edition.Status
	err := a.With(cli.Reading, func(o *cli.Session) (err error) {
		s, err = o.Editions().EditionStatus(a.Ctx, o.Caller())
		return err
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(editionOut{UMP: s.Speaks, Begun: s.GoingOver, Left: s.Left})
	}
	a.Print("this memory speaks UMP %s", s.Speaks)
	if s.GoingOver {
		a.Print("%s: %s", editionBegun(s), editionGoesOn)
	}
	return nil
}

// editionGoesOn says how to finish a change of edition.
const editionGoesOn = "if no program is at it any more, satchel store edition 1.0 goes on"

// editionBegun says how far a change of edition is.
func editionBegun(s edition.Status) string {
	return "going over to UMP 1.0 has begun, and " + cli.Plural(s.Left, "memory is", "memories are") + " still to be signed"
}

// changeEdition lets the memory speak another edition.
func changeEdition(a *cli.App, edition string) (report edition.Report, err error) {
	err = a.With(cli.Signing, func(o *cli.Session) error {
		p := a.Progress("looked at")
		report, err = o.Editions().SetEdition(a.Ctx, o.Caller(), edition, p.Reached)
		p.End()
		return err
	})
	return report, err
}
