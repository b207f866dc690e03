package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// decideFlags name what is decided on the command line.
type decideFlags struct {
	ID   []string `arg:"" optional:"" help:"An id that corrections list shows, or its first characters."`
	All  bool     `help:"Everything that waits. The list is shown and you are asked, unless --yes is given."`
	Yes  bool     `short:"y" help:"With --all: do not ask."`
	Note string   `help:"The reason, kept with the decision." placeholder:"TEXT"`
	secretFlag
}

type correctionsConfirmCmd struct{ decideFlags }

// Run lets what is proposed hold.
func (c *correctionsConfirmCmd) Run(a *app) error { return c.decide(a, true) }

type correctionsRejectCmd struct{ decideFlags }

// Run leaves things as they are.
func (c *correctionsRejectCmd) Run(a *app) error { return c.decide(a, false) }

// waitingFor is one thing that waits for the owner: a correction of a belief, or a fact.
type waitingFor struct {
	correction string // its id; empty: it is a fact
	fact       memory.Record
}

// decide decides one after the other. What was decided before a failure stays so.
func (f decideFlags) decide(a *app, confirm bool) error {
	if f.All == (len(f.ID) > 0) {
		return usagef("name what to decide, or say --all")
	}
	f.mask(a, &f.Note)
	return a.with(writing, func(o *opened) error {
		list, err := f.meant(a, o, confirm)
		if err != nil {
			return err
		}
		out := []json.RawMessage{}
		for _, w := range list {
			done, err := w.decide(a, o, confirm, f)
			if err != nil {
				a.decidedSoFar(len(out), len(list), confirm)
				return err
			}
			out = append(out, done)
		}
		switch {
		case a.json && len(out) == 1 && !f.All:
			return a.emit(out[0])
		case a.json:
			return a.emit(map[string]any{"decided": out})
		}
		return nil
	})
}

// decidedSoFar says, where deciding broke off, what was decided and what still waits.
func (a *app) decidedSoFar(done, all int, confirm bool) {
	if all < 2 {
		return
	}
	verb := "confirmed"
	if !confirm {
		verb = "rejected"
	}
	a.warn("broken off: %d of %d %s, and %d still wait; satchel corrections list shows them, the same command goes on", done, all, verb, all-done)
}

