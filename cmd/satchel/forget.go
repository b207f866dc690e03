package main

import (
	"github.com/satchel-memory/satchel/memory"
)

type forgetCmd struct {
	ID     []string      `arg:"" help:"The IDs, or the beginnings of them."`
	Reason memory.Reason `default:"user_revoked" enum:"user_revoked,incorrect,outdated,duplicate,retention_expired,other" help:"user_revoked, incorrect, outdated, duplicate, retention_expired or other." placeholder:"CODE"`
	Note   string        `help:"A remark; it dies with the memory." placeholder:"TEXT"`
	Chain  bool          `help:"Forget every version of it."`
	Hard   bool          `help:"Erase every copy, for good. Only the ID stays, in the list of changes."`
	Yes    bool          `short:"y" help:"Do not ask."`
}

// Run forgets, after asking when it cannot be undone.
func (c *forgetCmd) Run(a *app) error {
	return a.with(writing, func(o *opened) error {
		ids := make([]memory.ID, len(c.ID))
		for i, arg := range c.ID {
			var err error
			if ids[i], err = o.resolve(a.ctx, arg); err != nil {
				return err
			}
		}
		if err := c.ask(a, o, ids); err != nil {
			return err
		}
		done := []forgotten{}
		for _, id := range ids {
			how, err := c.one(a, o, id)
			if err != nil {
				return err
			}
			done = append(done, forgotten{id, how})
		}
		if a.json {
			return a.emit(map[string]any{"results": done})
		}
		return nil
	})
}

// forgotten is what became of one memory, for machines.
type forgotten struct {
	ID     memory.ID        `json:"id"`
	Result memory.Forgotten `json:"result"`
}

// one forgets a memory, and says so when another version of it still answers.
func (c *forgetCmd) one(a *app, o *opened, id memory.ID) (memory.Forgotten, error) {
	newest, err := o.newest(a.ctx, id)
	if err != nil && memory.KindOf(err) != memory.NotFound { // gone with a chain just now
		return "", err
	}
	how, err := o.Forget(a.ctx, o.owner(), memory.Forgetting{
		ID: id, Reason: c.Reason, Note: c.Note, Hard: c.Hard, Chain: c.Chain,
	})
	if err != nil {
		return "", err
	}
	if !a.json && how == memory.AsErased {
		a.print("erased %s", id)
	} else if !a.json {
		a.print("forgotten %s", id)
	}
	if newest != "" && newest != id && !c.Chain {
		a.warn("only that version: a newer one still answers, %s; forget that one too, or every version with --chain", newest)
	}
	return how, nil
}

// ask makes sure that an erasure is meant.
func (c *forgetCmd) ask(a *app, o *opened, ids []memory.ID) error {
	if !c.Hard || c.Yes {
		return nil
	}
	if !a.interactive() {
		return usagef("erasing cannot be undone; say --yes when there is no terminal to ask on")
	}
	for _, id := range ids {
		rec, err := o.Get(a.ctx, o.owner(), id, memory.CurrentView)
		if err != nil {
			return err
		}
		a.warn("%s  %s", shortID(id), oneLine(rec.Body.Text, 60))
	}
	what := plural(len(ids), "memory", "memories")
	if c.Chain {
		what += " with every version"
	}
	yes, err := a.confirm("Erase " + what + " for good?")
	if err == nil && !yes {
		err = refusedf("nothing was erased")
	}
	return err
}
