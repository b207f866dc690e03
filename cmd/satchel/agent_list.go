package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
)

// agentTime writes a time for machines; the zero time is "".
func agentTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

type agentListCmd struct{}

// Run lists the newest revision of every agent that is kept.
func (c *agentListCmd) Run(a *app) error {
	return a.keeping(reading, func(o *opened, s *agents.Service) error {
		all := []agentOut{}
		for after := ""; ; {
			page, err := s.Agents(a.ctx, o.owner(), after, 0)
			if err != nil {
				return err
			}
			for _, k := range page {
				all, after = append(all, agentOutOf(k)), k.AgentID
			}
			if len(page) == 0 {
				break
			}
		}
		if a.json {
			return a.emit(all)
		}
		if len(all) == 0 {
			a.say("no agent is kept here; satchel agent add FILE takes one in")
		}
		table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, k := range all {
			fmt.Fprintf(table, "%s\t%d\t%s\t%s%s\n", oneLine(k.AgentID, 80), k.Revision, clean(k.Status), oneLine(k.Name, 60), k.why())
		}
		return table.Flush()
	})
}

// why says of an agent whether it could be run here, and for want of what it cannot.
func (k agentOut) why() string {
	if len(k.CannotRun) == 0 {
		return "  (lacks nothing here)"
	}
	return "  (kept, cannot run here: " + clean(strings.Join(k.CannotRun, "; ")) + ")"
}

// agentPlace says where a kept document goes.
type agentPlace struct {
	Output string `short:"o" help:"Where it goes, as CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`
	CBOR   bool   `name:"cbor" help:"As CBOR, whatever the name."`

	overFlags
}

// put writes a document.
func (p agentPlace) put(a *app, v canon.Value) error {
	form := ""
	if p.CBOR {
		form = formCBOR
	}
	return a.putDocument(placement{p.Output, form, p.overFlags}, v)
}

type agentGetCmd struct {
	ID       string `arg:"" help:"The agent's id, as satchel agent list shows it, or the beginning of it."`
	Revision int    `help:"This revision. Default: the newest." placeholder:"N"`

	agentPlace
}

// Run gives a definition away as it is kept, so that its signature holds.
func (c *agentGetCmd) Run(a *app) error {
	if c.Revision < 0 {
		return usagef("revisions are counted from 1")
	}
	return a.keeping(reading, func(o *opened, s *agents.Service) error {
		k, err := a.agentKept(o, s, c.ID, c.Revision)
		if err != nil {
			return err
		}
		if len(k.CannotRun) > 0 {
			a.say("kept, cannot run here: %s", clean(strings.Join(k.CannotRun, "; ")))
		}
		return c.put(a, k.Document)
	})
}

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
