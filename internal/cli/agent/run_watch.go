package agent

import (
	"encoding/json"
	"errors"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
)

type agentWatchCmd struct {
	ID   string `arg:"" help:"The run's id, or its first characters, as satchel agent runs shows it."`
	From int64  `help:"Begin with the event of this number. Default: the first." placeholder:"N"`
}

// eventOut is an event with its number, for JSON.
type eventOut struct {
	Number int64 `json:"number"`
	run.Event
}

// Run shows the events of a run as they come, until the run ends. Any program may execute the
// run. With --json it prints an object on each line.
func (c *agentWatchCmd) Run(a *cli.App) error {
	if c.From < 0 {
		return cli.Usagef("events are counted from 1")
	}
	return withEngine(a, cli.Probing, engineFlags{}, func(e *engine) error {
		id, err := runID(a, e.opened, e.Host, c.ID)
		if err != nil {
			return err
		}
		return c.watch(e, id)
	})
}

func (c *agentWatchCmd) watch(e *engine, id string) error {
	a, caller := e.app, e.opened.Caller()
	shown := false
	e.view.run = run.Run{ID: id}
	e.view.show = func(line string) {
		if shown && !a.JSON {
			a.Print("%s", line)
		}
	}
	for {
		events, err := e.Events(a.Ctx, caller, id, e.view.run.Events)
		if err != nil {
			return err
		}
		for _, event := range events {
			if shown = event.Number >= c.From; shown && a.JSON {
				if err := printLine(a, eventOut{event.Number, event.Outline()}); err != nil {
					return err
				}
			}
			e.view.follow(event)
		}
		if e.view.run.Status.Ended() {
			return nil
		}
		if err := e.Await(a.Ctx, caller, id, e.view.run.Events); err != nil {
			if a.Ctx.Err() != nil && errors.Is(err, a.Ctx.Err()) {
				return cli.Silent(cli.ExitInterrupted)
			}
			return err
		}
	}
}

// printLine prints a value as JSON on one line.
func printLine(a *cli.App, v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
