package beliefs

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// CorrectionsCmd is the command satchel corrections.
type CorrectionsCmd struct {
	List    correctionsListCmd    `cmd:"" default:"withargs" help:"List what waits for you: corrections, proposed facts and rules."`
	Confirm correctionsConfirmCmd `cmd:"" help:"Accept proposed values, facts and rules."`
	Reject  correctionsRejectCmd  `cmd:"" help:"Reject proposed values, facts and rules."`
}

type correctionsListCmd struct {
	All bool `help:"List decided ones too."`
}

// Run lists corrections, oldest first, with the facts for a decision.
func (c *correctionsListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		list, err := waiting.New(o.Vault).List(a.Ctx, o.Caller(), c.All)
		if err != nil {
			return err
		}
		if a.JSON {
			out, err := listOut(list)
			if err != nil {
				return err
			}
			return a.Emit(out)
		}
		if len(list) == 0 {
			a.Say("nothing waits for you")
		}
		for _, i := range list {
			showItem(a, i)
		}
		if len(list) > 0 && !c.All {
			a.Say("satchel corrections confirm ID lets a proposed value, fact, rule or version hold, reject ID leaves things as they are; --all is for all that wait")
		}
		return nil
	})
}

// listOut is the list for machines.
func listOut(list []waiting.Item) (map[string]any, error) {
	cases, rules, facts, versions := []json.RawMessage{}, []json.RawMessage{}, []memory.Record{}, []memory.Record{}
	for _, i := range list {
		switch {
		case i.Correction != nil:
			cases = append(cases, caseOut(*i.Correction))
		case i.Fact != nil:
			facts = append(facts, *i.Fact)
		case i.Version != nil:
			versions = append(versions, *i.Version)
		default:
			rules = append(rules, wired(i.Rule.Wire()))
		}
	}
	records, err := cli.RawRecords(facts)
	if err != nil {
		return nil, err
	}
	apart, err := cli.RawRecords(versions)
	return map[string]any{"corrections": cases, "proposed": records, "constraints": rules, "versions": apart}, err
}

// showItem shows what waits to a person.
func showItem(a *cli.App, i waiting.Item) {
	switch {
	case i.Correction != nil:
		showCase(a, *i.Correction)
	case i.Fact != nil:
		cli.ShowProposed(a, *i.Fact)
	case i.Version != nil:
		showVersion(a, i)
	default:
		a.Print("%s  rule, waits for you", cli.ShortPartID(i.ID))
		a.Print("  says      %s", cli.OneLine(i.Rule.Rule, 400))
		a.Print("  by        %s, %s", cli.OneLine(i.By(), 60), cli.HowOld(i.At(), a.Now()))
	}
}

// showVersion shows one of several versions of a memory, and what the others say.
func showVersion(a *cli.App, i waiting.Item) {
	a.Print("%s  made on a machine while another made another version", cli.ShortID(i.Version.ID))
	a.Print("  says      %s", cli.OneLine(i.Version.Body.Text, 400))
	for _, other := range i.Others {
		a.Print("  against   %s  (%s)", cli.OneLine(other.Body.Text, 400), cli.ShortID(other.ID))
	}
	a.Print("  made      %s; confirm lets it replace the others, reject keeps them all", cli.HowOld(i.At(), a.Now()))
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
