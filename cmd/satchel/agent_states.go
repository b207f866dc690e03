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
	Left       *leftOut `json:"left,omitempty"`         // who has it by now
	Issued     *leftOut `json:"token_issued,omitempty"` // for whom it may be on its way
	Warnings   []string `json:"warnings,omitempty"`
}

// leftOut says where a checkpoint went, for machines.
type leftOut struct {
	For string `json:"for"`
	To  string `json:"to,omitempty"`
	At  string `json:"at"`
}

func landedOutOf(l aaif.Landed) landedOut {
	out := landedOut{StateID: l.StateID, AgentID: l.AgentID, RunID: l.RunID, Status: string(l.Status), Source: l.Source,
		Checkpoint: agentTime(l.CheckpointAt), Received: agentTime(l.Received), Warnings: l.Warnings}
	left := &leftOut{l.Left.For, l.Left.To, agentTime(l.Left.At)}
	switch {
	case l.Left.At.IsZero():
	case l.Left.To == "":
		out.Issued = left
	default:
		out.Left = left
	}
	return out
}

// stands says in words how a checkpoint stands, and whether it is still to be gone on with
// here.
func (l landedOut) stands() string {
	switch {
	case l.Left != nil:
		return clean(l.Status) + ", left for " + oneLine(l.Left.For, 60) + " at " + clean(l.Left.At)
	case l.Issued != nil:
		return clean(l.Status) + ", token issued for " + oneLine(l.Issued.For, 60) + " at " + clean(l.Issued.At)
	}
	return clean(l.Status)
}

type agentStatesCmd struct {
	ID    string `arg:"" optional:"" help:"Only the checkpoints of this agent, by its id or the first characters of it."`
	Limit int    `help:"Show at most this many, newest first. Default: all." placeholder:"N"`
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
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", oneLine(l.StateID, 80), oneLine(l.AgentID, 80), l.stands(), clean(l.Checkpoint), oneLine(l.Source, 60))
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
