package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

// landedOut is a checkpoint as the store has it, for machines: nothing of what it is
// about.
type landedOut struct {
	StateID    string   `json:"state_id"`
	AgentID    string   `json:"agent_id"`
	RunID      string   `json:"run_id,omitempty"`
	Status     string   `json:"status"`
	Source     string   `json:"source_platform,omitempty"`
	Checkpoint string   `json:"checkpoint_at,omitempty"`
	Received   string   `json:"received_at,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
}

func landedOutOf(l aaif.Landed) landedOut {
	return landedOut{l.StateID, l.AgentID, l.RunID, string(l.Status), l.Source, agentTime(l.CheckpointAt), agentTime(l.Received), l.Warnings}
}

type agentStatesCmd struct {
	ID    string `arg:"" optional:"" help:"Only those of the agent of this id, or of the one whose id begins so."`
	Limit int    `help:"At most so many, the newest. Default: all." placeholder:"N"`
}

// Run lists checkpoints, the newest first.
func (c *agentStatesCmd) Run(a *app) error {
	if c.Limit < 0 {
		return usagef("--limit is a number of checkpoints, such as 20")
	}
	return a.keeping(reading, func(o *opened, s *agents.Service) error {
		id, err := c.agent(a, o, s)
		if err != nil {
			return err
		}
		list, err := a.statesOf(o, s, id, c.Limit)
		if err != nil {
			return err
		}
		all := []landedOut{}
		for _, l := range list {
			all = append(all, landedOutOf(l))
		}
		if a.json {
			return a.emit(all)
		}
		if len(all) == 0 {
			of := ""
			if id != "" {
				of = " of agent " + oneLine(id, 80)
			}
			a.say("no checkpoint%s is kept here; satchel agent state add FILE takes one in, and so does a server", of)
		}
		table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, l := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", oneLine(l.StateID, 80), oneLine(l.AgentID, 80), clean(l.Status), clean(l.Checkpoint), oneLine(l.Source, 60))
		}
		return table.Flush()
	})
}

// agent returns the id of the agent whose checkpoints are listed, and "" for all.
func (c *agentStatesCmd) agent(a *app, o *opened, s *agents.Service) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	k, err := a.agentKept(o, s, c.ID, 0)
	return k.AgentID, err
}
