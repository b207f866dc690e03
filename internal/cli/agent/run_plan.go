package agent

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run/host"
)

// planOut is what a run could do, for JSON.
type planOut struct {
	AgentID string             `json:"agent_id"`
	Name    string             `json:"name"`
	CanRun  bool               `json:"can_run"`
	Reasons []agentdoc.Finding `json:"reasons"` // why not, as the definition has it
	Lacks   []string           `json:"lacks"`   // why not, as this machine has it
	Routes  []string           `json:"routes"`
	Judge   string             `json:"judge,omitempty"`
	Tools   []plannedToolOut   `json:"tools"`
	Team    []plannedAgentOut  `json:"team,omitempty"` // the other agents that may work in the run
	Notices []string           `json:"notices"`
	Limits  limitsOut          `json:"limits"`
	Leaves  []string           `json:"leaves_for"` // the hosts that something goes to
}

// plannedAgentOut is an agent that may work in a run.
type plannedAgentOut struct {
	AgentID  string           `json:"agent_id"` // or the address of its card
	In       []string         `json:"in"`       // the names of the subagents that lead to it
	Name     string           `json:"name,omitempty"`
	Revision int              `json:"revision,omitempty"`
	Routes   []string         `json:"routes,omitempty"`
	Tools    []plannedToolOut `json:"tools,omitempty"`
}

