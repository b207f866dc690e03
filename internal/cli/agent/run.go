package agent

import (
	"context"
	"crypto/rand"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
)

type agentRunCmd struct {
	Agent     string         `arg:"" help:"The agent's id in the store, or its first characters; or the file of a definition, which is added to the store first."`
	Input     string         `short:"i" help:"What the agent is asked: a text, @FILE, or - for standard input. JSON for an agent whose definition has an input_schema." placeholder:"TEXT|@FILE|-"`
	Var       []string       `sep:"none" help:"A variable of the run: JSON, or else a text. May be repeated." placeholder:"NAME=JSON"`
	Session   string         `help:"The session that the run is part of, by a name of your own. What the agent notes in it is there in every run of the session, and ends with it. Default: a session of its own." placeholder:"NAME"`
	User      string         `help:"The person whose run it is, by a name of your own. What the agent notes of one person is not there in runs of another. Default: you." placeholder:"NAME"`
	Turns     *int           `help:"The most turns of models. Default: as the definition says, and 50 at most." placeholder:"N"`
	Time      *time.Duration `help:"The most time of work, without waiting for people, such as 90s or 10m. Default: 15m." placeholder:"D"`
	USD       *float64       `name:"usd" help:"The most dollars for models whose price is known. Default: 1." placeholder:"N"`
	Tokens    *int           `help:"The most tokens of models whose price is not known. Default: 500,000." placeholder:"N"`
	Ungranted bool           `help:"Run the agent without the tools that are not granted to it."`
	DryRun    bool           `short:"n" help:"Show what the run could do and what it would ask, and start nothing. No model is asked."`
	Detach    bool           `aliases:"async" help:"Start the run and leave it to a satchel serve on this store, or to satchel agent resume. Also --async."`
	Inputs    string         `help:"Start a run for each line of a file, which is its input in JSON, and print a result for each line, in order." placeholder:"FILE"`

	engineFlags
}

// mostName is the most bytes of the name of a session or a person.
const mostName = 200

// mostInput is the most bytes of an input.
const mostInput = 4 << 20

// Run starts a run of an agent and executes it.
func (c *agentRunCmd) Run(a *cli.App) error {
	if !positive(c.Turns) || !positive(c.Time) || !positive(c.USD) || !positive(c.Tokens) {
		return cli.Usagef("a limit is more than 0")
	}
	if len(c.Session) > mostName || len(c.User) > mostName {
		return cli.Usagef("a name of a session or a person has at most %d bytes", mostName)
	}
	if c.DryRun && c.Detach {
		return cli.Usagef("--dry-run starts nothing, and so there is nothing to leave to a server")
	}
	if c.Inputs != "" && (c.Input != "" || c.DryRun) {
		return cli.Usagef("--inputs has the inputs of all runs; leave --input and --dry-run out")
	}
	if c.Agent == "-" && c.Input == "-" {
		return cli.Usagef("standard input holds one of the two; name a file for the other")
	}
	return withEngine(a, cli.Signing, c.engineFlags, func(e *engine) error {
		kept, err := c.agent(a, e)
		if err != nil {
			return err
		}
		d := aaif.ReadDefinition(kept.Document)
		d.ID = kept.AgentID
		if c.DryRun {
			return c.plan(e, kept)
		}
		if err := c.tools(e, d); err != nil {
			return err
		}
		if c.Inputs != "" {
			return c.batch(e, kept, d)
		}
		return c.start(e, kept, d)
	})
}

// agent returns the agent to run. A file is taken in first, with the checks of agent add.
func (c *agentRunCmd) agent(a *cli.App, e *engine) (aaif.KeptAgent, error) {
	if c.Agent != "-" && !cli.Exists(c.Agent) {
		k, err := agentKept(a, e.opened, e.keeper, c.Agent, 0)
		if err != nil && strings.ContainsAny(c.Agent, "./\\") {
			err = cli.WithStatus(cli.ExitFailed, notKept(nil, cli.Clean(c.Agent)+" is neither a file nor the id of an agent that is kept; satchel agent list shows these"))
		}
		return k, err
	}
	raw, err := agentdoc.Bytes(a, c.Agent)
	if err != nil {
		return aaif.KeptAgent{}, err
	}
	add := &agentAddCmd{File: c.Agent, DryRun: c.DryRun}
	r, err := add.intake(a, e.opened, e.keeper, raw)
	if err != nil {
		return aaif.KeptAgent{}, err
	}
	for _, line := range r.Warnings {
		a.Warn("%s", cli.Clean(line))
	}
	if !c.DryRun && !r.Unchanged {
		a.Say("%s is taken in: agent %s, revision %d", cli.OneLine(c.Agent, 200), cli.OneLine(r.Kept.AgentID, 80), r.Kept.Revision)
	}
	if treeOf(raw).Get("agent_id").Text() == "" {
		add.tellGiven(a, r.Kept)
	}
	return r.Kept, nil
}

