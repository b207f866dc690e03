package host

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/memory"
)

// Plan says what a run of an agent could do here, before anything is done.
type Plan struct {
	Agent   aaif.KeptAgent
	Limits  run.Limits
	Routes  route.Plan
	Judge   string // the model that judges; empty: none
	Tools   []PlannedTool
	Traces  string // the address that its definition has traces sent to; empty: to none, or not allowed
	Reasons error  // why it cannot run; nil: it can
	Notices []policy.Notice
	Team    []Plan   // of the agents kept here that may come to work in the run; without Limits, Reasons and Notices
	Remote  []string // the addresses of agents elsewhere that may
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

// Plan returns what a run of an agent could do. It starts no run and asks no model; MCP
// servers and descriptions of tools are asked for what they offer.
func (h *Host) Plan(ctx context.Context, c memory.Caller, agent string, revision int, limits run.Limits) (Plan, error) {
	_, kept, err := h.agent(ctx, c, agent, revision)
	if err != nil {
		return Plan{}, err
	}
	return h.PlanOf(ctx, c, kept, limits)
}

// PlanOf is Plan for a definition, kept or not.
func (h *Host) PlanOf(ctx context.Context, c memory.Caller, kept aaif.KeptAgent, limits run.Limits) (Plan, error) {
	d := aaif.ReadDefinition(kept.Document)
	d.ID = kept.AgentID
	s, err := h.settings()
	if err != nil {
		return Plan{}, err
	}
	p, err := planOf(ctx, h, c, s, d, nil)
	if err != nil {
		return Plan{}, err
	}
	p.Agent, p.Limits = kept, s.Limits.Within(limits).Of(d.Agent)
	if j, ok := judgeOf(d, nil, s.operator(d.Agent)); ok {
		p.Judge = j.Target.String()
	}
	team, _ := teamOf(d, named(ctx, h, c, d)) // staffOf says what is wrong with it
	p.Notices, p.Reasons = h.ready(d, nil, kept, s, team)
	pins, _, err := staffOf(ctx, h, c, d, s)
	if err != nil {
		p.Reasons = errors.Join(p.Reasons, err)
	}
	seen := map[string]bool{d.ID: true}
	for _, pin := range pins {
		if pin.Remote != "" {
			p.Remote = append(p.Remote, pin.Remote)
			continue
		}
		if seen[pin.Agent] {
			continue
		}
		seen[pin.Agent] = true
		other, kept, err := h.agent(ctx, c, pin.Agent, pin.Revision)
		if err != nil {
			return Plan{}, err
		}
		plan, err := planOf(ctx, h, c, s, other, []aaif.Definition{d})
		if err != nil {
			return Plan{}, err
		}
		plan.Agent = kept
		p.Team = append(p.Team, plan)
	}
	return p, nil
}

// planOf returns the routes, the collector and the tools of an agent. over are the agents that it
// works for.
func planOf(ctx context.Context, h *Host, c memory.Caller, s Settings, d aaif.Definition, over []aaif.Definition) (p Plan, err error) {
	p.Routes = route.Decide(run.RoutesUnder(d, over, 0, h.opt.Now()), s.operator(d.Agent), nil)
	if d.Agent.Telemetry.Traces() {
		p.Traces, _ = s.collector(d) // a notice says why there is none
	}
	m, err := h.setupOf(ctx, s, d, over, nil, personOf(c.Owner, ""), subject{})
	if err != nil {
		return Plan{}, err
	}
	defer m.Close()
	gate := policy.NewGate(condition.NewCompiler(condition.Options{}), d, over...)
	for _, t := range m.Tools.Offered() {
		one := PlannedTool{Name: t.Name, Protocol: t.Of.Protocol, Endpoint: t.Of.Endpoint, Writes: !t.Nature.ReadOnly, Warnings: t.Warnings}
		if t.Missing != nil {
			one.Missing = string(t.Missing.Code) + ": " + t.Missing.Text
		}
		if v := gate.Judge(aaif.Call{Tool: t.Name, Arguments: canon.Object()}, t.Of.Protocol, t.Nature, canon.Value{}, canon.Value{}); v.Ask {
			one.Asks = v.Why
		}
		p.Tools = append(p.Tools, one)
	}
	return p, nil
}
