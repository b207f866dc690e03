package operate

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agent"
	"github.com/satchel-memory/satchel/internal/cli/conform"
	"github.com/satchel-memory/satchel/internal/cli/otel"
	runhost "github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/server"
)

// agents lets a server accept agents and their states (AAIF 7 and 8) and run agents, unless
// the options forbid it.
func (c *ServeCmd) agents(a *cli.App, o *cli.Session, at net.Addr, settings *server.Options) error {
	if !c.Agents {
		return nil
	}
	url := cmp.Or(c.IssuerURL, c.scheme()+"://"+c.reachedAt(at))
	keeper, err := agent.Keeper(o, a, c.Platform, url, func(s *agents.Options) {
		s.Signed, s.Active, s.Unbound = c.AgentsSigned, c.AgentsActive, c.AgentsLoose
		s.Plain, s.ReadOnly = c.AgentsLocal, c.ReadOnly
		s.Fresh = agent.Running(o, a)
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
		Vault: o.Vault, Agents: keeper, Settings: owned, Fresh: func() (runhost.Settings, error) { return agent.RunSettings(o, a, agent.RunFiles{}) }, Now: a.Now, Log: settings.Log, Remote: agent.Elsewhere(o, a), Spans: settings.Telemetry.Runs(), Release: cli.Release(), Platform: cmp.Or(c.Platform, o.Config.CurrentProducer().Name), Queues: c.queues(), Triggers: agent.RunTriggers(o, a),
	})}
	settings.Served = server.Served{Agents: c.A2A, Keeper: keeper, URL: strings.TrimSuffix(url, "/")}
	for _, id := range c.A2A {
		if _, err := keeper.Agent(a.Ctx, o.Caller(), id, 0); err != nil {
			return fmt.Errorf("--a2a %s: %w; satchel agent list shows the ids", cli.Clean(id), err)
		}
	}
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

// closeRuns sends the spans of runs that are left to the collectors of definitions.
func closeRuns(h *runhost.Host) {
	if h != nil {
		otel.Within(h.Close)
	}
}
