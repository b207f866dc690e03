package agent

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
	"github.com/satchel-memory/satchel/internal/run/host"
)

type agentEvalCmd struct {
	Agent    string         `arg:"" help:"The file of a definition, which is not added to the store; or the agent's id in the store, or its first characters."`
	Promote  bool           `help:"Give the definition the status active if all thresholds are met: in its file, or as a new revision in the store."`
	Output   string         `short:"o" help:"With --promote and a file: write the definition there, and leave the file as it is." placeholder:"FILE"`
	JUnit    string         `name:"junit" help:"Write the report as XML of JUnit, too." placeholder:"FILE"`
	Markdown string         `help:"Write the report as tables in Markdown, too." placeholder:"FILE"`
	Answers  string         `help:"What tools answer: {\"CASE or *\": {\"TOOL\": answer}}. Default: values that their output schemas allow." placeholder:"FILE"`
	Reads    bool           `help:"Call the tools that only read, as far as they are granted. No other tool is called, ever."`
	Turns    *int           `help:"The most turns of models for a case. Default: as the definition says, and 50 at most." placeholder:"N"`
	Time     *time.Duration `help:"The most time for all cases together. Default: 1h." placeholder:"D"`
	USD      *float64       `name:"usd" help:"The most dollars for all cases and the judge together. Default: 1." placeholder:"N"`
	Tokens   *int           `help:"The most tokens for all cases and the judge together, of models whose price is not known. Default: 500,000." placeholder:"N"`

	engineFlags
}

// evalOut is an evaluation, for JSON.
type evalOut struct {
	evaluate.Report
	Promoted *promotion `json:"promoted,omitempty"`
}

// Run evaluates an agent. It ends with status 4 if a threshold is missed (AAIF-4.8-7).
func (c *agentEvalCmd) Run(a *cli.App) error {
	switch {
	case !positive(c.Turns) || !positive(c.Time) || !positive(c.USD) || !positive(c.Tokens):
		return cli.Usagef("a limit is more than 0")
	case c.Promote && c.Agent == "-" && c.Output == "":
		return cli.Usagef("--promote writes the definition into its file; from standard input: --output names one")
	case c.Output != "" && (!c.Promote || !c.isFile()):
		return cli.Usagef("--output says where --promote writes the definition of a file")
	}
	need := cli.Reading
	if c.Promote {
		need = cli.Signing
	}
	return withEngine(a, need, c.engineFlags, func(e *engine) error {
		var err error
		if e.keeper, err = keeperWith(e.opened, a, "", "", running(e.settings)); err != nil {
			return err
		}
		kept, err := (&agentRunCmd{Agent: c.Agent, DryRun: true}).agent(a, e)
		if err != nil {
			return err
		}
		if c.isFile() {
			kept.Revision = 0 // it is not kept
		}
		return c.evaluate(e, kept)
	})
}

func (c *agentEvalCmd) isFile() bool { return c.Agent == "-" || cli.Exists(c.Agent) }

// evaluate puts the test cases to the agent, and tells what became of them.
func (c *agentEvalCmd) evaluate(e *engine, kept aaif.KeptAgent) error {
	a := e.app
	answers, err := c.answers(a, kept)
	if err != nil {
		return err
	}
	cases := len(aaif.ReadDefinition(kept.Document).Agent.Evaluation.Cases)
	r, err := host.Evaluate(a.Ctx, e.Host, e.opened.Caller(), host.Evaluation{
		Agent: kept, Reads: c.Reads, Answers: answers, Limits: run.Limits{Turns: value(c.Turns), Active: value(c.Time), USD: value(c.USD), Tokens: value(c.Tokens)},
		OnCase: func(done int, one evaluate.Case) { a.Say("%d of %d  %s", done, cases, caseWords(one)) },
	})
	switch {
	case errors.Is(err, evaluate.ErrNoCases), errors.Is(err, evaluate.ErrNoThresholds):
		return cli.Invalidf("%s: %w", cli.Clean(c.Agent), err)
	case err != nil && a.Ctx.Err() == nil:
		return refusedRun(a, err, cli.OneLine(c.Agent, 200)+" is not evaluated")
	}
	out := evalOut{Report: r}
	if err := c.files(a, r); err != nil {
		return err
	}
	if a.Ctx.Err() == nil {
		if err := rememberEvaluation(e.opened.Home, r); err != nil {
			a.Warn("that it was evaluated is not remembered: %v", err)
		}
		if r.Passed && c.Promote {
			if out.Promoted, err = c.promote(e, kept, r); err != nil {
				return err
			}
		}
	}
	if a.JSON {
		err = a.Emit(out)
	} else {
		err = c.tell(a, out)
	}
	switch {
	case err != nil:
		return err
	case a.Ctx.Err() != nil:
		return cli.Silent(cli.ExitInterrupted)
	case !r.Passed:
		return cli.Silent(cli.ExitRefused)
	}
	return nil
}

