package agent

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// isHere reports whether an address is one of this machine.
func isHere(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// ungranted returns the tools of a definition that the operator's table does not let the
// agent use, no part of them (AAIF-12-2).
func ungranted(o tool.Operator, d aaif.Definition) []aaif.Tool {
	return slices.DeleteFunc(slices.Clone(d.Agent.Tools), func(t aaif.Tool) bool {
		return slices.ContainsFunc(o.Grants, func(g tool.Grant) bool { return g.Lets(d.ID, t) })
	})
}

// toolWords says in a line what a tool of a definition is.
func toolWords(t aaif.Tool) string {
	protocol := t.Protocol
	if protocol == "" {
		protocol = aaif.FunctionTool
	}
	words := fmt.Sprintf("%s (%s", cli.OneLine(t.Name, 80), cli.OneLine(string(protocol), 20))
	if t.Endpoint != "" {
		words += " " + cli.OneLine(t.Endpoint, 200)
	}
	return words + ")"
}

type agentGrantCmd struct {
	Agent  string   `arg:"" help:"The agent's id, or its first characters; * for every agent."`
	Tool   []string `arg:"" help:"Names of tools of its definition; * for all of them. A tool of an MCP server is NAME__TOOL."`
	Revoke bool     `help:"Take the grants of these tools back."`
}

// Run edits the grants in the table of tools (AAIF-12-2).
func (c *agentGrantCmd) Run(a *cli.App) error {
	return withKeeper(a, cli.Reading, func(o *cli.Session, s *agents.Service) error {
		id := c.Agent
		var tools []aaif.Tool
		if id != tool.Anything {
			k, err := agentKept(a, o, s, c.Agent, 0)
			if err != nil {
				return err
			}
			id = k.AgentID
			tools = aaif.ReadDefinition(k.Document).Agent.Tools
			if err := c.known(tools); err != nil {
				return err
			}
		}
		granted, err := grant(a, o.Home, id, tools, c.Tool, c.Revoke)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"agent": id, "tools": cli.OrEmpty(granted), "file": runPath(o.Home, toolsFile)})
		}
		if len(granted) == 0 {
			a.Print("agent %s may use no tool", cli.OneLine(id, 80))
			return nil
		}
		a.Print("agent %s may use %s", cli.OneLine(id, 80), cli.OneLine(strings.Join(granted, ", "), 400))
		return nil
	})
}

// known refuses tools that the definition does not have, since nobody would notice a
// misspelled one before a run lacks it.
func (c *agentGrantCmd) known(tools []aaif.Tool) error {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	for _, name := range c.Tool {
		entry, _, _ := strings.Cut(name, "__")
		if !c.Revoke && name != tool.Anything && !slices.Contains(names, name) && !slices.Contains(names, entry) {
			return cli.Usagef("the agent has no tool %s; it has %s", cli.OneLine(name, 80), cli.OneLine(strings.Join(names, ", "), 400))
		}
	}
	return nil
}

// grant lets an agent use tools, or no more, and returns those that it may use. It writes
// the home's table of tools, wholly or not at all. tools are those of its definition: where
// they lead is part of the grant.
func grant(a *cli.App, h cli.Home, agent string, tools []aaif.Tool, names []string, revoke bool) (now []string, err error) {
	err = cli.InTurn(runPath(h, toolsFile), func() error {
		now, err = regrant(a, h, agent, tools, names, revoke)
		return err
	})
	return now, err
}

func regrant(a *cli.App, h cli.Home, agent string, tools []aaif.Tool, names []string, revoke bool) ([]string, error) {
	path := runPath(h, toolsFile)
	table := canon.Object()
	if cli.Exists(path) {
		v, err := agentdoc.TreeFor(a, "--tools", path)
		if err != nil {
			return nil, err
		}
		table = v
	}
	o, err := tool.ReadOperator(table)
	if err != nil {
		return nil, agentdoc.InFile("--tools", path, err)
	}
	var kept []canon.Value
	var now []string
	for i, g := range o.Grants {
		if g.Agent == agent {
			now = append(now, g.Tools...)
		} else {
			kept = append(kept, table.Get("grants").Items()[i])
		}
	}
	now = slices.DeleteFunc(now, func(name string) bool { return slices.Contains(names, name) })
	if !revoke {
		now = append(now, names...)
	} else if slices.Contains(names, tool.Anything) {
		now = nil
	}
	if len(now) > 0 {
		kept = append(kept, grantOf(agent, tools, now))
	}
	return now, putRunFile(path, agentdoc.JSON(table.With("grants", canon.Array(kept...))))
}

// mayUseTools offers to grant the tools of a definition that are not granted, or says how.
func mayUseTools(a *cli.App, h cli.Home, o *tool.Operator, d aaif.Definition, ownTable bool) error {
	lacking := ungranted(*o, d)
	if len(lacking) == 0 {
		return nil
	}
	var names []string
	for _, t := range lacking {
		names = append(names, t.Name)
		a.Say("not granted: %s", toolWords(t))
	}
	if ownTable || !a.Interactive() || a.JSON {
		how := "satchel agent grant " + shellWord(d.ID) + " " + strings.Join(names, " ")
		if ownTable {
			how = "add to grants in the table of tools: " + string(grantOf(d.ID, d.Agent.Tools, names).Append(nil))
		}
		return cli.Refusedf("%s: the agent may not use %s yet; %s lets it [AAIF-12-2]; --ungranted runs it without them", tool.NotGranted, cli.OneLine(strings.Join(names, ", "), 400), cli.Clean(how))
	}
	yes, err := a.Confirm("Let agent " + cli.OneLine(d.ID, 80) + " use " + cli.OneLine(strings.Join(names, ", "), 400) + "?")
	if err != nil {
		return err
	}
	if !yes {
		return cli.Refusedf("%s: nothing was started; --ungranted runs it without these tools [AAIF-12-2]", tool.NotGranted)
	}
	if _, err := grant(a, h, d.ID, d.Agent.Tools, names, false); err != nil {
		return err
	}
	o.Grants = append(o.Grants, tool.Grant{Agent: d.ID, Tools: names})
	return nil
}

// grantOf is a grant as the table of tools has it, with where the tools lead now.
func grantOf(agent string, tools []aaif.Tool, names []string) canon.Value {
	var list []canon.Value
	for _, name := range names {
		list = append(list, canon.String(name))
	}
	ends := canon.Object()
	for _, t := range tools {
		granted := tool.Grant{Agent: agent, Tools: names}.Lets(agent, t)
		if granted && t.Endpoint != "" {
			ends = ends.With(t.Name, canon.String(t.Endpoint))
		}
	}
	g := agentdoc.ObjectOf("agent", canon.String(agent), "tools", canon.Array(list...))
	if ends.Len() > 0 {
		g = g.With("endpoints", ends)
	}
	return g
}
