package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

type constraintCmd struct {
	List    constraintListCmd    `cmd:"" default:"1" help:"List the rules: in force, waiting for you, and deleted."`
	Add     constraintAddCmd     `cmd:"" help:"Add a rule that assistants must not break."`
	Confirm constraintConfirmCmd `cmd:"" help:"Confirm a rule that an assistant submitted."`
	Reject  constraintRejectCmd  `cmd:"" help:"Reject a rule that an assistant submitted."`
	Delete  constraintDeleteCmd  `cmd:"" help:"Delete a rule."`
}

type constraintAddCmd struct {
	Rule      string `arg:"" help:"The rule in your words. - reads standard input."`
	Category  string `enum:"communication,content,data,behaviour,safety,custom" default:"custom" help:"The subject: communication, content, data, behaviour, safety or custom." placeholder:"C"`
	Scope     string `help:"Only for the assistant with this URI. Default: all assistants." placeholder:"URI"`
	Note      string `help:"Why." placeholder:"TEXT"`
	Suspended bool   `help:"Keep the rule, but not in force."`
	secretFlag
	ID string `name:"id" help:"Replace the rule with this id. Default: a new rule." placeholder:"ID"`
}

// Run sets a rule (edition 0.1.2).
func (c *constraintAddCmd) Run(a *app) error {
	rule, err := a.text(c.Rule, maxText)
	if err != nil {
		return err
	}
	if c.Scope != "" && !engram.IsRuntimeURI(c.Scope) {
		return usagef("--scope is the URI of an assistant: https://…, did:… or urn:…")
	}
	c.mask(a, &rule, &c.Note)
	k := engram.Constraint{Rule: rule, Category: c.Category, Scope: c.Scope, Note: c.Note, Status: string(engram.Active)}
	if c.Suspended {
		k.Status = "suspended"
	}
	return a.with(writing, func(o *opened) error {
		if c.ID != "" {
			if k.ID, err = constraintNamed(a, o, c.ID); err != nil {
				return err
			}
		}
		done, err := o.Constrain(a.ctx, c.owner(o), k)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(wired(done.Wire()))
		}
		a.storedPart(done.ID)
		a.say("exports have it with --engram-edition 0.1.2, as contexts of satchel serve do")
		return nil
	})
}

// rules are the rules in force, those that wait, and the tombstones of those that were
// deleted.
func (o *opened) rules(a *app) ([]engram.Constraint, error) {
	all, err := o.Constraints(a.ctx, o.owner(), false)
	if err != nil {
		return nil, err
	}
	v, err := o.whole(a)
	for _, k := range v.Constraints {
		if k.Status == string(engram.Deleted) {
			all = append(all, k)
		}
	}
	return all, err
}

// constraintNamed finds the constraint that an ID or the beginning of one means.
func constraintNamed(a *app, o *opened, arg string) (string, error) {
	if engram.IsID(arg) {
		return arg, nil
	}
	all, err := o.rules(a)
	if err != nil {
		return "", err
	}
	var found []string
	for _, k := range all {
		if len(arg) >= leastPrefix && strings.HasPrefix(k.ID, strings.ToLower(arg)) {
			found = append(found, k.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &memory.Error{Kind: memory.NotFound, Op: "constraint", Message: fmt.Sprintf("no rule has an ID that begins with %q; satchel constraint list shows them", clean(arg))}
	}
	return "", &failure{exitFailed, fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", clean(arg))}
}

type constraintListCmd struct{}

// Run lists rules.
func (c *constraintListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		all, err := o.rules(a)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"constraints": wires(all)})
		}
		if len(all) == 0 {
			a.say("no rules; satchel constraint add sets one")
		}
		w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
		for _, k := range all {
			status, rule := clean(k.Status), oneLine(k.Rule, a.room(60))
			switch k.Status {
			case string(engram.Pending):
				status = "waits"
				if by := k.Value.Get("runtime_id").Text(); by != "" {
					rule += ", proposed by " + oneLine(by, 60)
				}
			case string(engram.Deleted):
				rule = "– since " + local(k.DeletedAt)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", begins(k.ID), orDash(status), orDash(oneLine(k.Category, 20)), orDash(oneLine(k.Scope, 40)), rule)
		}
		return w.Flush()
	})
}

// constraintRef names a rule on the command line.
type constraintRef struct {
	ID string `arg:"" help:"The id of the rule, or its first characters, as constraint list shows it."`
}

type constraintConfirmCmd struct{ constraintRef }

// Run lets a rule be in force that waits.
func (c *constraintConfirmCmd) Run(a *app) error { return c.resolve(a, true) }

type constraintRejectCmd struct{ constraintRef }

// Run drops a rule that waits.
func (c *constraintRejectCmd) Run(a *app) error { return c.resolve(a, false) }

func (r constraintRef) resolve(a *app, confirm bool) error {
	return a.with(writing, func(o *opened) error {
		id, err := constraintNamed(a, o, r.ID)
		if err != nil {
			return err
		}
		k, err := o.ResolveConstraint(a.ctx, o.owner(), id, confirm)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(wired(k.Wire()))
		}
		a.print("%s %s: %s", begins(k.ID), clean(k.Status), oneLine(k.Rule, 0))
		return nil
	})
}

type constraintDeleteCmd struct{ constraintRef }

// Run deletes a rule.
func (c *constraintDeleteCmd) Run(a *app) error {
	return a.with(writing, func(o *opened) error {
		id, err := constraintNamed(a, o, c.ID)
		if err != nil {
			return err
		}
		gone, err := o.Unconstrain(a.ctx, o.owner(), id)
		if err != nil {
			return err
		}
		return a.gone(gone, "assistants are told that it is gone")
	})
}
