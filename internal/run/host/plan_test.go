package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// plan returns the plan of a run of the agent, which leads in a crew.
func (p *place) plan(limits run.Limits) host.Plan {
	p.T.Helper()
	kept, err := p.agents.Agent(p.Ctx, p.Me(), agentID, 0)
	if err != nil {
		p.T.Fatal(err)
	}
	plan, err := p.Plan(p.Ctx, p.Me(), kept, limits)
	if err != nil {
		p.T.Fatal(err)
	}
	return plan
}

// TestPlanOfTeam: a plan shows the agents as they work for each other, and whose own model is
// asked.
func TestPlanOfTeam(t *testing.T) {
	t.Parallel()
	c := gather(t, nil)
	c.agent("w1", "tools:pay")
	c.agent("w2")
	c.agent("swarm", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2")))
	c.agent("lead", "tools:book", `"model":{"provider":"mistral","preferred":"large"}`, orchestration(`"role":"orchestrator"`, subs("swarm", "w2"), `"pipeline":["swarm","w2"]`))
	p := c.plan(run.Limits{})
	var team []string
	for _, one := range p.Team {
		team = append(team, fmt.Sprint(strings.Join(one.In, "/"), " ", one.Leads, " ", len(one.Tools)))
	}
	if want := []string{"swarm false 0", "swarm/w1 false 1", "swarm/w2 false 0"}; !slices.Equal(team, want) {
		t.Errorf("got %q", team)
	}
	if !p.Leads || p.Reasons != nil {
		t.Errorf("it leads: %v; it cannot run: %v", p.Leads, p.Reasons)
	}
}

// TestPlanSaysWhatEndsARun: what ends a run at its first turn is told before it starts.
func TestPlanSaysWhatEndsARun(t *testing.T) {
	t.Parallel()
	const reads, broken = `"context":[{"type":"text","value":"Be kind."},{"type":"url","label":"Norms","value":"https://wiki.example/norms"},{"type":"url","value":"https://wiki.example/other"}]`,
		`"io":{"output_schema":{"$ref":"https://schemas.example/out.json"}}`
	for level, strict := range map[string]bool{"standard": false, "strict": true} {
		safety := `"compliance":{"safety_level":"` + level + `"}`
		away := func(t *testing.T) *crew {
			c := gather(t, nil)
			c.set(func(s *host.Settings) {
				s.Fetch = func(context.Context, string) ([]byte, string, error) { return nil, "", errors.New("it is down") }
			})
			c.options.Models = c.voices
			c.Host = host.New(c.options)
			return c
		}
		says := func(t *testing.T, p host.Plan, at string, reasons int) {
			t.Helper()
			told := 0
			for _, n := range p.Notices {
				if strings.Contains(n.String(), at) {
					told++
				}
			}
			if !strict {
				reasons, told = 0, told-reasons
			}
			if n := strings.Count(fmt.Sprint(p.Reasons), at); n != reasons || told != 0 {
				t.Errorf("%d reasons and %d notices too many: %v, %v", n, told, p.Reasons, p.Notices)
			}
		}
		t.Run("AAIF-4-17 context that cannot be read, at "+level, func(t *testing.T) {
			c := away(t)
			c.agent("lead", reads, safety)
			says(t, c.plan(run.Limits{}), "/agent/context/", 2)
		})
		t.Run("AAIF-4-17 context of a subagent that cannot be read, at "+level, func(t *testing.T) {
			c := away(t)
			c.agent("a", reads, safety)
			c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`))
			p := c.plan(run.Limits{})
			says(t, p, "/agent/context/", 2)
			if strict && strings.Count(fmt.Sprint(p.Reasons), "the agent a: ") != 2 {
				t.Errorf("nobody says whose it is: %v", p.Reasons)
			}
		})
		t.Run("AAIF-4-17 context that nobody reads, as only the subagents work, at "+level, func(t *testing.T) {
			c := away(t)
			c.agent("a")
			c.agent("lead", "tools:pay", reads, safety, orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`))
			if p := c.plan(run.Limits{}); p.Reasons != nil {
				t.Errorf("got %v", p.Reasons)
			}
		})
		t.Run("AAIF-7-6 a tool that is not there, at "+level, func(t *testing.T) {
			c := gather(t, nil)
			c.set(func(s *host.Settings) { s.Tools.Grants = nil })
			c.agent("a", "tools:pay")
			c.agent("lead", safety, orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`))
			if p := c.plan(run.Limits{}); (p.Reasons != nil) != strict || strict && !strings.Contains(p.Reasons.Error(), "/agent/tools/0: the agent a: pay: ") {
				t.Errorf("got %v", p.Reasons)
			}
		})
		t.Run("AAIF-4-18 a schema that refers elsewhere, at "+level, func(t *testing.T) {
			c := gather(t, nil)
			c.agent("lead", broken, safety)
			if p := c.plan(run.Limits{}); aaif.CodeOf(p.Reasons) != aaif.SchemaUnusable {
				t.Errorf("got %v", p.Reasons)
			}
		})
		t.Run("AAIF-4.3-2 a subagent elsewhere that nobody lists, at "+level, func(t *testing.T) {
			const card = "https://far.example/.well-known/agent-card.json"
			c, far := gather(t, nil), &remoteAgents{}
			c.options.Remote = far
			c.Host = host.New(c.options)
			c.agent("lead", orchestration(`"role":"orchestrator"`, `"subagents":[{"ref":"`+card+`","alias":"far"}]`, `"pipeline":["far"]`))
			if p := c.plan(run.Limits{}); aaif.CodeOf(p.Reasons) != aaif.SubagentUnresolved || len(p.Team) != 0 {
				t.Errorf("got %v, %+v", p.Reasons, p.Team)
			}
			if _, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")}); aaif.CodeOf(err) != aaif.SubagentUnresolved {
				t.Errorf("it starts: %v", err)
			}
			c.set(func(s *host.Settings) { s.Tools.Agents = []tool.Elsewhere{{Card: card}} })
			c.options.Models = c.voices
			c.Host = host.New(c.options)
			if p := c.plan(run.Limits{}); p.Reasons != nil || len(p.Team) != 1 || p.Team[0].Remote != card {
				t.Errorf("got %v, %+v", p.Reasons, p.Team)
			}
		})
	}
}
