package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/topology"
	"github.com/satchel-memory/satchel/memory"
)

// Plan says what a run of an agent could do here, before anything is done.
type Plan struct {
	Agent   aaif.KeptAgent
	Limits  run.Limits
	Routes  route.Plan
	Leads   bool   // only its subagents work: its own model is not asked, and its tools are not called
	Judge   string // the model that judges; empty: none
	Tools   []PlannedTool
	Traces  string // the address that its definition has traces sent to; empty: to none, or not allowed
	Reasons error  // why it cannot run; nil: it can
	Notices []policy.Notice
	// Team are the plans of the agents that may come to work in the run. Each agent is there
	// once, behind the one that names it first. They have neither Limits nor Reasons nor Notices.
	Team []Plan

	In     []string // of an agent of a team: the names of the subagents that lead to it
	Remote string   // the address of its Agent Card, if the agent works elsewhere; all else is empty then
}

// PlannedTool is a tool that a run could call.
type PlannedTool struct {
	Name     string
	Protocol aaif.Protocol
	Endpoint string
	Writes   bool   // unless it is known not to
	Asks     string // why a person is asked before a call with no arguments; empty: it depends on the arguments, or nobody is
	Missing  string // why it cannot be called; empty: it can
	Warnings []string
}

// Plan returns what a run of an agent, kept or not, could do. It starts no run and asks no
// model; MCP servers and descriptions of tools are asked for what they offer.
func (h *Host) Plan(ctx context.Context, c memory.Caller, kept aaif.KeptAgent, limits run.Limits) (Plan, error) {
	d := aaif.ReadDefinition(kept.Document)
	d.ID = kept.AgentID
	s, err := h.settings()
	if err != nil {
		return Plan{}, err
	}
	d = s.library.whole(d)
	p, err := planOf(ctx, h, c, s, d, nil)
	if err != nil {
		return Plan{}, err
	}
	p.Agent, p.Limits = kept, s.Limits.Within(limits).Of(d.Agent)
	if j, ok := judgeOf(d, nil, s.operator(d.Agent)); ok {
		p.Judge = j.Target.String()
	}
	team, _ := teamOf(d, named(ctx, h, c, d)) // staffOf says what is wrong with it
	notices, reasons := h.ready(d, nil, kept, s, team)
	pins, _, err := staffOf(ctx, h, c, d, s)
	p.Reasons, p.Notices = errors.Join(reasons, err, p.Reasons), append(notices, p.Notices...)
	all := &teamPlan{h: h, ctx: ctx, caller: c, settings: s, pins: pins, seen: map[string]bool{d.ID: true}, whole: p}
	if err := all.add(d, nil, nil); err != nil {
		return Plan{}, err
	}
	return all.whole, nil
}

// teamPlan adds to a plan the agents that may come to work in the run.
type teamPlan struct {
	h        *Host
	ctx      context.Context
	caller   memory.Caller
	settings Settings
	pins     []run.Pin
	seen     map[string]bool // the ids of agents that have a plan
	whole    Plan
}

// add adds the agents that a definition names, and those that they name. over are the agents
// that its agent works for, and in the names that lead to it.
func (t *teamPlan) add(d aaif.Definition, over []aaif.Definition, in []string) error {
	over = append(slices.Clip(over), d)
	for _, one := range topology.Members(d) {
		i := slices.IndexFunc(t.pins, func(p run.Pin) bool { return p.Ref == one.Ref })
		if i < 0 || t.seen[t.pins[i].Agent] {
			continue
		}
		pin, in := t.pins[i], append(slices.Clip(in), one.Alias)
		t.seen[pin.Agent] = true
		if pin.Remote != "" {
			t.whole.Team = append(t.whole.Team, Plan{In: in, Remote: pin.Remote})
			continue
		}
		other, kept, err := t.h.agent(t.ctx, t.caller, pin.Agent, pin.Revision)
		if err != nil {
			return err
		}
		other = t.settings.library.whole(other)
		plan, err := planOf(t.ctx, t.h, t.caller, t.settings, other, over)
		if err != nil {
			return err
		}
		t.whole.Reasons = errors.Join(append([]error{t.whole.Reasons}, ofAgent(one.Alias, plan.Reasons)...)...)
		for _, n := range plan.Notices {
			n.Text = "the agent " + aaif.Shown(one.Alias) + ": " + n.Text
			t.whole.Notices = append(t.whole.Notices, n)
		}
		plan.Agent, plan.In, plan.Reasons, plan.Notices = kept, in, nil, nil
		t.whole.Team = append(t.whole.Team, plan)
		if err := t.add(other, over, in); err != nil {
			return err
		}
	}
	return nil
}

// OnlyLeads reports whether only the subagents of an agent work in its runs: its own model is not
// asked, and its tools are not called.
func OnlyLeads(ctx context.Context, h *Host, c memory.Caller, d aaif.Definition) bool {
	team, err := teamOf(d, named(ctx, h, c, d))
	return err == nil && !team.AsksOwnModel()
}

// planOf returns the routes, the collector and the tools of an agent, and reads its context. over
// are the agents that it works for. What else keeps the agent from running, ready tells.
func planOf(ctx context.Context, h *Host, c memory.Caller, s Settings, d aaif.Definition, over []aaif.Definition) (p Plan, err error) {
	p.Routes = route.Decide(run.RoutesUnder(d, over, 0, h.opt.Now()), s.operator(d.Agent), nil)
	p.Leads = OnlyLeads(ctx, h, c, d)
	if d.Agent.Telemetry.Traces() {
		p.Traces, _ = s.collector(d) // a notice says why there is none
	}
	if !p.Leads {
		prompter := s.prompter()
		prompter.Over = over
		p.Notices, p.Reasons = prompter.Try(ctx, d, h.opt.Now())
	}
	m, err := h.setupOf(ctx, s, d, over, nil, personOf(c.Owner, ""), subject{})
	if err != nil {
		return p, ctx.Err() // else a schema of the definition cannot be used, which ready tells
	}
	defer m.Close()
	gate := policy.NewGate(condition.NewCompiler(condition.Options{}), d, over...)
	for _, t := range m.Tools.Offered() {
		one := PlannedTool{Name: t.Name, Protocol: t.Of.Protocol, Endpoint: t.Of.Endpoint, Writes: !t.Nature.ReadOnly, Warnings: t.Warnings}
		if t.Missing != nil {
			one.Missing = string(t.Missing.Code) + ": " + t.Missing.Text
		}
		if t.Missing != nil && !p.Leads && aaif.RulesUnder(d, over).Safety.IsStrict() { // it ends the run (AAIF-7-6)
			i := slices.IndexFunc(d.Agent.Tools, func(of aaif.Tool) bool { return of.Name == t.Of.Name })
			p.Reasons = errors.Join(p.Reasons, aaif.Violation("aaif", t.Missing.Code, "7-6", fmt.Sprintf("/agent/tools/%d", i), "%s: %s", aaif.Shown(t.Name), t.Missing.Text))
		}
		if v := gate.Judge(aaif.Call{Tool: t.Name, Arguments: canon.Object()}, t.Of.Protocol, t.Nature, canon.Value{}, canon.Value{}); v.Ask {
			one.Asks = v.Why
		}
		p.Tools = append(p.Tools, one)
	}
	return p, nil
}
