package agent

import (
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentRemoveCmd struct {
	ID  string `arg:"" help:"The agent's id, or its first characters, as satchel agent list shows it; or a run's."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run removes an agent for good, with every revision of its definition and every
// checkpoint; or a run.
func (c *agentRemoveCmd) Run(a *cli.App) error {
	return withEngine(a, cli.Writing, engineFlags{}, func(e *engine) error {
		o, s := e.opened, e.keeper
		id, k, err := agentToRemove(a, o, s, c.ID)
		if isNotKept(err) {
			if run, failed := runID(a, o, e.Host, c.ID); failed == nil {
				return c.removeRun(e, run)
			}
		}
		if err != nil {
			return err
		}
		if err := mayRemove(a, c.Yes, "agent "+cli.OneLine(id, 80)+called(k)+", with every revision and every checkpoint of it,"); err != nil {
			return err
		}
		done, err := s.RemoveAgent(a.Ctx, o.Caller(), id)
		return errors.Join(err, tellRemoval(a, o, id, done, err))
	})
}

// removeRun removes a run for good. Whoever executes it finds it gone.
func (c *agentRemoveCmd) removeRun(e *engine, id string) error {
	if err := mayRemove(e.app, c.Yes, "run "+id+", with all that happened in it,"); err != nil {
		return err
	}
	pending, err := e.Remove(e.app.Ctx, e.opened.Caller(), id)
	if err != nil {
		return err
	}
	if e.app.JSON {
		return e.app.Emit(map[string]any{"id": id, "runs": 1, "pending": pending})
	}
	e.app.Print("removed run %s", id)
	if pending {
		e.app.Warn("%s", e.opened.TracesLeft())
	}
	e.app.Say("backups and files that were made before still hold it")
	return nil
}

func called(k aaif.KeptAgent) string {
	if k.Name == "" {
		return ""
	}
	return " (" + cli.OneLine(k.Name, 60) + ")"
}

type agentStateRemoveCmd struct {
	ID  string `arg:"" help:"The checkpoint's id, or its first characters, as satchel agent states shows it."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run removes a checkpoint for good.
func (c *agentStateRemoveCmd) Run(a *cli.App) error {
	return withKeeper(a, cli.Writing, func(o *cli.Session, s *agents.Service) error {
		id, err := stateToRemove(a, o, s, c.ID)
		if err != nil {
			return err
		}
		if err := mayRemove(a, c.Yes, "checkpoint "+cli.OneLine(id, 80)); err != nil {
			return err
		}
		done, err := s.RemoveState(a.Ctx, o.Caller(), id)
		return errors.Join(err, tellRemoval(a, o, id, done, err))
	})
}

// mayRemove asks the person to confirm a removal.
func mayRemove(a *cli.App, sure bool, what string) error {
	if sure {
		return nil
	}
	if !a.Interactive() {
		return cli.Usagef("removing cannot be undone; say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm("Remove " + what + " for good?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was removed")
	}
	return err
}

// tellRemoval reports what was removed, unless the removal failed.
func tellRemoval(a *cli.App, o *cli.Session, id string, done aaif.Removal, failed error) error {
	if failed != nil {
		return nil
	}
	if a.JSON {
		return a.Emit(map[string]any{"id": id, "revisions": done.Revisions, "states": done.States, "pending": done.Pending})
	}
	what := cli.Plural(done.States, "checkpoint", "checkpoints")
	if done.Revisions > 0 {
		what = cli.Plural(done.Revisions, "revision", "revisions") + " and " + what
	}
	a.Print("removed %s: %s", cli.OneLine(id, 80), what)
	if done.Pending {
		a.Warn("%s", o.TracesLeft())
	}
	a.Say("backups and files that were made before still hold it; migration tokens that have served stay spent")
	return nil
}
