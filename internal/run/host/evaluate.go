package host

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/memory"
)

// Evaluation says which agent to evaluate, and how.
type Evaluation struct {
	Agent aaif.KeptAgent // kept or not
	// Limits bound the evaluation, see [evaluate.Options]. Zero members are those of the
	// settings, and four times as much time; what is set may be wider for all runs together.
	Limits  run.Limits
	Answers evaluate.Answers // what tools answer; zero: values that their output schemas allow
	Reads   bool             // tools that only read are called
	OnCase  func(done int, c evaluate.Case)
}

// rehearsal says that the runs of a Host are tests: a stub answers in place of tools and of
// agents elsewhere, and nothing that others see or that lasts is done.
type rehearsal struct {
	agent      aaif.KeptAgent // is evaluated, kept or not
	definition aaif.Definition
	stub       tool.Stub
	reads      bool // tools that only read are called
}

// rehearse returns a Host for tests of an agent. It keeps no run.
func rehearse(h *Host, o Evaluation, d aaif.Definition) *Host {
	options := h.opt
	options.OnEvent, options.OnText, options.Spans = nil, nil, nil
	t := New(options)
	t.client, t.test = h.client, &rehearsal{agent: o.Agent, definition: d, reads: o.Reads}
	if h.opt.Remote != nil {
		t.opt.Remote = remoteStub{t.test}
	}
	return t
}

// remoteStub answers in place of agents elsewhere.
type remoteStub struct{ of *rehearsal }

// Ask implements [Remote].
func (r remoteStub) Ask(_ context.Context, card, key, message string) (tool.Result, error) {
	asked := canon.Object(canon.Member{Name: "message", Value: canon.String(message)})
	return r.of.stub(tool.Offered{Name: run.RemoteCall, Of: aaif.Tool{Name: run.RemoteCall, Endpoint: card}}, tool.Call{Name: run.RemoteCall, Arguments: asked, Key: key})
}

// Evaluate puts the test cases of an agent to it (section 4.8), with the agents that work for
// it. No run of it is kept, and no tool that may write is called. If the agent cannot run
// here, or its judge may not be asked, nothing is asked, and the error joins the reasons.
func Evaluate(ctx context.Context, h *Host, c memory.Caller, o Evaluation) (evaluate.Report, error) {
	d := aaif.ReadDefinition(o.Agent.Document)
	d.ID = o.Agent.AgentID
	set, err := h.settings()
	if err != nil {
		return evaluate.Report{}, err
	}
	t := rehearse(h, o, d)
	team, _ := teamOf(d, named(ctx, t, c, d)) // staffOf says what is wrong with it
	notices, err := t.ready(d, nil, o.Agent, set, team)
	if err != nil {
		return evaluate.Report{}, err
	}
	pins, _, err := staffOf(ctx, t, c, d, set)
	if err != nil {
		return evaluate.Report{}, err
	}
	e := evaluate.Options{
		Subject:    evaluate.Subject{ID: o.Agent.AgentID, Revision: o.Agent.Revision, Name: o.Agent.Name, Version: o.Agent.Version, Content: evaluate.ContentOf(o.Agent.Document)},
		Definition: d, Limits: wholeLimits(set.Limits, o.Limits), OnCase: o.OnCase, Answers: o.Answers, NewID: func() (string, error) { return aaif.NewID(rand.Reader) },
		Executor: &run.Executor{
			Holder: t.opt.Holder, Lease: t.opt.Lease, Now: t.opt.Now, Log: t.opt.Log, Sleep: sleep.For,
			Open: func(ctx context.Context, r *run.Run, of *run.Thread) (*run.Setup, error) {
				return t.setup(ctx, c, r, of)
			},
		},
		Begin: func(one aaif.TestCase, l run.Limits) ([]run.Event, error) {
			start, found, err := t.startOf(d, o.Agent, Start{Input: one.Input, Limits: l}, set)
			start.Agents, start.Leads = pins, team != nil
			return first(start, t.opt.Now(), found), err
		},
		Stub: func(stub tool.Stub) { t.test.stub = stub },
	}
	for _, n := range notices {
		e.Warnings = append(e.Warnings, n.String())
	}
	if err := judging(t, &e, set); err != nil {
		return evaluate.Report{}, err
	}
	return evaluate.Evaluate(ctx, e)
}

// wholeLimits returns the limits of an evaluation.
func wholeLimits(usual, wished run.Limits) run.Limits {
	const more = 4
	usual.Active *= more
	return usual.With(wished)
}

// judging adds the judge to an evaluation (AAIF-4.8-1). It fails if the judge is outside of
// the agent's region (AAIF-4.9-6).
func judging(h *Host, e *evaluate.Options, set Settings) error {
	d := e.Definition
	o := set.operator(d.Agent)
	if d.Agent.Evaluation.Judge == "" {
		e.NoJudge = "the definition names no judge: evaluation.judge_model"
		return nil
	}
	c, plan := judgePlan(d, nil, o)
	switch {
	case plan.Code == route.ResidencyUnsatisfied:
		return aaif.Violation("aaif", route.ResidencyUnsatisfied, "4.9-6", "/agent/evaluation/judge_model", "the judge may not be asked: %s", plan)
	case len(plan.Order) == 0:
		e.NoJudge = "the judge cannot be asked: " + plan.String()
		return nil
	}
	if weak := o.WeakJudge(d.Agent.Evaluation.Judge, run.Routes(d, 0, time.Time{}).Chain); weak != "" {
		e.Warnings = append(e.Warnings, weak)
	}
	ask := asking(c, o, h.models(o, set.Keys))
	e.Judge = c.Target.String()
	e.Ask = func(ctx context.Context, system, question string) (string, run.Usage, error) {
		text, used, outcome, err := ask(ctx, system, question)
		if err != nil && (outcome.Status == http.StatusTooManyRequests || outcome.Status >= http.StatusInternalServerError) {
			if err := sleep.For(ctx, judgeRest); err != nil {
				return "", used, err
			}
			text, used, _, err = ask(ctx, system, question)
		}
		return text, used, err
	}
	return nil
}

// judgeRest is how long a judge that is too busy is left alone, once.
const judgeRest = time.Second
