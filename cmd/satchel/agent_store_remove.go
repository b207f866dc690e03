package main

import (
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

type agentRemoveCmd struct {
	ID  string `arg:"" help:"The agent's id, or its first characters, as satchel agent list shows it."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run removes an agent for good: every revision of its definition and every checkpoint.
func (c *agentRemoveCmd) Run(a *app) error {
	return a.keeping(writing, func(o *opened, s *agents.Service) error {
		id, k, err := a.agentToRemove(o, s, c.ID)
		if err != nil {
			return err
		}
		if err := a.mayRemove(c.Yes, "agent "+oneLine(id, 80)+called(k)+", with every revision and every checkpoint of it,"); err != nil {
			return err
		}
		done, err := s.RemoveAgent(a.ctx, o.owner(), id)
		return errors.Join(err, a.removed(o, id, done, err))
	})
}

func called(k aaif.Kept) string {
	if k.Name == "" {
		return ""
	}
	return " (" + oneLine(k.Name, 60) + ")"
}

type agentStateRemoveCmd struct {
	ID  string `arg:"" help:"The checkpoint's id, or its first characters, as satchel agent states shows it."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run removes a checkpoint for good.
func (c *agentStateRemoveCmd) Run(a *app) error {
	return a.keeping(writing, func(o *opened, s *agents.Service) error {
		id, err := a.stateToRemove(o, s, c.ID)
		if err != nil {
			return err
		}
		if err := a.mayRemove(c.Yes, "checkpoint "+oneLine(id, 80)); err != nil {
			return err
		}
		done, err := s.RemoveState(a.ctx, o.owner(), id)
		return errors.Join(err, a.removed(o, id, done, err))
	})
}

// mayRemove makes sure that a removal is meant.
func (a *app) mayRemove(sure bool, what string) error {
	if sure {
		return nil
	}
	if !a.interactive() {
		return usagef("removing cannot be undone; say --yes when there is no terminal to ask on")
	}
	yes, err := a.confirm("Remove " + what + " for good?")
	if err == nil && !yes {
		err = refusedf("nothing was removed")
	}
	return err
}

// removed says what is gone, unless it failed.
func (a *app) removed(o *opened, id string, done aaif.Removal, failed error) error {
	if failed != nil {
		return nil
	}
	if a.json {
		return a.emit(map[string]any{"id": id, "revisions": done.Revisions, "states": done.States, "pending": done.Pending})
	}
	what := plural(done.States, "checkpoint", "checkpoints")
	if done.Revisions > 0 {
		what = plural(done.Revisions, "revision", "revisions") + " and " + what
	}
	a.print("removed %s: %s", oneLine(id, 80), what)
	if done.Pending {
		a.warn("%s", o.traces())
	}
	a.say("backups and files that were made before still hold it; migration tokens that have served stay spent")
	return nil
}