type plannedToolOut struct {
	Name     string   `json:"name"`
	Protocol string   `json:"protocol"`
	Endpoint string   `json:"endpoint,omitempty"`
	Writes   bool     `json:"writes"`
	Unused   bool     `json:"unused,omitempty"` // only the subagents of its agent work
	Asks     string   `json:"asks,omitempty"`
	Missing  string   `json:"missing,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

type limitsOut struct {
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
	Call    float64 `json:"call_seconds"`
	USD     float64 `json:"usd"`
	Tokens  int     `json:"tokens"`
	Wait    float64 `json:"approval_seconds"`
}

// plan shows what a run of an agent could do. It ends with status 4 if the agent cannot
// run here.
func (c *agentRunCmd) plan(e *engine, kept aaif.KeptAgent) error {
	a := e.app
	p, err := e.Plan(a.Ctx, e.opened.Caller(), kept, c.limits())
	if err != nil {
		return err
	}
	out := c.planOut(e, p)
	if a.JSON {
		err = a.Emit(out)
	} else {
		out.show(a, p)
	}
	if err == nil && !out.CanRun {
		err = cli.Silent(cli.ExitRefused)
	}
	return err
}

func (c *agentRunCmd) planOut(e *engine, p host.Plan) planOut {
	l := p.Limits
	out := planOut{AgentID: p.Agent.AgentID, Name: p.Agent.Name, Reasons: agentdoc.Findings(agentdoc.Violations(p.Reasons)), Judge: p.Judge,
		Lacks: []string{}, Notices: []string{}, Leaves: []string{},
		Limits: limitsOut{l.Turns, l.Active.Seconds(), l.Call.Seconds(), l.USD, l.Tokens, l.Wait.Seconds()}}
	out.Routes, out.Tools = c.work(e, &out, p)
	for _, one := range p.Team {
		if one.Remote != "" {
			out.Team = append(out.Team, plannedAgentOut{AgentID: one.Remote, In: one.In})
			out.leaves(hostIn(one.Remote))
			continue
		}
		agent := plannedAgentOut{AgentID: one.Agent.AgentID, In: one.In, Name: one.Agent.Name, Revision: one.Agent.Revision}
		agent.Routes, agent.Tools = c.work(e, &out, one)
		out.leaves(hostIn(one.Traces))
		out.Team = append(out.Team, agent)
	}
	out.leaves(hostIn(p.Traces))
	for _, n := range p.Notices {
		out.Notices = append(out.Notices, n.String())
	}
	out.CanRun = p.Reasons == nil && len(out.Lacks) == 0
	return out
}

// work returns the models and tools of an agent, and adds what keeps it from working and where
// its data goes.
func (c *agentRunCmd) work(e *engine, out *planOut, p host.Plan) (routes []string, tools []plannedToolOut) {
	routes, tools = []string{}, []plannedToolOut{}
	if !p.Leads {
		for _, r := range p.Routes.Order {
			routes = append(routes, r.Target.String())
			if c.Model == "" {
				out.leaves(e.hostOf(r.Candidate))
			}
		}
		if len(routes) == 0 {
			out.Lacks = append(out.Lacks, e.noRoute(p.Routes)...)
		}
	}
	for _, t := range p.Tools {
		tools = append(tools, plannedToolOut{t.Name, string(t.Protocol), t.Endpoint, t.Writes, p.Leads, t.Asks, t.Missing, t.Warnings})
		switch {
		case t.Missing == "" && t.Protocol != aaif.FunctionTool && t.Protocol != "" && !p.Leads:
			out.leaves(hostIn(t.Endpoint))
		case t.Missing != "" && !c.Ungranted && !p.Leads && strings.HasPrefix(t.Missing, "TOOL_NOT_GRANTED"):
			out.Lacks = append(out.Lacks, "the tool "+t.Name+" is not granted: satchel agent grant "+shellWord(p.Agent.AgentID)+" "+shellWord(t.Name))
		}
	}
	return routes, tools
}

// leaves adds a host that data goes to.
func (p *planOut) leaves(host string) {
	if host != "" && !slices.Contains(p.Leaves, host) {
		p.Leaves = append(p.Leaves, host)
	}
}

// hostIn returns the host of an address, "" if it names none, as those of MCP servers do.
func hostIn(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.Host
}

// hostOf returns the host at which the model of a route is asked.
func (e *engine) hostOf(c route.Candidate) string {
	to, _ := e.settings.Models.Destination(c)
	if to.Address != "" {
		return hostIn(to.Address)
	}
	return "the address of " + c.Provider
}

// noRoute says why no model can be asked.
func (e *engine) noRoute(plan route.Plan) []string {
	lines := []string{agentdoc.NoRoute(plan)}
	var asked []string
	for _, r := range plan.Routes {
		if !e.settings.DefaultProviders || slices.Contains(asked, r.Provider) {
			continue
		}
		asked = append(asked, r.Provider)
		if _, err := e.settings.Keys.Key(r.Provider); err != nil {
			lines = append(lines, err.Error())
		}
	}
	if len(lines) == 1 {
		lines = append(lines, plan.Words()...)
	}
	return lines
}

// show prints a plan.
func (p planOut) show(a *cli.App, plan host.Plan) {
	a.Print("agent %s, revision %d: %s", cli.OneLine(p.AgentID, 80), plan.Agent.Revision, cli.OneLine(p.Name, 80))
	showRoutes(a, "", p.Routes, plan.Leads)
	if p.Judge != "" {
		a.Print("judge      %s", cli.OneLine(p.Judge, 100))
	}
	for _, t := range p.Tools {
		t.show(a, "")
	}
	for i, one := range p.Team {
		indent := strings.Repeat("  ", len(one.In))
		alias := cli.OneLine(one.In[len(one.In)-1], 60)
		if plan.Team[i].Remote != "" {
			a.Print("%sworks too  %s: elsewhere, %s", indent, alias, cli.OneLine(one.AgentID, 200))
			continue
		}
		a.Print("%sworks too  %s: agent %s %s", indent, alias, cli.OneLine(one.AgentID, 200), cli.OneLine(one.Name, 80))
		showRoutes(a, indent, one.Routes, plan.Team[i].Leads)
		for _, t := range one.Tools {
			t.show(a, indent)
		}
	}
	l := plan.Limits
	a.Print("limits     %s, %s of work, %s for a call, $%s, %d tokens of unknown price, %s for an approval", cli.Plural(l.Turns, "turn", "turns"), l.Active, l.Call, usd(l.USD), l.Tokens, l.Wait)
	if len(p.Leaves) == 0 {
		a.Print("leaves     nothing leaves this machine, but what its functions and MCP servers send")
	} else {
		a.Print("leaves     for %s: what the agent is told, and what its tools are called with", cli.OneLine(strings.Join(p.Leaves, ", "), 400))
	}
	for _, line := range p.Notices {
		a.Print("reports    %s", cli.OneLine(line, 400))
	}
	for _, f := range p.Reasons {
		a.Print("cannot run %s  %s: %s [%s]", f.Code, cli.OneLine(cmp.Or(f.Pointer, "the document"), 100), cli.OneLine(f.Message, 400), f.Rule)
	}
	for _, line := range p.Lacks {
		a.Print("cannot run %s", cli.OneLine(line, 400))
	}
}

// showRoutes prints the models that an agent asks.
func showRoutes(a *cli.App, indent string, routes []string, leads bool) {
	if leads {
		a.Print("%smodel      none: only its subagents work", indent)
	}
	for i, r := range routes {
		a.Print("%smodel      %d. %s", indent, i+1, cli.OneLine(r, 100))
	}
}

func (t plannedToolOut) show(a *cli.App, indent string) {
	words := "reads only"
	if t.Writes {
		words = "may write"
	}
	switch {
	case t.Missing != "":
		words = "not there: " + cli.OneLine(t.Missing, 300)
	case t.Unused:
		words = "not called: only the subagents of its agent work"
	case t.Asks != "":
		words += "; a person is asked, as far as is known without arguments: " + cli.OneLine(t.Asks, 200)
	case t.Writes:
		words += "; its arguments decide whether a person is asked, or nobody is"
	}
	a.Print("%stool       %s", indent, toolWords(aaif.Tool{Name: t.Name, Protocol: aaif.Protocol(t.Protocol), Endpoint: t.Endpoint}))
	a.Print("%s           %s", indent, words)
	for _, w := range t.Warnings {
		a.Print("%s           warning: %s", indent, cli.OneLine(w, 300))
	}
}
