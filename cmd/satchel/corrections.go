package main

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

type correctionsCmd struct {
	List    correctionsListCmd    `cmd:"" default:"withargs" help:"List the corrections and proposed facts that wait for you."`
	Confirm correctionsConfirmCmd `cmd:"" help:"Accept proposed values and facts."`
	Reject  correctionsRejectCmd  `cmd:"" help:"Reject proposed values and facts."`
}

type correctionsListCmd struct {
	All bool `help:"List decided ones too."`
}

// Run lists corrections, oldest first, with what is needed to decide them.
func (c *correctionsListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		list, err := o.Corrections(a.ctx, o.owner(), !c.All)
		if err != nil {
			return err
		}
		facts, err := o.Waiting(a.ctx, o.owner())
		if err != nil {
			return err
		}
		if a.json {
			out := []json.RawMessage{}
			for _, k := range list {
				out = append(out, caseOut(k))
			}
			records, err := raws(facts)
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"corrections": out, "proposed": records})
		}
		if len(list)+len(facts) == 0 {
			a.say("nothing waits for you")
		}
		for _, k := range list {
			showCase(a, k)
		}
		for _, rec := range facts {
			showProposed(a, rec)
		}
		if len(list)+len(facts) > 0 && !c.All {
			a.say("satchel corrections confirm ID lets a proposed value or fact hold, reject ID leaves things as they are; --all is for all that wait")
		}
		return nil
	})
}

// caseOut is a correction for machines, as exports have it, with what the owner has to
// know beside it.
func caseOut(k engram.Case) json.RawMessage {
	v := k.Wire()
	for _, m := range [][2]string{{"key", k.Key}, {"category", string(k.Category)}, {"value_now", k.Now}, {"context", k.Context}} {
		if m[1] != "" {
			v = v.With(m[0], canon.String(m[1]))
		}
	}
	return wired(v)
}

// showCase shows a correction to a person: who, of what, and from what to what.
func showCase(a *app, k engram.Case) {
	a.print("%s  %s (%s), %s", begins(k.ID), oneLine(k.Key, 60), oneLine(string(k.Category), 30), decided(k.Correction))
	a.print("  by        %s, %s", proposer(k.Correction), howOld(k.CorrectedAt, a.now()))
	a.print("  was       %s", oneLine(k.Old, 0))
	if k.Now != k.Old && k.Now != k.New {
		a.print("  is now    %s", oneLine(k.Now, 0))
	}
	a.print("  becomes   %s", oneLine(k.New, 0))
	for _, line := range [][2]string{{"because", k.Context}, {"note", k.Note}} {
		if line[1] != "" {
			a.print("  %-9s %s", line[0], oneLine(line[1], 400))
		}
	}
}

// decided says in a word where a correction stands.
func decided(k engram.Correction) string {
	switch k.Status {
	case engram.Pending:
		return "waits for you"
	case "":
		return "made, " + string(k.Method)
	}
	return string(k.Status)
}
