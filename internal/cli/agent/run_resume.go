package agent

import (
	"cmp"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

type agentResumeCmd struct {
	ID   string `arg:"" help:"The id of a run, or of a kept checkpoint whose run goes on here; or its first characters."`
	Here bool   `help:"Resume the run although it was going on in another store or before this store was restored, or may have left for another platform. Make sure first that nobody goes on with it there."`

	engineFlags
}

// Run goes on with a run, or with the run of a checkpoint that came from another platform.
func (c *agentResumeCmd) Run(a *cli.App) error {
	return withEngine(a, cli.Signing, c.engineFlags, func(e *engine) error {
		id, err := runID(a, e.opened, e.Host, c.ID)
		if isNotKept(err) {
			id, err = c.fromState(e)
		}
		if err != nil {
			return err
		}
		return c.resume(e, id)
	})
}

func (c *agentResumeCmd) resume(e *engine, id string) error {
	a, caller := e.app, e.opened.Caller()
	if err := e.read(a.Ctx, id); err != nil {
		return err
	}
	switch r := e.view.run; {
	case r.Status == aaif.Migrating && !c.Here:
		return cli.Refusedf("%s: the run was sent to %s, and nobody knows whether it arrived: ask there. If it did not, --here takes it back [AAIF-8.2-1]", aaif.StateLeft, cli.OneLine(r.Platform, 80))
	case r.Status == aaif.Migrating:
		if _, err := e.Stayed(a.Ctx, caller, id); err != nil {
			return refusedRun(a, err, "run "+id+" does not go on")
		}
	case r.Status.Ended():
		return tellRun(a, r)
	}
	if err := c.mayGoOnHere(e, id); err != nil {
		return err
	}
	return e.goOn(id, run.ContinueOptions{Resumes: true})
}

// read reads a run without showing what happened in it.
func (e *engine) read(ctx context.Context, id string) error {
	show := e.view.show
	e.view.show = func(string) {}
	defer func() { e.view.show = show }()
	return e.look(ctx, id)
}

// mayGoOnHere asks before a run goes on here that was going on elsewhere, or before the
// store was restored.
func (c *agentResumeCmd) mayGoOnHere(e *engine, id string) error {
	a := e.app
	_, here, err := e.Head(a.Ctx, e.opened.Caller(), id)
	if err != nil || here || c.Here {
		return err
	}
	const what = "the run was going on in another store, or before this store was restored; if it goes on there too, things may be done twice"
	if !a.Interactive() || a.JSON {
		return cli.Refusedf("%s. --here goes on here, once you know that nobody goes on with it there", what)
	}
	a.Warn("%s", what)
	yes, err := a.Confirm("Go on with it here?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was changed")
	}
	return err
}

// fromState starts the run of a kept checkpoint, and returns the run's id. A checkpoint
// starts one run only.
func (c *agentResumeCmd) fromState(e *engine) (string, error) {
	a := e.app
	l, err := stateKept(a, e.opened, e.keeper, c.ID)
	if isNotKept(err) {
		return "", nothingKept(c.ID, "a run", "a checkpoint")
	}
	if err != nil {
		return "", err
	}
	switch left := l.Left; {
	case left.At.IsZero():
	case c.Here:
		if err := e.keeper.Left(a.Ctx, e.opened.Caller(), l.StateID, aaif.Departure{}); err != nil {
			return "", err
		}
	case left.To == "" && left.At.Equal(l.Received):
		return "", cli.Refusedf("%s: the connection to %s ended when the checkpoint arrived, so that the run may go on there. --here goes on here, once you know that it does not [AAIF-8.2-7]", aaif.StateLeft, cli.OneLine(left.For, 80))
	case left.To == "":
		return "", cli.Refusedf("a migration token was issued for the checkpoint at %s, for %s: whoever has it can go on with the run there. --here goes on here, once you know that nobody does", cli.Local(left.At), cli.OneLine(left.For, 80))
	default:
		return "", cli.Refusedf("%s: the checkpoint left for %s at %s, and its run goes on there [AAIF-8.2-1]", aaif.StateLeft, cli.OneLine(left.For, 80), cli.Local(left.At))
	}
	id := cmp.Or(l.RunID, l.StateID)
	_, err = e.Start(a.Ctx, e.opened.Caller(), host.Start{RunID: id, Agent: l.AgentID, State: l.Document, Here: l.StateID})
	if errors.Is(err, runstore.ErrRunExists) {
		return "", cli.Refusedf("the run of this checkpoint is here already: satchel agent resume %s", id)
	}
	if err != nil {
		return "", refusedRun(a, err, "the run of checkpoint "+l.StateID+" does not go on")
	}
	a.Say("run %s goes on from checkpoint %s", id, cli.OneLine(l.StateID, 80))
	return id, e.look(a.Ctx, id) // what is to be known of the start
}
