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
	o := s.operator(d.Agent)
	p := Plan{Agent: kept, Limits: s.Limits.Within(limits).Of(d.Agent), Routes: route.Decide(run.Routes(d, 0, h.opt.Now()), o, nil)}
	if j, ok := judgeOf(d, nil, o); ok {
		p.Judge = j.Target.String()
	}
	if d.Agent.Telemetry.Endpoint != "" && d.Agent.Telemetry.Traces() {
		if p.Traces, err = s.collector(d); err != nil {
			p.Traces = "" // a notice says why
		}
	}
	team, _ := teamOf(d, named(ctx, h, c, d)) // planned says what is wrong with it
	p.Notices, p.Reasons = h.ready(d, nil, kept, s, team)
	pins, others, err := planned(ctx, h, c, d, s)
	if err != nil {
		p.Reasons = errors.Join(p.Reasons, err)
	}
	for _, pin := range pins {
		if pin.Remote != "" {
			p.Remote = append(p.Remote, pin.Remote)
		}
	}
	for _, one := range others {
		other := aaif.ReadDefinition(one.Document)
		other.ID = one.AgentID
		o := s.operator(other.Agent)
		plan := Plan{Agent: one, Routes: route.Decide(run.RoutesUnder(other, []aaif.Definition{d}, 0, h.opt.Now()), o, nil)}
		if plan.Tools, err = plannedTools(ctx, h, c, other, []aaif.Definition{d}); err != nil {
			return Plan{}, err
		}
		if other.Agent.Telemetry.Endpoint != "" && other.Agent.Telemetry.Traces() {
			if plan.Traces, err = s.collector(other); err != nil {
				plan.Traces = ""
			}
		}
		p.Team = append(p.Team, plan)
	}
	p.Tools, err = plannedTools(ctx, h, c, d, nil)
	return p, err
}

// planned returns the agents that may come to work in a run.
func planned(ctx context.Context, h *Host, c memory.Caller, d aaif.Definition, s Settings) ([]run.Pin, []aaif.KeptAgent, error) {
	pins, _, reasons := staffOf(ctx, h, c, d, s)
	var all []aaif.KeptAgent
	seen := map[string]bool{d.ID: true}
	for _, pin := range pins {
		if pin.Remote != "" || seen[pin.Agent] {
			continue
		}
		seen[pin.Agent] = true
		_, kept, err := h.agent(ctx, c, pin.Agent, pin.Revision)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, kept)
	}
	return pins, all, reasons
}

// plannedTools returns the tools that an agent could call. over are the agents that it works for.
func plannedTools(ctx context.Context, h *Host, c memory.Caller, d aaif.Definition, over []aaif.Definition) (all []PlannedTool, err error) {
	m, err := h.setupOf(ctx, d, over, nil, string(c.Owner), reported{})
	if err != nil {
		return nil, err
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
		all = append(all, one)
	}
	return all, nil
}
