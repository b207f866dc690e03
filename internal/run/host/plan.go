package host

import (
	"context"

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
	p.Notices, p.Reasons = h.ready(d, nil, kept, s)
	m, err := h.setupOf(ctx, d, nil, nil, string(c.Owner), reported{})
	if err != nil {
		return Plan{}, err
	}
	defer m.Close()
	gate := policy.NewGate(condition.NewCompiler(condition.Options{}), d)
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
