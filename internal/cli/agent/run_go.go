package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/cli/otel"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/telemetry"
)

// engineFlags name the model and the tables that a run is executed with.
type engineFlags struct {
	Model string `help:"Let a script answer in place of models: script:FILE, a JSON object on each line (docs/agents.md). No model is asked." placeholder:"script:FILE"`

	RunFiles
}

// engine executes runs in this process.
type engine struct {
	*host.Host
	flags    []string
	app      *cli.App
	opened   *cli.Session
	keeper   *agents.Service
	settings host.Settings
	sent     *telemetry.Exporter // nil: the environment names no collector
	view     *runView
}

// script reads the script that answers in place of models, nil if there is none.
func (f engineFlags) script(a *cli.App) (*model.Script, error) {
	if f.Model == "" {
		return nil, nil
	}
	path, ok := strings.CutPrefix(f.Model, "script:")
	if !ok || path == "" {
		return nil, cli.Usagef("--model takes script:FILE; which models are asked, the definition says")
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, err := model.ReadScript(in)
	if err != nil {
		return nil, cli.Invalidf("%s: %w", cli.Clean(path), err)
	}
	return s, nil
}

// noKeys is for models that nobody is asked for.
type noKeys struct{}

func (noKeys) Key(string) (string, error) { return "", nil }

// given returns the flags that a run is started with, and resumed with. Paths are absolute.
func (f engineFlags) given() (flags []string, err error) {
	for _, one := range []struct{ name, value string }{{"--model", f.Model}, {"--models", f.Models}, {"--tools", f.Tools}, {"--rules", f.Rules}} {
		if one.value == "" {
			continue
		}
		before, path, found := strings.Cut(one.value, "script:")
		if !found {
			before, path = "", one.value
		} else {
			before += "script:"
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		flags = append(flags, one.name+"="+before+path)
	}
	return flags, nil
}

// engine returns the engine for the runs of a session's owner.
func (f engineFlags) engine(a *cli.App, o *cli.Session) (*engine, error) {
	script, err := f.script(a)
	if err != nil {
		return nil, err
	}
	s, err := RunSettings(o, a, f.RunFiles)
	if err != nil {
		return nil, err
	}
	if script != nil {
		s.DefaultProviders, s.Keys = true, noKeys{} // the regions of the table hold as they do without a script
	}
	keeper, err := keeperWith(o, a, "", "", running(s), requiring(o.Home))
	if err != nil {
		return nil, err
	}
	e := &engine{app: a, opened: o, keeper: keeper, settings: s, view: &runView{show: func(line string) { a.Say("%s", line) }}}
	flags, err := f.given()
	if err != nil {
		return nil, err
	}
	if e.sent, err = otel.Start(a, nil); err != nil {
		return nil, err
	}
	e.open(script, flags)
	return e, nil
}

// open makes the host, with the settings as they are now.
func (e *engine) open(script *model.Script, flags []string) {
	e.flags = flags
	options := host.Options{Vault: e.opened.Vault, Agents: e.keeper, Settings: e.settings, Now: e.app.Now, Lease: lease,
		Platform: e.opened.CurrentProducer().Name, Release: cli.Release(), OnEvent: e.heard, Flags: flags, Spans: e.sent.Runs(),
		Remote: elsewhere(e.app, func() (host.Settings, error) { return e.settings, nil })}
	if script != nil {
		options.Models = script
	}
	e.Host = host.New(options)
	e.sent.Measure(func(context.Context) []metric.Family { return e.Measured() })
}

// heard shows an event of the run that is shown. If other programs have added events before
// it, heard reads them from the journal.
func (e *engine) heard(id string, event run.Event) {
	if id != e.view.run.ID {
		return
	}
	if event.Number == e.view.run.Events+1 {
		e.view.follow(event)
		return
	}
	if err := e.catchUp(context.WithoutCancel(e.app.Ctx), id); err != nil {
		e.app.Detail("what happens in the run is not shown: %v", err)
	}
}

// withEngine opens the store, calls do with an engine, and closes the store.
func withEngine(a *cli.App, need cli.Access, f engineFlags, do func(*engine) error) error {
	return a.With(need, func(o *cli.Session) error {
		e, err := f.engine(a, o)
		if err != nil {
			return err
		}
		defer e.close()
		return do(e)
	})
}

// close sends the traces and metrics that are left.
func (e *engine) close() {
	otel.Within(e.Host.Close)
	otel.Close(e.sent)
}

// goOn executes a run until it ends, waits for a decision that the person leaves for later, or
// is interrupted.
func (e *engine) goOn(id string, how run.ContinueOptions) error {
	a, c := e.app, e.opened.Caller()
	ctx := context.WithoutCancel(a.Ctx) // an interrupt ends the run after what is under way
	how.Stop = a.Ctx.Done()
	defer context.AfterFunc(a.Ctx, func() {
		a.Say("stopping after what is under way; Ctrl-C again stops at once")
	})()
	for {
		if err := e.catchUp(ctx, id); err != nil {
			return err
		}
		r, err := e.Continue(ctx, c, id, how)
		if errors.Is(err, run.ErrCrowded) {
			a.Say("others of this agent are executed, as many as its definition allows at once; the run waits for its turn")
			r, err = e.inTurn(id)
		}
		if errors.Is(err, run.ErrHeld) {
			r, err = e.afterHolder(ctx, id, how)
		}
		if errors.Is(err, run.ErrHeld) && a.Ctx.Err() == nil {
			r, err = e.beside(id)
		}
		if err != nil {
			return e.broken(ctx, id, err)
		}
		how.Resumes = false
		calls := waiting(r)
		if len(calls) == 0 || !a.Interactive() || a.JSON || a.Ctx.Err() != nil {
			return e.end(ctx, r)
		}
		decided, err := e.ask(ctx, r, calls[0])
		if err != nil {
			return err
		}
		if !decided {
			return e.end(ctx, r)
		}
	}
}

// afterHolder goes on with a run that another program holds, once that has not reported for
// as long as its lease: it has died. While it reports, the error is [run.ErrHeld].
func (e *engine) afterHolder(ctx context.Context, id string, how run.ContinueOptions) (run.Run, error) {
	caller := e.opened.Caller()
	_, row, err := e.Get(ctx, caller, id)
	if err != nil {
		return run.Run{}, err
	}
	e.app.Say("another program holds the run; if it has died, the run goes on here at %s", row.Until.Local().Format(time.TimeOnly))
	for {
		if err := sleep.For(e.app.Ctx, holderPause); err != nil {
			return run.Run{}, run.ErrHeld
		}
		r, err := e.Continue(ctx, caller, id, how)
		if !errors.Is(err, run.ErrHeld) {
			return r, err
		}
		_, now, failed := e.Get(ctx, caller, id)
		if failed != nil || now.Until.After(row.Until) {
			return r, errors.Join(err, failed)
		}
	}
}

// beside shows what another program does in a run, until the run ends or waits. It returns the
// run.
func (e *engine) beside(id string) (run.Run, error) {
	a, caller := e.app, e.opened.Caller()
	a.Say("another program executes the run, such as a satchel serve on this store; this is what it does")
	for {
		if err := e.catchUp(a.Ctx, id); err != nil {
			return e.view.run, err
		}
		r := e.view.run
		if r.Status.Ended() || r.Status == aaif.Paused || r.Status == aaif.Migrating || r.Status != aaif.Running && len(waiting(r)) > 0 {
			return r, nil
		}
		if err := e.Await(a.Ctx, caller, id, r.Events); err != nil {
			if a.Ctx.Err() != nil {
				err = run.ErrHeld
			}
			return r, err
		}
	}
}

// catchUp shows what other programs did in a run.
func (e *engine) catchUp(ctx context.Context, id string) error {
	events, err := e.Events(ctx, e.opened.Caller(), id, e.view.run.Events)
	for _, event := range events {
		e.view.follow(event)
	}
	return err
}

// lease is how long a run stays held by a command that died. holderPause is the time between
// two attempts to take over a run.
const (
	lease       = 10 * time.Second
	holderPause = 300 * time.Millisecond
)

// end tells how a run stands. One that the person interrupted is paused, so that no server
// goes on with it.
func (e *engine) end(ctx context.Context, r run.Run) error {
	if e.app.Ctx.Err() != nil && (r.Status == aaif.Running || r.Status == aaif.AwaitingToolResult) {
		paused, err := e.Pause(ctx, e.opened.Caller(), r.ID, "interrupted")
		if err != nil {
			return err
		}
		r = paused
	}
	return tellRun(e.app, r)
}

// broken says why the execution of a run ended.
func (e *engine) broken(ctx context.Context, id string, err error) error {
	switch {
	case errors.Is(err, run.ErrFenced):
		r, _, failed := e.Get(ctx, e.opened.Caller(), id)
		if failed == nil && r.Status.Ended() {
			return tellRun(e.app, r)
		}
		return cli.Refusedf("another program has taken the run over; satchel agent watch %s shows what it does", id)
	case errors.Is(err, run.ErrHeld):
		return cli.Refusedf("another program executes the run; satchel agent watch %s shows what it does", id)
	}
	return refusedRun(e.app, err, "run "+id+" does not go on")
}

// refusedRun is [agentdoc.Refused] for runs.
func refusedRun(a *cli.App, err error, what string) error {
	if len(agentdoc.Violations(err)) == 0 {
		if code := aaif.CodeOf(err); code != "" {
			return cli.Refusedf("%s: %s: %w", what, code, err)
		}
	}
	return agentdoc.Refused(a, err, what)
}

// ask shows a call to the person at the terminal and asks what becomes of it. decided is
// false if they decide later.
func (e *engine) ask(ctx context.Context, r run.Run, c waitingCall) (decided bool, err error) {
	a, caller := e.app, e.opened.Caller()
	showWait(a, c)
	answer, err := e.choose()
	if err != nil {
		return false, err
	}
	switch answer {
	case "a":
		_, err = e.Approve(ctx, caller, r.ID, c.ID, c.Digest)
	case "r":
		var why string
		if why, err = a.Ask("Why? The model is told so. [no reason]"); err == nil {
			_, err = e.Reject(ctx, caller, r.ID, c.ID, strings.TrimSpace(why))
		}
	default:
		return false, nil
	}
	if aaif.CodeOf(err) == aaif.ApprovalTimeout {
		a.Warn("%v", err)
		err = nil
	}
	if err != nil {
		return false, refusedRun(a, err, "nothing was decided")
	}
	return true, nil
}

// choose returns a, r or l, for approve, reject and later.
func (e *engine) choose() (string, error) {
	for range 3 {
		answer, err := e.app.Ask("Approve it, reject it, or decide later? [a/r/L]")
		if err != nil {
			return "", err
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case answer == "":
			return "l", nil
		case strings.HasPrefix("approve", answer), strings.HasPrefix("reject", answer), strings.HasPrefix("later", answer):
			return answer[:1], nil
		}
	}
	return "l", nil
}
