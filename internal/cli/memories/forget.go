package memories

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ForgetCmd is the command satchel forget.
type ForgetCmd struct {
	ID     []string      `arg:"" help:"The ids, or their first characters."`
	Reason memory.Reason `default:"user_revoked" enum:"user_revoked,incorrect,outdated,duplicate,retention_expired,other" help:"user_revoked, incorrect, outdated, duplicate, retention_expired or other." placeholder:"CODE"`
	Note   string        `help:"A remark, erased with the memory." placeholder:"TEXT"`
	Chain  bool          `help:"Forget every version of it."`
	Hard   bool          `help:"Erase the memory and its earlier versions for good. Only the ids stay, in the list of changes."`
	Yes    bool          `short:"y" help:"Do not ask."`
}

// Run forgets, after asking when it cannot be undone.
func (c *ForgetCmd) Run(a *cli.App) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		var ids []memory.ID
		for _, arg := range c.ID {
			id, err := o.FindID(a.Ctx, arg)
			if err != nil && !(c.Hard && damaged(err)) { // a hard erasure takes damaged memories too
				return err
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		if err := c.ask(a, o, ids); err != nil {
			return err
		}
		done := []forgotten{}
		ctx := vault.WithUndoName(a.Ctx, vault.NewUndoName()) // satchel undo brings all of them back
		for _, id := range ids {
			one, err := c.one(ctx, a, o, id)
			if err != nil {
				return err
			}
			done = append(done, one)
		}
		var behind []string
		switch {
		case c.Hard:
			behind = machines.WarnNotErased(a, o)
			a.Say("exports and backups that were made before still hold it, and so may whoever was given it: no program reaches those")
		case len(ids) > 1:
			a.Say("satchel undo brings all of them back for half an hour; satchel get ID still shows each; forget ID --hard erases it")
		default:
			a.Say("satchel undo brings it back for half an hour; satchel get ID still shows it; forget ID --hard erases it")
		}
		if a.JSON {
			out := map[string]any{"results": done}
			if len(behind) > 0 {
				out["behind"] = behind
			}
			return a.Emit(out)
		}
		return nil
	})
}

// forgotten is the result for one memory, for machines.
type forgotten struct {
	ID       memory.ID            `json:"id"`
	Result   memory.ForgetOutcome `json:"result"`
	Pending  bool                 `json:"pending,omitempty"`  // the files may still hold it
	Versions int                  `json:"versions,omitempty"` // erased versions, itself included
}

// outcome is the result for a memory, in the terms of UMP 3.6.
func outcome(id memory.ID, how memory.ForgetOutcome, versions int) forgotten {
	if how == memory.ErasePending {
		return forgotten{id, memory.AsErased, true, versions}
	}
	return forgotten{ID: id, Result: how, Versions: versions}
}

// one forgets a memory, and says if another version of it is still in force.
func (c *ForgetCmd) one(ctx context.Context, a *cli.App, o *cli.Session, id memory.ID) (forgotten, error) {
	newest, err := newest(o, ctx, id)
	if err != nil && memory.KindOf(err) != memory.NotFound { // gone just now, or damaged
		return forgotten{}, err
	}
	versions := []memory.Record{{ID: id}}
	if newest != "" {
		versions = append(versions, memory.Record{ID: newest})
	}
	name := a.Shortener(o, versions) // while they exist
	doomed := map[memory.ID]bool{}
	if c.Hard {
		if err := c.count(ctx, o, id, doomed); err != nil {
			return forgotten{}, err
		}
	}
	how, err := o.Forget(ctx, o.Caller(), memory.ForgetRequest{
		ID: id, Reason: c.Reason, Note: c.Note, Hard: c.Hard, Chain: c.Chain,
	})
	if c.Hard && memory.KindOf(err) == memory.NotFound { // it existed: a later version's erasure took it along
		how, err = memory.AsErased, nil
		clear(doomed)
	}
	if err != nil {
		return forgotten{}, err
	}
	if !a.JSON {
		a.Print("%s", inWords(name(id), how, c.others(len(doomed)-1), o.TracesLeft()))
	}
	if newest != "" && newest != id && !c.Chain {
		a.Warn("only that version: a newer one still answers, %s; forget that one too, or every version with --chain", name(newest))
	}
	return outcome(id, how, len(doomed)), nil
}