// Promote evaluates an agent of the store as satchel agent eval --promote does, and prints
// nothing. That a threshold is missed is no error.
func Promote(a *cli.App, id string) error {
	silent := *a
	silent.Out, silent.Err = io.Discard, io.Discard
	if err := (&agentEvalCmd{Agent: id, Promote: true}).Run(&silent); err != nil && !(errors.Is(err, cli.ErrSilent) && cli.StatusOf(err) == cli.ExitRefused) {
		return err
	}
	return nil
}

// answers reads what tools answer.
func (c *agentEvalCmd) answers(a *cli.App, kept aaif.KeptAgent) (evaluate.Answers, error) {
	if c.Answers == "" {
		return evaluate.Answers{}, nil
	}
	v, err := agentdoc.TreeFor(a, "--answers", c.Answers)
	if err != nil {
		return evaluate.Answers{}, err
	}
	answers, err := evaluate.ReadAnswers(v, aaif.ReadDefinition(kept.Document))
	if err != nil {
		err = cli.Invalidf("--answers %s: %w", cli.Clean(c.Answers), err)
	}
	return answers, err
}

// files writes the reports for CI.
func (c *agentEvalCmd) files(a *cli.App, r evaluate.Report) error {
	if c.JUnit != "" {
		raw, err := r.JUnit()
		if err == nil {
			err = agentdoc.PlaceBytes(a, c.JUnit, raw)
		}
		if err != nil {
			return err
		}
	}
	if c.Markdown != "" {
		return agentdoc.PlaceBytes(a, c.Markdown, []byte(r.Markdown()))
	}
	return nil
}

// promote gives the evaluated definition the status active (decision R22).
func (c *agentEvalCmd) promote(e *engine, kept aaif.KeptAgent, r evaluate.Report) (*promotion, error) {
	s := statusChange{to: aaif.Active, output: c.Output}
	if !c.isFile() {
		return s.ofKept(e.app, e.opened, e.keeper, kept)
	}
	if c.Agent == "-" {
		return s.ofFile(e.app, e.opened, aaif.Document{Kind: aaif.AgentKind, Value: kept.Document}, c.Agent)
	}
	d, err := agentdoc.Definition(e.app, c.Agent)
	if err != nil {
		return nil, err
	}
	if id := d.Value.Get("agent_id"); id.Type() == canon.TypeUndefined {
		return nil, cli.Refusedf("%s has no agent_id, and so nothing says which agent is promoted: satchel agent add gives it one", cli.Clean(c.Agent))
	}
	if evaluate.ContentOf(d.Value) != r.Agent.Content {
		return nil, cli.Refusedf("%s was changed while it was evaluated, and is not promoted", cli.Clean(c.Agent))
	}
	return s.ofFile(e.app, e.opened, d, c.Agent)
}

// tell prints a report for people.
func (c *agentEvalCmd) tell(a *cli.App, out evalOut) error {
	r := out.Report
	table := tabwriter.NewWriter(a.Out, 0, 0, len(gap), ' ', 0)
	for _, m := range r.Metrics {
		mean, wanted := "-", ""
		if m.Mean != nil {
			mean = evaluate.Number(*m.Mean)
		}
		if m.Threshold != nil {
			wanted = map[evaluate.Bound]string{evaluate.Minimum: "at least ", evaluate.Maximum: "at most "}[m.Bound] + evaluate.Number(*m.Threshold)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cli.OneLine(m.Name, 60), mean, wanted, strings.ReplaceAll(string(m.Verdict), "_", " "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, one := range r.Cases {
		for i, s := range one.Scores {
			if s.Why != "" && (s.Value == nil || r.Metrics[i].Verdict == evaluate.Missed) {
				a.Say("%s, %s: %s", cli.OneLine(one.ID, 60), cli.OneLine(s.Metric, 60), cli.OneLine(s.Why, 400))
			}
		}
	}
	for _, w := range r.Warnings {
		a.Warn("%s", cli.OneLine(w, 400))
	}
	a.Say("cost: the agent %s, the judge %s", evaluate.Price(r.Usage), evaluate.Price(r.JudgeUsage))
	switch {
	case a.Ctx.Err() != nil:
		a.Warn("interrupted after %s", cli.Plural(len(r.Cases), "case", "cases"))
	case !r.Passed:
		a.Warn("not passed: a threshold is not met [AAIF-4.8-7]")
	case out.Promoted != nil:
		out.Promoted.tell(a)
	default:
		a.Say("passed")
	}
	return nil
}

// caseWords says in one line what became of a case.
func caseWords(c evaluate.Case) string {
	words := []string{cli.OneLine(c.ID, 60)}
	if c.Error != nil {
		words = append(words, cli.OneLine(c.Error.Code+": "+c.Error.Message, 300))
	}
	for _, s := range c.Scores {
		if s.Value != nil {
			words = append(words, cli.OneLine(s.Metric, 60)+" "+evaluate.Number(*s.Value))
		}
	}
	return strings.Join(words, "  ")
}
