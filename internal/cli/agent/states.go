package agent

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
)

// stateOut is a checkpoint in the store, for JSON, without its content.
type stateOut struct {
	StateID    string        `json:"state_id"`
	AgentID    string        `json:"agent_id"`
	RunID      string        `json:"run_id,omitempty"`
	Status     string        `json:"status"`
	Source     string        `json:"source_platform,omitempty"`
	Checkpoint string        `json:"checkpoint_at,omitempty"`
	Received   string        `json:"received_at,omitempty"`
	Left       *departureOut `json:"left,omitempty"`         // the platform that has it
	Issued     *departureOut `json:"token_issued,omitempty"` // the platform that may get it
	Warnings   []string      `json:"warnings,omitempty"`
}

// departureOut says where a checkpoint went, for JSON.
type departureOut struct {
	For string `json:"for"`
	To  string `json:"to,omitempty"`
	At  string `json:"at"`
}

func landedOutOf(l aaif.KeptState) stateOut {
	out := stateOut{StateID: l.StateID, AgentID: l.AgentID, RunID: l.RunID, Status: string(l.Status), Source: l.Source,
		Checkpoint: agentTime(l.CheckpointAt), Received: agentTime(l.Received), Warnings: l.Warnings}
	left := &departureOut{l.Left.For, l.Left.To, agentTime(l.Left.At)}
	switch {
	case l.Left.At.IsZero():
	case l.Left.To == "":
		out.Issued = left
	default:
		out.Left = left
	}
	return out
}

// stands describes the status of a checkpoint, and whether it left.
func (l stateOut) stands() string {
	switch {
	case l.Left != nil:
		return cli.Clean(l.Status) + ", left for " + cli.OneLine(l.Left.For, 60) + " at " + cli.Clean(l.Left.At)
	case l.Issued != nil:
		return cli.Clean(l.Status) + ", token issued for " + cli.OneLine(l.Issued.For, 60) + " at " + cli.Clean(l.Issued.At)
	}
	return cli.Clean(l.Status)
}

type agentStatesCmd struct {
	ID    string `arg:"" optional:"" help:"Only the checkpoints of this agent or this run, by its id or the first characters of it."`
	Limit int    `help:"Show at most this many, newest first. Default: all." placeholder:"N"`
}

// Run lists checkpoints, newest first.
func (c *agentStatesCmd) Run(a *cli.App) error {
	if c.Limit < 0 {
		return cli.Usagef("--limit is a number of checkpoints, such as 20")
	}
	return withKeeper(a, cli.Reading, func(o *cli.Session, s *agents.Service) error {
		id, run, err := c.agent(a, o, s)
		if err != nil {
			return err
		}
		list, err := c.list(a, o, s, id, run)
		if err != nil {
			return err
		}
		all := []stateOut{}
		for _, l := range list {
			all = append(all, landedOutOf(l))
		}
		if a.JSON {
			return a.Emit(all)
		}
		if len(all) == 0 {
			of := ""
			if id != "" {
				of = " of agent " + cli.OneLine(id, 80)
			}
			a.Say("no checkpoint%s is kept here; satchel agent state add FILE takes one in, and so does a server", of)
		}
		table := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
		for _, l := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", cli.OneLine(l.StateID, 80), cli.OneLine(l.AgentID, 80), l.stands(), cli.Clean(l.Checkpoint), cli.OneLine(l.Source, 60))
		}
		return table.Flush()
	})
}

// list returns the checkpoints of an agent, of all agents, or of a run.
func (c *agentStatesCmd) list(a *cli.App, o *cli.Session, s *agents.Service, id, run string) ([]aaif.KeptState, error) {
	if run == "" {
		return statesOf(a, o, s, id, c.Limit)
	}
	var list []aaif.KeptState
	err := forEachState(a, o, s, func(l aaif.KeptState) bool {
		if strings.HasPrefix(strings.ToLower(l.RunID), run) {
			list = append(list, l)
		}
		return c.Limit == 0 || len(list) < c.Limit
	})
	return list, err
}

// agent returns the id of the agent whose checkpoints to list, "" for all; or the beginning
// of the id of a run of which there are checkpoints.
func (c *agentStatesCmd) agent(a *cli.App, o *cli.Session, s *agents.Service) (id, run string, err error) {
	if c.ID == "" {
		return "", "", nil
	}
	k, err := agentKept(a, o, s, c.ID, 0)
	if !isNotKept(err) {
		return k.AgentID, "", err
	}
	beginning := strings.ToLower(c.ID)
	list, failed := c.list(a, o, s, "", beginning)
	if failed != nil || len(list) > 0 {
		return "", beginning, failed
	}
	return "", "", err
}

// statesOf returns the checkpoints of an agent, or of all agents if id is empty, newest
// first: at most a number of them, 0 for all.
func statesOf(a *cli.App, o *cli.Session, s *agents.Service, id string, most int) ([]aaif.KeptState, error) {
	var all []aaif.KeptState
	err := statesPaged(a, o, s, id, most, func(page []aaif.KeptState) bool {
		all = append(all, page...)
		return true
	})
	return all, err
}

// statesPaged is statesOf, page by page, until do returns false.
func statesPaged(a *cli.App, o *cli.Session, s *agents.Service, id string, most int, do func(page []aaif.KeptState) bool) error {
	var after aaif.Place
	for count := 0; ; {
		wanted := aaif.MostListed
		if most > 0 {
			wanted = min(wanted, most-count)
		}
		page, err := s.States(a.Ctx, o.Caller(), id, after, wanted)
		if err != nil {
			return err
		}
		count += len(page)
		if !do(page) || len(page) < wanted || most > 0 && count == most {
			return nil
		}
		after = page[len(page)-1].Place()
	}
}