// inWords is the result for people. others are the versions erased with it, traces what may
// remain.
func inWords(id string, how memory.ForgetOutcome, others, traces string) string {
	switch how {
	case memory.ErasePending:
		return fmt.Sprintf("erased %s%s; %s", id, others, traces)
	case memory.AsErased:
		return fmt.Sprintf("erased %s%s", id, others)
	}
	return fmt.Sprintf("forgotten %s", id)
}

// others says how many versions are erased with a memory, "" for none.
func (c *ForgetCmd) others(n int) string {
	switch {
	case n <= 0:
		return ""
	case c.Chain:
		return " with " + cli.Plural(n, "other version", "other versions")
	}
	return " with " + cli.Plural(n, "earlier version", "earlier versions")
}

// ask asks for confirmation of an erasure.
func (c *ForgetCmd) ask(a *cli.App, o *cli.Session, ids []memory.ID) error {
	if !c.Hard || c.Yes {
		return nil
	}
	if !a.Interactive() {
		return cli.Usagef("erasing cannot be undone; say --yes when there is no terminal to ask on")
	}
	doomed := map[memory.ID]bool{}
	for _, id := range ids {
		rec, err := o.Get(a.Ctx, o.Caller(), id, memory.CurrentView)
		text := cli.OneLine(rec.Body.Text, 60)
		if damaged(err) {
			text, err = "(damaged)", nil
		}
		if err != nil {
			return err
		}
		a.Warn("%s  %s", cli.ShortID(id), text)
		if err := c.count(a.Ctx, o, id, doomed); err != nil {
			return err
		}
	}
	yes, err := a.Confirm(c.question(ids, len(doomed)))
	if err == nil && !yes {
		err = cli.Refusedf("nothing was erased")
	}
	return err
}

// count adds the memories that are erased with id to doomed.
func (c *ForgetCmd) count(ctx context.Context, o *cli.Session, id memory.ID, doomed map[memory.ID]bool) error {
	doomed[id] = true
	versions, err := o.History(ctx, o.Caller(), id)
	if memory.KindOf(err) == memory.NotFound {
		return nil // damaged, and nothing else is left of it
	}
	if err != nil {
		return err
	}
	for _, with := range goesWith(versions, id, c.Chain) {
		doomed[with] = true
	}
	return nil
}

// goesWith returns the versions that an erasure of one version includes: all before it, or
// every one.
func goesWith(versions []memory.Record, id memory.ID, chain bool) []memory.ID {
	before := map[memory.ID][]memory.ID{}
	var all []memory.ID
	for _, rec := range versions {
		before[rec.ID] = append([]memory.ID{}, rec.Supersedes...)
		all = append(all, rec.ID)
	}
	if chain {
		return all
	}
	found, seen := []memory.ID{id}, map[memory.ID]bool{id: true}
	for i := 0; i < len(found); i++ {
		for _, earlier := range before[found[i]] {
			if _, here := before[earlier]; here && !seen[earlier] {
				seen[earlier] = true
				found = append(found, earlier)
			}
		}
	}
	return found
}

// question asks for confirmation of an erasure, and says how far it goes.
func (c *ForgetCmd) question(ids []memory.ID, doomed int) string {
	named := map[memory.ID]bool{}
	for _, id := range ids {
		named[id] = true
	}
	what := cli.Plural(len(named), "memory", "memories")
	return "Erase " + what + c.others(doomed-len(named)) + " for good?"
}

// damaged reports whether an error concerns a memory that exists but is unreadable or
// untrustworthy.
func damaged(err error) bool {
	e, ok := errors.AsType[*memory.Error](err)
	return ok && e.Op == "read" && (e.Kind == memory.SignatureInvalid || e.Kind == memory.Internal)
}
