package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

type correctionsCmd struct {
	List    correctionsListCmd    `cmd:"" default:"withargs" help:"List the corrections that wait for you."`
	Confirm correctionsConfirmCmd `cmd:"" help:"Let a proposed value hold."`
	Reject  correctionsRejectCmd  `cmd:"" help:"Leave a belief as it is."`
}

type correctionsListCmd struct {
	All bool `help:"Those too that were made or decided."`
}

// Run lists corrections, oldest first, with what is needed to decide them.
func (c *correctionsListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		list, err := o.Corrections(a.ctx, o.owner(), !c.All)
		if err != nil {
			return err
		}
		if a.json {
			out := []json.RawMessage{}
			for _, k := range list {
				out = append(out, caseOut(k))
			}
			return a.emit(map[string]any{"corrections": out})
		}
		if len(list) == 0 {
			a.say("nothing waits for you")
		}
		for _, k := range list {
			showCase(a, k)
		}
		if len(list) > 0 && !c.All {
			a.say("satchel corrections confirm ID lets the proposed value hold, reject ID leaves the belief as it is")
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

// correctionRef names a correction on the command line.
type correctionRef struct {
	ID   string `arg:"" help:"The correction, as corrections list shows it: its ID or the beginning of it."`
	Note string `help:"Why; it stays with the decision." placeholder:"TEXT"`
}

type correctionsConfirmCmd struct{ correctionRef }

// Run gives the belief the proposed value.
func (c *correctionsConfirmCmd) Run(a *app) error { return c.resolve(a, true) }

type correctionsRejectCmd struct{ correctionRef }

// Run leaves the belief as it is.
func (c *correctionsRejectCmd) Run(a *app) error { return c.resolve(a, false) }

func (r correctionRef) resolve(a *app, confirm bool) error {
	return a.with(writing, func(o *opened) error {
		id, err := r.find(a, o)
		if err != nil {
			return err
		}
		done, err := o.Resolve(a.ctx, o.owner(), id, confirm, r.Note)
		if f, ok := errors.AsType[*engram.Fault](err); ok && f.Code == engram.InvalidRequest {
			return as(exitRefused, err) // it is decided already
		}
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(caseOut(done))
		}
		a.print("%s %s: %s is %s", begins(done.ID), done.Status, oneLine(done.Key, 60), oneLine(done.Now, 0))
		return nil
	})
}

// find returns the ID of the correction that is meant.
func (r correctionRef) find(a *app, o *opened) (string, error) {
	list, err := o.Corrections(a.ctx, o.owner(), false)
	if err != nil {
		return "", err
	}
	var found []engram.Case
	for _, k := range list {
		if k.ID == r.ID {
			return k.ID, nil
		}
		if len(r.ID) >= leastPrefix && strings.HasPrefix(k.ID, r.ID) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		return "", &memory.Error{Kind: memory.NotFound, Op: "resolve", Message: fmt.Sprintf("no correction has an ID that begins with %q; satchel corrections list shows those that wait", clean(r.ID))}
	}
	return "", &failure{exitFailed, fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", clean(r.ID))}
}
