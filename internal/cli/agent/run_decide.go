package agent

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

type agentApproveCmd struct {
	ID     string `arg:"" help:"The run's id, or its first characters, as satchel agent runs shows it."`
	Call   string `arg:"" optional:"" help:"The id of the call. Default: the one that the run waits for."`
	Digest string `help:"The digest of the call that you approve. If another call waits, nothing is approved. Without it the call is shown, and you are asked." placeholder:"D"`
}

// Run approves a call, exactly as it was shown (AAIF-4.9-18).
func (c *agentApproveCmd) Run(a *cli.App) error {
	return withEngine(a, cli.Signing, engineFlags{}, func(e *engine) error {
		r, call, err := e.waitFor(c.ID, c.Call)
		if err != nil {
			return err
		}
		if c.Digest == "" && (!a.Interactive() || a.JSON) {
			return cli.Usagef("say what you approve: satchel agent approve %s %s --digest D, where D is the call's digest, which satchel agent runs --json shows with the arguments", shellWord(r.ID), shellWord(call.ID))
		}
		if c.Digest != "" {
			r, err = e.Approve(a.Ctx, e.opened.Caller(), r.ID, call.ID, c.Digest)
			if err != nil {
				return refusedRun(a, err, "nothing is approved")
			}
			return e.decided(r, call, "approved")
		}
		return e.askNow(r, call)
	})
}

// waitFor returns the run of an argument, and the call that it waits for.
func (e *engine) waitFor(arg, call string) (run.Run, waitingCall, error) {
	id, err := runID(e.app, e.opened, e.Host, arg)
	if isNotKept(err) {
		if kept, failed := stateKept(e.app, e.opened, e.keeper, arg); failed == nil {
			err = cli.Refusedf("%s is a checkpoint, whose run has not gone on here yet: satchel agent resume %s goes on with it, and shows what it waits for", cli.OneLine(arg, 80), shellWord(kept.StateID))
		}
	}
	if err != nil {
		return run.Run{}, waitingCall{}, err
	}
	r, _, err := e.Get(e.app.Ctx, e.opened.Caller(), id)
	if err != nil {
		return r, waitingCall{}, err
	}
	calls := waiting(r)
	i := slices.IndexFunc(calls, func(c waitingCall) bool { return call == "" || c.ID == call })
	switch {
	case len(calls) == 0:
		return r, waitingCall{}, cli.Refusedf("run %s is %s and waits for no approval", id, r.Status)
	case i < 0:
		return r, waitingCall{}, cli.Refusedf("run %s waits for call %s, not for %s", id, cli.OneLine(calls[0].ID, 60), cli.OneLine(call, 60))
	}
	return r, calls[i], nil
}

// askNow shows a call and asks the person at the terminal.
func (e *engine) askNow(r run.Run, c waitingCall) error {
	decided, err := e.ask(e.app.Ctx, r, c)
	if err != nil {
		return err
	}
	if !decided {
		return cli.Refusedf("nothing was decided; the run waits on")
	}
	r, _, err = e.Get(e.app.Ctx, e.opened.Caller(), r.ID)
	if err != nil {
		return err
	}
	return e.decided(r, c, "decided about")
}

// decided prints what was decided about a call.
func (e *engine) decided(r run.Run, c waitingCall, what string) error {
	if e.app.JSON {
		return e.app.Emit(runOutOf(r))
	}
	name := "call " + cli.OneLine(c.ID, 60) + " of " + cli.OneLine(c.Tool, 80)
	if c.IsOutput() {
		name = "the answer"
	}
	e.app.Print("%s is %s", name, what)
	if r.Status.Ended() {
		return nil
	}
	row, _, err := e.Head(e.app.Ctx, e.opened.Caller(), r.ID)
	if err == nil {
		e.app.Say("%s", afterDecision(row, r.Start.Flags, e.app.Now()))
	}
	return err
}

// afterDecision says what goes on with a run about which a person has decided: the program that
// executes its other agents, if there is one.
func afterDecision(row runstore.Run, flags []string, now time.Time) string {
	if now.Before(row.Until) {
		return "the program that executes the run goes on with it; satchel agent watch " + shellWord(row.ID) + " shows what it does"
	}
	return resumeLine(row.ID, flags) + " goes on with the run" + orServe(flags)
}

type agentRejectCmd struct {
	ID   string `arg:"" help:"The run's id, or its first characters, as satchel agent runs shows it."`
	Call string `arg:"" optional:"" help:"The id of the call. Default: the one that the run waits for."`
	Why  string `help:"The reason, which the model reads." placeholder:"TEXT"`
}

// Run rejects a call. The model reads that, and the run goes on without the call.
func (c *agentRejectCmd) Run(a *cli.App) error {
	return withEngine(a, cli.Signing, engineFlags{}, func(e *engine) error {
		r, call, err := e.waitFor(c.ID, c.Call)
		if err != nil {
			return err
		}
		r, err = e.Reject(a.Ctx, e.opened.Caller(), r.ID, call.ID, c.Why)
		if err != nil {
			return refusedRun(a, err, "nothing is rejected")
		}
		return e.decided(r, call, "rejected")
	})
}