// meant lists what is to be decided.
func (f decideFlags) meant(a *app, o *opened, confirm bool) ([]waitingFor, error) {
	if f.All {
		return f.everything(a, o, confirm)
	}
	var list []waitingFor
	for _, id := range f.ID {
		w, err := findWaiting(a, o, id)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// everything lists all that waits; unless that was said, it shows it, and asks.
func (f decideFlags) everything(a *app, o *opened, confirm bool) ([]waitingFor, error) {
	cases, err := o.Corrections(a.ctx, o.owner(), true)
	if err != nil {
		return nil, err
	}
	facts, err := o.Waiting(a.ctx, o.owner())
	if err != nil {
		return nil, err
	}
	var list []waitingFor
	for _, k := range cases {
		list = append(list, waitingFor{correction: k.ID})
		if !a.json && !f.Yes {
			showCase(a, k)
		}
	}
	for _, rec := range facts {
		list = append(list, waitingFor{fact: rec})
		if !a.json && !f.Yes {
			showProposed(a, rec)
		}
	}
	if len(list) == 0 {
		a.say("nothing waits for you")
		return nil, nil
	}
	if f.Yes {
		return list, nil
	}
	if !a.interactive() {
		return nil, usagef("there is nobody to ask here; look at satchel corrections list, and say --yes")
	}
	question := "Let all of it hold?"
	if !confirm {
		question = "Reject all of it?"
	}
	agreed, err := a.confirm(question)
	if err == nil && !agreed {
		err = refusedf("nothing was decided")
	}
	return list, err
}

// findWaiting returns what an ID, or the beginning of one, means.
func findWaiting(a *app, o *opened, arg string) (waitingFor, error) {
	cases, err := o.Corrections(a.ctx, o.owner(), false)
	if err != nil {
		return waitingFor{}, err
	}
	facts, err := o.Waiting(a.ctx, o.owner())
	if err != nil {
		return waitingFor{}, err
	}
	arg = strings.TrimPrefix(strings.TrimSpace(arg), "urn:ump:")
	var found []waitingFor
	for _, k := range cases {
		if k.ID == arg {
			return waitingFor{correction: k.ID}, nil
		}
		if len(arg) >= leastPrefix && strings.HasPrefix(k.ID, arg) {
			found = append(found, waitingFor{correction: k.ID})
		}
	}
	for _, rec := range facts {
		if len(arg) >= leastPrefix && strings.HasPrefix(strings.TrimPrefix(string(rec.ID), "urn:ump:"), arg) {
			found = append(found, waitingFor{fact: rec})
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if as := confirmedAs(a, o, arg); as != "" {
			return waitingFor{}, refusedf("%s is already confirmed as %s", clean(arg), shortID(as))
		}
		if wasRejected(a, o, arg) {
			return waitingFor{}, refusedf("%s is already rejected; satchel remember TEXT keeps it all the same", clean(arg))
		}
		return waitingFor{}, &memory.Error{Kind: memory.NotFound, Op: "resolve", Message: fmt.Sprintf("no correction has an ID that begins with %q; satchel corrections list shows those that wait", clean(arg))}
	}
	return waitingFor{}, &failure{exitFailed, fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", clean(arg))}
}

// confirmedAs returns what holds in the place of a proposed fact that was confirmed, ""
// where there is no such.
func confirmedAs(a *app, o *opened, arg string) memory.ID {
	rec, ok := proposal(a, o, arg)
	if !ok || len(rec.SupersededBy) == 0 {
		return ""
	}
	return rec.SupersededBy[0]
}

// wasRejected reports whether a proposed fact was rejected.
func wasRejected(a *app, o *opened, arg string) bool {
	rec, ok := proposal(a, o, arg)
	return ok && rec.Lifecycle.Status == memory.Tombstoned
}

// proposal returns the proposed fact that an ID, or the beginning of one, means.
func proposal(a *app, o *opened, arg string) (memory.Record, bool) {
	id, err := o.resolve(a.ctx, arg)
	if err != nil {
		return memory.Record{}, false
	}
	rec, err := o.Get(a.ctx, o.owner(), id, memory.CurrentView)
	return rec, err == nil && rec.Provenance != nil && rec.Provenance.Method == vault.Found
}

// decide decides one thing, and returns what it is by then.
func (w waitingFor) decide(a *app, o *opened, confirm bool, f decideFlags) (json.RawMessage, error) {
	switch {
	case w.correction != "":
		return resolveCorrection(a, o, w.correction, confirm, f)
	case confirm:
		return confirmFact(a, o, w.fact)
	}
	_, err := o.Forget(a.ctx, f.owner(o), memory.Forgetting{ID: w.fact.ID, Reason: memory.Incorrect, Note: f.Note})
	if err != nil {
		return nil, err
	}
	if !a.json {
		a.print("%s rejected: %s", shortID(w.fact.ID), oneLine(w.fact.Body.Text, 80))
	}
	return json.Marshal(map[string]any{"id": w.fact.ID, "status": "rejected"})
}

// confirmFact lets a proposed fact hold: its successor, signed by the owner, is in force.
func confirmFact(a *app, o *opened, fact memory.Record) (json.RawMessage, error) {
	done, err := o.Revise(a.ctx, o.owner(), memory.Revision{ID: fact.ID, Patch: holding(fact)})
	if err != nil {
		return nil, err
	}
	if !a.json {
		a.print("%s confirmed as %s: %s", shortID(fact.ID), shortID(done.ID), oneLine(fact.Body.Text, 80))
	}
	return json.Marshal(map[string]any{"id": done.ID, "supersedes": done.Supersedes, "status": "confirmed"})
}

func resolveCorrection(a *app, o *opened, id string, confirm bool, f decideFlags) (json.RawMessage, error) {
	done, err := o.Resolve(a.ctx, f.owner(o), id, confirm, f.Note)
	if f, ok := errors.AsType[*engram.Fault](err); ok && f.Code == engram.InvalidRequest {
		return nil, as(exitRefused, err) // it is decided already
	}
	if err != nil {
		return nil, err
	}
	if !a.json {
		a.print("%s %s: %s is %s", begins(done.ID), done.Status, oneLine(done.Key, 60), oneLine(done.Now, 0))
	}
	return caseOut(done), nil
}

// showProposed shows a fact that waits: what, and where it was said.
func showProposed(a *app, rec memory.Record) {
	a.print("%s  %s, waits for you", shortID(rec.ID), rec.Kind)
	a.print("  says      %s", oneLine(rec.Body.Text, 400))
	p := rec.Provenance
	if p == nil {
		return
	}
	from := clean(p.Actor)
	if p.Source != nil && p.Source.Ref != "" {
		from += ", of " + oneLine(p.Source.Ref, 100)
	}
	a.print("  by        %s, %s", from, howOld(rec.Time.From(), a.now()))
}
