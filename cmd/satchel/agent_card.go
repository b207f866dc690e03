package main

import (
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/codec"
)

type agentCardCmd struct {
	File         string `arg:"" help:"A definition, or - for standard input."`
	URL          string `name:"url" required:"" help:"Where the agent is reached." placeholder:"URL"`
	A2A          string `name:"a2a" aliases:"a2a-version" default:"1.0" enum:"1.0,0.3" help:"The edition of A2A: 1.0 or 0.3." placeholder:"V"`
	Definition   string `help:"Where the definition is had, for the card to name it." placeholder:"URL"`
	Output       string `short:"o" help:"Where the card goes. Default: standard output." placeholder:"FILE"`
	StrictLosses bool   `help:"End with status 5 when anything of the definition is not in the card; the card is written all the same."`

	reportFlags
}

// Run writes the card of a definition. It is public, and holds nothing of instructions,
// tools and rules; what it does not hold is told.
func (c *agentCardCmd) Run(a *app) error {
	d, err := a.definition(c.File)
	if err != nil {
		return err
	}
	j, err := agentJudgeFlags{}.judge(a)
	if err != nil {
		return err
	}
	if err := j.sound(a, d, c.File); err != nil {
		return err
	}
	card, losses, err := a2a.To(aaif.ReadDefinition(d.Value), a2a.Options{URL: c.URL, Version: a2a.Version(c.A2A), Definition: c.Definition})
	if err != nil {
		return err
	}
	if err := a.placeBytes(c.Output, agentJSON(card)); err != nil {
		return err
	}
	return tellLosses(a, c.Output, c.reportFlags, c.StrictLosses, foreignLosses{"a2a", onWriting, losses})
}

// foreignLosses is what a conversion to or from what another platform keeps has lost.
type foreignLosses struct {
	format, direction string
	losses            []codec.Loss
}

// tellLosses says what was lost, and writes it to a report.
func tellLosses(a *app, out string, report reportFlags, strict bool, losses ...foreignLosses) error {
	all := report.ledger()
	for _, f := range losses {
		all.lost(f.direction, f.format, f.losses)
	}
	if err := all.file(); err != nil {
		return err
	}
	if a.json && !stdout(out) {
		if err := a.emit(map[string]any{"file": out, "format": losses[len(losses)-1].format, "losses": append([]lossOut{}, all.losses...)}); err != nil {
			return err
		}
	} else {
		for _, l := range all.losses {
			a.warn("lost: %s", clean(fmt.Sprintf("%s: %s", l.Pointer, l.Reason)))
		}
	}
	if n := len(all.losses); strict && n > 0 {
		a.warn("%s lost on the way, and --strict-losses was given", plural(n, "detail was", "details were"))
		return silent(exitDiffers)
	}
	return nil
}
