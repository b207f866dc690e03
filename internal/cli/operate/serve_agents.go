package operate

import (
	"cmp"
	"net"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agent"
	"github.com/satchel-memory/satchel/internal/cli/conform"
	runhost "github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/server"
)

// agents lets a server accept agents and their states (AAIF 7 and 8) and run agents, unless
// the options forbid it.
func (c *ServeCmd) agents(a *cli.App, o *cli.Session, at net.Addr, settings *server.Options) error {
	if !c.Agents {
		return nil
	}
	keeper, err := agent.Keeper(o, a, c.Platform, cmp.Or(c.IssuerURL, c.scheme()+"://"+c.reachedAt(at)), func(s *agents.Options) {
		s.Signed, s.Active, s.Unbound = c.AgentsSigned, c.AgentsActive, c.AgentsLoose
		s.Plain, s.ReadOnly = c.AgentsLocal, c.ReadOnly
		s.Shown = func() (aaif.Evidence, error) { return conform.ReadShown(o, s.Platform) }
	})
	if err != nil {
		return err
	}
	settings.Agents, settings.Handoffs = keeper, server.Handoffs{Local: c.AgentsLocal}
	owned, err := agent.RunSettings(o, a, agent.RunFiles{})
	if err != nil {
		return err
	}
	settings.Runs = server.Runs{Most: c.AgentsAtOnce, OnArrival: c.OnArrival, Rules: keeper.Policy, Host: runhost.New(runhost.Options{
		Vault: o.Vault, Agents: keeper, Settings: owned, Fresh: func() (runhost.Settings, error) { return agent.RunSettings(o, a, agent.RunFiles{}) }, Now: a.Now, Log: settings.Log, Release: cli.Release(), Platform: cmp.Or(c.Platform, o.Config.CurrentProducer().Name), Queues: c.queues(),
	})}
	return nil
}

// queues returns the queues whose runs the server executes; nil: all.
func (c *ServeCmd) queues() []string {
	if slices.Contains(c.Queues, noQueue) {
		return append(slices.Clone(c.Queues), "")
	}
	return c.Queues
}

// noQueue stands for the runs that have no queue.
const noQueue = "default"
