package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

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
