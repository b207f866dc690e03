package agentdoc

import (
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentRouteCmd struct {
	File     string `arg:"" help:"A definition, or - for standard input."`
	Operator string `required:"" help:"The operator's file: providers, their regions, models, prices and windows (docs/agents.md)." placeholder:"FILE"`
	Health   string `help:"A file of observations: which models are down, limited or slow. Default: none." placeholder:"FILE"`
	Explain  bool   `help:"Explain the decision for every route of the definition."`
	Turn     int    `help:"The number of earlier decisions, for round_robin." placeholder:"N"`
	At       string `help:"Decide as of this time. Default: now." placeholder:"T"`

	parentFlags
	held aaif.Rules // the rules that bind it
}

// Run prints the routes in the order of trial. Without a route it ends with status 4.
func (c *agentRouteCmd) Run(a *cli.App) error {
	if c.Turn < 0 {
		return cli.Usagef("--turn is 0 or more")
	}
	now := a.Now()
	if c.At != "" {
		at, err := time.Parse(time.RFC3339, c.At)
		if err != nil {
			return cli.Usagef("%q is not a time; write it as 2026-06-01T08:00:00Z", cli.Clean(c.At))
		}
		now = at
	}
	j, d, err := CheckFlags{}.definition(a, c.File)
	if err != nil {
		return err
	}
	operator, err := operatorTable(a, c.Operator)
	if err != nil {
		return err
	}
	observed := map[route.Target]route.Health{}
	if c.Health != "" {
		if observed, err = healthTable(a, c.Health, operator); err != nil {
			return err
		}
	}
	request := routeRequest(aaif.ReadDefinition(d.Value).Agent)
	request.Turn, request.Now = c.Turn, now
	if c.held, err = c.rules(a, j, c.File, aaif.ReadDefinition(d.Value).Agent); err != nil {
		return err
	}
	addRegions(&request, c.held)
	if words := operator.WeakJudge(aaif.ReadDefinition(d.Value).Agent.Evaluation.Judge, request.Chain); words != "" {
		a.Warn("%s", cli.Clean(words))
	}
	c.unnamed(a, operator, observed, request)
	return c.tell(a, route.Decide(request, operator, observed))
}

// mostUnnamed is the most unknown models of a health table that are named.
const mostUnnamed = 10

// unnamed warns of models in the health table that nothing names.
func (c *agentRouteCmd) unnamed(a *cli.App, o route.Operator, observed map[route.Target]route.Health, r route.Request) {
	var known []string
	for _, m := range o.Models {
		known = append(known, m.String())
	}
	for _, candidate := range r.Chain {
		known = append(known, candidate.String())
	}
	list := o.UnknownModels(observed, r.Chain)
	for _, t := range list[:min(len(list), mostUnnamed)] {
		asked := ""
		if m := codec.ClosestWord(t.String(), known); m != "" {
			asked = "; did you mean " + m + "?"
		}
		a.Warn("--health: nothing names the model %s, so that nobody looks at what was observed of it%s", cli.Clean(t.String()), cli.Clean(asked))
	}
}

// NoRoute says in a sentence why there is no route.
func NoRoute(plan route.Plan) string {
	if len(plan.Routes) == 0 {
		return "the definition names no model: /agent/model has neither a provider nor fallbacks [AAIF-4.2-1]"
	}
	return "no route of the definition can be tried"
}

func (c *agentRouteCmd) tell(a *cli.App, plan route.Plan) error {
	switch {
	case a.JSON:
		v := plan.Value()
		if plan.Code != "" {
			v = v.With("message", canon.String(NoRoute(plan)))
		}
		if len(c.Under) > 0 {
			v = v.With("held_to", c.held.Value())
		}
		if err := a.Emit(RawValue(v)); err != nil {
			return err
		}
	case c.Explain:
		if len(c.Under) > 0 {
			a.Print("held to: %s", cli.Clean(c.held.Words()))
		}
		for _, line := range plan.Words() {
			a.Print("%s", cli.Clean(line))
		}
	default:
		for _, r := range plan.Order {
			a.Print("%s", cli.Clean(r.Target.String()))
		}
	}
	switch {
	case len(plan.Order) > 0:
		return nil
	case len(plan.Routes) == 0:
		a.Warn("%s", NoRoute(plan))
	case !c.Explain:
		a.Warn("%s: %s; --explain says why", plan.Code, NoRoute(plan))
	}
	return cli.Silent(cli.ExitRefused)
}

// routeRequest returns a definition's request for routing (section 4.2). A custom
// fallback has the provider_id of the model.
func routeRequest(agent aaif.Agent) route.Request {
	m := agent.Model
	request := route.Request{Strategy: route.Strategy(m.Strategy), MinContext: m.MinContext, Residency: string(agent.Compliance.Residency)}
	target := func(provider, model string) route.Candidate {
		c := route.Candidate{Target: route.Target{Provider: provider, Model: model}}
		if provider == aaif.CustomProvider {
			c.Provider = m.ProviderID
		}
		if provider == aaif.CustomProvider || provider == m.Provider {
			c.BaseURL = m.BaseURL // whatever provider it names
		}
		return c
	}
	if m.Provider != "" || m.Preferred != "" {
		request.Chain = append(request.Chain, target(m.Provider, m.Preferred))
	}
	for _, f := range m.Fallbacks {
		c := target(f.Provider, f.Model)
		c.MaxCost = f.MaxCost
		request.Chain = append(request.Chain, c)
	}
	return request
}