// tools makes sure that the agent may use its tools, unless nothing calls them.
func (c *agentRunCmd) tools(e *engine, d aaif.Definition) error {
	if c.Ungranted || host.OnlyLeads(e.app.Ctx, e.Host, e.opened.Caller(), d) {
		return nil
	}
	before := len(e.settings.Tools.Grants)
	if err := mayUseTools(e.app, e.opened.Home, &e.settings.Tools, d, c.Tools != ""); err != nil {
		return err
	}
	if len(e.settings.Tools.Grants) == before {
		return nil
	}
	script, err := c.script(e.app)
	if err == nil {
		e.open(script, e.flags)
	}
	return err
}

// start starts the run, and executes it unless a server is to.
func (c *agentRunCmd) start(e *engine, kept aaif.KeptAgent, d aaif.Definition) error {
	a := e.app
	input, err := c.input(a, d)
	if err != nil {
		return err
	}
	variables, err := c.variables()
	if err != nil {
		return err
	}
	id, err := aaif.NewID(rand.Reader)
	if err != nil {
		return err
	}
	r, err := e.Start(a.Ctx, e.opened.Caller(), host.Start{
		RunID: id, Agent: kept.AgentID, Revision: kept.Revision, Input: input, Variables: variables, Limits: c.limits(), User: c.User, Session: c.Session,
		Now: !c.Detach && !d.Agent.IsAsync(),
	})
	if err != nil {
		if !a.JSON {
			e.tellKeys(d)
		}
		return refusedRun(a, err, cli.OneLine(c.Agent, 200)+" does not run")
	}
	if c.Detach {
		if a.JSON {
			return a.Emit(runOutOf(r))
		}
		a.Print("%s", id)
		a.Say("%s goes on with it%s; satchel agent watch %s shows what it does", resumeLine(id, r.Start.Flags), orServe(r.Start.Flags), id)
		return nil
	}
	if err := e.look(a.Ctx, id); err != nil {
		return err
	}
	return e.goOn(id, run.ContinueOptions{})
}

// tellKeys says which providers of a definition have no key here.
func (e *engine) tellKeys(d aaif.Definition) {
	if !e.settings.DefaultProviders {
		return
	}
	told := map[string]bool{}
	for _, c := range run.Routes(d, 0, e.app.Now()).Chain {
		if _, err := e.settings.Keys.Key(c.Provider); err != nil && !told[c.Provider] {
			told[c.Provider] = true
			e.app.Warn("%s", cli.Clean(err.Error()))
		}
	}
}

// look shows what happened in a run, and follows it from there.
func (e *engine) look(ctx context.Context, id string) error {
	e.view.run = run.Run{ID: id}
	return e.catchUp(ctx, id)
}

func (c *agentRunCmd) limits() run.Limits {
	return run.Limits{Turns: value(c.Turns), Active: value(c.Time), USD: value(c.USD), Tokens: value(c.Tokens)}
}

// positive reports whether a limit is absent or above 0.
func positive[N int | time.Duration | float64](n *N) bool { return n == nil || *n > 0 }

// value returns a limit; zero: none was given.
func value[N int | time.Duration | float64](n *N) (none N) {
	if n == nil {
		return none
	}
	return *n
}

// input returns what the agent is asked: JSON for an agent with a schema of its input,
// else a text.
func (c *agentRunCmd) input(a *cli.App, d aaif.Definition) (canon.Value, error) {
	text := c.Input
	path, isFile := strings.CutPrefix(text, "@")
	switch {
	case isFile:
		raw, err := cli.ReadBounded(path, mostInput)
		if err != nil {
			return canon.Value{}, err
		}
		text = string(raw)
	case text == "-":
		raw, err := io.ReadAll(io.LimitReader(a.Stdin(), mostInput+1))
		if err != nil {
			return canon.Value{}, err
		}
		if text = string(raw); len(raw) > mostInput {
			return canon.Value{}, cli.Usagef("the input is longer than %d MiB", mostInput>>20)
		}
	}
	if d.Agent.IO.Input.Type() != canon.TypeUndefined {
		if v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{}); err == nil {
			return v, nil
		}
	}
	if strings.TrimSpace(text) == "" {
		return canon.Value{}, cli.Usagef("say what the agent is asked: --input TEXT, @FILE, or - for standard input")
	}
	return canon.String(text), nil
}

func (c *agentRunCmd) variables() (canon.Value, error) {
	var members []canon.Member
	for _, setting := range c.Var {
		name, text, ok := strings.Cut(setting, "=")
		if !ok || name == "" {
			return canon.Value{}, cli.Usagef("--var takes NAME=JSON, such as limit=500 or name=Ada")
		}
		v, err := canon.Parse([]byte(text), canon.Options{})
		if err != nil {
			v = canon.String(text)
		}
		members = append(members, canon.Member{Name: name, Value: v})
	}
	if len(members) == 0 {
		return canon.Value{}, nil
	}
	return canon.Object(members...), nil
}
