package beliefs

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/memories"
	"github.com/satchel-memory/satchel/memory"
)

// ConstraintCmd is the command satchel constraint.
type ConstraintCmd struct {
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
	cli.SecretFlag
	ID string `name:"id" help:"Replace the rule with this id. Default: a new rule." placeholder:"ID"`
}

// Run sets a rule (edition 0.1.2).
func (c *constraintAddCmd) Run(a *cli.App) error {
	rule, err := a.Text(c.Rule, memories.MaxText)
	if err != nil {
		return err
	}
	if c.Scope != "" && !engram.IsRuntimeURI(c.Scope) {
		return cli.Usagef("--scope is the URI of an assistant: https://…, did:… or urn:…")
	}
	c.Mask(a, &rule, &c.Note)
	k := engram.Constraint{Rule: rule, Category: c.Category, Scope: c.Scope, Note: c.Note, Status: string(engram.Active)}
	if c.Suspended {
		k.Status = "suspended"
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		if c.ID != "" {
			if k.ID, err = constraintNamed(a, o, c.ID); err != nil {
				return err
			}
		}
		done, err := o.Beliefs().Constrain(a.Ctx, c.Owner(o), k)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(wired(done.Wire()))
		}
		a.PrintStoredPart(done.ID)
		if engram.DescribesPerson(rule) || engram.DescribesSomebody(rule) {
			a.Warn("this describes a person, and a rule tells assistants what to do, such as \"Never use emoji\". Say it so with --id %s, or delete it and make it a belief: satchel belief add", cli.ShortPartID(done.ID))
		}
		a.Say("exports have it with --engram-edition 0.1.2, as contexts of satchel serve do")
		return nil
	})
}

// rules are the rules in force, the waiting ones, and the tombstones of deleted ones.
func rules(o *cli.Session, a *cli.App) ([]engram.Constraint, error) {
	all, err := o.Beliefs().Constraints(a.Ctx, o.Caller(), false)
	if err != nil {
		return nil, err
	}
	v, err := whole(o, a)
	for _, k := range v.Constraints {
		if k.Status == string(engram.Deleted) {
			all = append(all, k)
		}
	}
	return all, err
}

// constraintNamed finds a constraint by its ID or a prefix of it.
func constraintNamed(a *cli.App, o *cli.Session, arg string) (string, error) {
	if engram.IsID(arg) {
		return arg, nil
	}
	all, err := rules(o, a)
	if err != nil {
		return "", err
	}
	var found []string
	for _, k := range all {
		if len(arg) >= cli.LeastPrefix && strings.HasPrefix(k.ID, strings.ToLower(arg)) {
			found = append(found, k.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &memory.Error{Kind: memory.NotFound, Op: "constraint", Message: fmt.Sprintf("no rule has an ID that begins with %q; satchel constraint list shows them", cli.Clean(arg))}
	}
	return "", &cli.Failure{Status: cli.ExitFailed, Err: fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", cli.Clean(arg))}
}

type constraintListCmd struct{}

// Run lists rules.
func (c *constraintListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		all, err := rules(o, a)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"constraints": wires(all)})
		}
		if len(all) == 0 {
			a.Say("no rules; satchel constraint add sets one")
		}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, k := range all {
			status, rule := cli.Clean(k.Status), cli.OneLine(k.Rule, a.Room(60))
			switch k.Status {
			case string(engram.Pending):
				status = "waits"
				if by := k.Value.Get("runtime_id").Text(); by != "" {
					rule += ", proposed by " + cli.OneLine(by, 60)
				}
			case string(engram.Deleted):
				rule = "– since " + cli.Local(k.DeletedAt)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", cli.ShortPartID(k.ID), cli.OrDash(status), cli.OrDash(cli.OneLine(k.Category, 20)), cli.OrDash(cli.OneLine(k.Scope, 40)), rule)
		}
		return w.Flush()
	})
}

// constraintRef names a rule on the command line.
type constraintRef struct {
	ID string `arg:"" help:"The id of the rule, or its first characters, as constraint list shows it."`
}

type constraintConfirmCmd struct{ constraintRef }

// Run puts a waiting rule in force.
func (c *constraintConfirmCmd) Run(a *cli.App) error { return c.resolve(a, true) }

type constraintRejectCmd struct{ constraintRef }

// Run drops a waiting rule.
func (c *constraintRejectCmd) Run(a *cli.App) error { return c.resolve(a, false) }

func (r constraintRef) resolve(a *cli.App, confirm bool) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		id, err := constraintNamed(a, o, r.ID)
		if err != nil {
			return err
		}
		k, err := o.Beliefs().ResolveConstraint(a.Ctx, o.Caller(), id, confirm)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(wired(k.Wire()))
		}
		a.Print("%s %s: %s", cli.ShortPartID(k.ID), cli.Clean(k.Status), cli.OneLine(k.Rule, 0))
		return nil
	})
}

type constraintDeleteCmd struct{ constraintRef }

// Run deletes a rule.
func (c *constraintDeleteCmd) Run(a *cli.App) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		id, err := constraintNamed(a, o, c.ID)
		if err != nil {
			return err
		}
		gone, err := o.Beliefs().Unconstrain(a.Ctx, o.Caller(), id)
		if err != nil {
			return err
		}
		return tellGone(a, gone, "assistants are told that it is gone")
	})
}
