package agent

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

type agentRunsCmd struct {
	Agent string `arg:"" optional:"" help:"Only the runs of this agent, by its id or the first characters of it."`
	Limit int    `default:"20" help:"Show at most this many, newest first; 0: all." placeholder:"N"`
}

// Run lists runs, newest first.
func (c *agentRunsCmd) Run(a *cli.App) error {
	if c.Limit < 0 {
		return cli.Usagef("--limit is a number of runs, such as 20")
	}
	return withEngine(a, cli.Probing, engineFlags{}, func(e *engine) error {
		id := ""
		if c.Agent != "" {
			k, err := agentKept(a, e.opened, e.keeper, c.Agent, 0)
			if err != nil {
				return err
			}
			id = k.AgentID
		}
		var rows []runstore.Run
		more := false
		err := runsOf(a, e.opened, e.Host, id, func(r runstore.Run) bool {
			more = c.Limit > 0 && len(rows) == c.Limit
			if !more {
				rows = append(rows, r)
			}
			return !more
		})
		if err != nil {
			return err
		}
		return c.tell(e, rows, more)
	})
}

func (c *agentRunsCmd) tell(e *engine, rows []runstore.Run, more bool) error {
	a := e.app
	all := []runOut{}
	advice := "" // about the newest run that may need any
	table := tabwriter.NewWriter(a.Out, 0, 0, len(gap), ' ', 0)
	for _, row := range rows {
		var r run.Run
		events, err := e.Events(a.Ctx, e.opened.Caller(), row.ID, 0)
		if err == nil {
			r, err = run.Fold(row.ID, events)
		}
		if err != nil { // sealed, and the key is not open; or changed outside of satchel
			r.ID, r.Start.Agent, r.Start.Revision, r.Began, r.Last = row.ID, row.Agent, int(row.Revision), row.Began, row.Changed
			a.Warn("run %s: %v", cli.OneLine(row.ID, 80), err)
		}
		out := runOutOf(r)
		out.Status = row.Status
		if out.Resume = standsStill(row, out, a.Now()); advice == "" {
			advice = goesOn(row, r.Start.Flags, out)
		}
		all = append(all, out)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", cli.OneLine(row.ID, 80), cli.OneLine(row.Agent, 80), shownStatus(row.Status, out),
			cli.Plural(r.Turns(), "turn", "turns"), cli.HowOld(row.Began, a.Now()), out.waitsFor())
	}
	if a.JSON {
		return a.Emit(all)
	}
	switch {
	case len(rows) == 0:
		a.Say("no run is kept here; satchel agent run AGENT --input TEXT starts one")
	case more:
		a.Say("there are more; --limit 0 shows all")
	}
	if err := table.Flush(); err != nil || advice == "" {
		return err
	}
	a.Say("%s", advice)
	return nil
}

// goesOn says what goes on with a run that nobody executes, or whose program may have died;
// empty: nothing has to.
func goesOn(row runstore.Run, flags []string, r runOut) string {
	line := resumeLine(row.ID, flags) + " goes on with it"
	switch {
	case r.Resume && row.Status == string(aaif.Paused):
		return line
	case r.Resume:
		return line + orServe(flags)
	case row.Status == string(aaif.Running):
		return line + ", if the program that executes it has died"
	}
	return ""
}

// standsStill reports whether a run waits for nobody, and no program executes it at a time: it is
// paused, nobody has begun with it, or the program that executed it has died.
func standsStill(row runstore.Run, r runOut, now time.Time) bool {
	switch aaif.RunStatus(row.Status) {
	case aaif.Paused:
		return true
	case aaif.Running, aaif.AwaitingToolResult, aaif.AwaitingApproval: // of a call that is decided
		return len(r.Waits) == 0 && !now.Before(row.Until)
	}
	return false
}

// shownStatus returns a run's status for people: a run that left is not shown as completed, nor
// one that was cancelled as failed.
func shownStatus(status string, r runOut) string {
	switch {
	case status == string(aaif.Completed) && r.Platform != "":
		return "left"
	case r.Error != nil && r.Error.Code == string(aaif.Cancelled):
		return "cancelled"
	}
	return cli.Clean(status)
}

// waitsFor says what a run waits for, or why it ended.
func (r runOut) waitsFor() string {
	switch {
	case r.Error != nil:
		return cli.OneLine(r.Error.Code, 60)
	case r.Platform != "":
		return "left for " + cli.OneLine(r.Platform, 60)
	case len(r.Waits) > 0 && r.Waits[0].IsAnswer:
		return "waits for approval of its answer"
	case len(r.Waits) > 0:
		return "waits for approval of " + cli.OneLine(r.Waits[0].Tool, 60)
	case r.Resume:
		return "waits for satchel agent resume"
	}
	return ""
}

type agentCancelCmd struct {
	ID string `arg:"" help:"The run's id, or its first characters, as satchel agent runs shows it."`
}

// Run cancels a run, also one that another program executes.
func (c *agentCancelCmd) Run(a *cli.App) error {
	return withEngine(a, cli.Signing, engineFlags{}, func(e *engine) error {
		id, err := runID(a, e.opened, e.Host, c.ID)
		if err != nil {
			return err
		}
		if r, _, err := e.Get(a.Ctx, e.opened.Caller(), id); err == nil && r.Status.Ended() {
			return cli.Refusedf("run %s is %s already", id, r.Status)
		}
		r, err := e.Cancel(a.Ctx, e.opened.Caller(), id)
		if err != nil {
			return refusedRun(a, err, "run "+id+" is not cancelled")
		}
		if a.JSON {
			return a.Emit(runOutOf(r))
		}
		a.Print("run %s is cancelled", id)
		a.Say("a call that is under way elsewhere may still take effect; its answer is not taken in")
		return nil
	})
}
