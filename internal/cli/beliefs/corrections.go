package beliefs

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// CorrectionsCmd is the command satchel corrections.
type CorrectionsCmd struct {
	List    correctionsListCmd    `cmd:"" default:"withargs" help:"List the corrections and proposed facts that wait for you."`
	Confirm correctionsConfirmCmd `cmd:"" help:"Accept proposed values and facts."`
	Reject  correctionsRejectCmd  `cmd:"" help:"Reject proposed values and facts."`
}

type correctionsListCmd struct {
	All bool `help:"List decided ones too."`
}

// Run lists corrections, oldest first, with the facts for a decision.
func (c *correctionsListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		list, err := o.Beliefs().Corrections(a.Ctx, o.Caller(), !c.All)
		if err != nil {
			return err
		}
		facts, err := o.Waiting(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if a.JSON {
			out := []json.RawMessage{}
			for _, k := range list {
				out = append(out, caseOut(k))
			}
			records, err := cli.RawRecords(facts)
			if err != nil {
				return err
			}
			return a.Emit(map[string]any{"corrections": out, "proposed": records})
		}
		if len(list)+len(facts) == 0 {
			a.Say("nothing waits for you")
		}
		for _, k := range list {
			showCase(a, k)
		}
		for _, rec := range facts {
			cli.ShowProposed(a, rec)
		}
		if len(list)+len(facts) > 0 && !c.All {
			a.Say("satchel corrections confirm ID lets a proposed value or fact hold, reject ID leaves things as they are; --all is for all that wait")
		}
		return nil
	})
}

// caseOut is a correction for machines, as in exports, with further facts for the owner.
func caseOut(k engram.Case) json.RawMessage {
	v := k.Wire()
	for _, m := range [][2]string{{"key", k.Key}, {"category", string(k.Category)}, {"value_now", k.Now}, {"context", k.Context}} {
		if m[1] != "" {
			v = v.With(m[0], canon.String(m[1]))
		}
	}
	return wired(v)
}

// showCase shows a correction to a person: who proposes it, of which belief, and both
// values.
func showCase(a *cli.App, k engram.Case) {
	a.Print("%s  %s (%s), %s", cli.ShortPartID(k.ID), cli.OneLine(k.Key, 60), cli.OneLine(string(k.Category), 30), decided(k.Correction))
	a.Print("  by        %s, %s", proposer(k.Correction), cli.HowOld(k.CorrectedAt, a.Now()))
	a.Print("  was       %s", cli.OneLine(k.Old, 0))
	if k.Now != k.Old && k.Now != k.New {
		a.Print("  is now    %s", cli.OneLine(k.Now, 0))
	}
	a.Print("  becomes   %s", cli.OneLine(k.New, 0))
	for _, line := range [][2]string{{"because", k.Context}, {"note", k.Note}} {
		if line[1] != "" {
			a.Print("  %-9s %s", line[0], cli.OneLine(line[1], 400))
		}
	}
}

// decided names the state of a correction.
func decided(k engram.Correction) string {
	switch k.Status {
	case engram.Pending:
		return "waits for you"
	case "":
		return "made, " + string(k.Method)
	}
	return string(k.Status)
}
