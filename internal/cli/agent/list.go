package agent

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
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
func (c *agentListCmd) Run(a *cli.App) error {
	return keeping(a, cli.Reading, func(o *cli.Opened, s *agents.Service) error {
		all := []agentOut{}
		for after := ""; ; {
			page, err := s.Agents(a.Ctx, o.Caller(), after, 0)
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
		if a.JSON {
			return a.Emit(all)
		}
		if len(all) == 0 {
			a.Say("no agent is kept here; satchel agent add FILE takes one in")
		}
		return showAgents(a, all, a.Width())
	})
}

// showAgents prints a line for each agent, which fits into a terminal of so many columns,
// 0: there is none. What an agent lacks is counted, and on a terminal its id is no longer
// than tells it from the others.
func showAgents(a *cli.App, all []agentOut, width int) error {
	idLength, mostOfName := 80, 60
	if width > 0 {
		idLength = tellingApart(all)
	}
	rows := make([][]string, len(all))
	var widest [5]int
	lacks := false
	for i, k := range all {
		rows[i] = k.columns(idLength)
		for j, text := range rows[i] {
			widest[j] = max(widest[j], utf8.RuneCountInString(text)+len(gap))
		}
		lacks = lacks || k.lacks() > 0
	}
	if width > 0 {
		mostOfName = max(width-widest[0]-widest[1]-widest[2]-widest[3]-widest[4], 10)
	}
	table := tabwriter.NewWriter(a.Out, 0, 0, len(gap), ' ', 0)
	for i, k := range all {
		fmt.Fprintf(table, "%s\t%s\n", strings.Join(rows[i], "\t"), cli.OneLine(k.Name, mostOfName))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if lacks {
		a.Say("what lacks anything here is kept, and runs here without it or not at all; satchel agent get ID says what it lacks")
	}
	return nil
}

// gap stands between the columns of a list.
const gap = "  "

// lacks counts what an agent lacks here.
func (k agentOut) lacks() int { return len(k.CannotRun) + len(k.Off) }

// columns is what a list says of an agent before its name.
func (k agentOut) columns(idLength int) []string {
	version, lacks := "no version", "lacks nothing"
	if k.Version != "" {
		version = "version " + cli.OneLine(k.Version, 12)
	}
	if n := k.lacks(); n > 0 {
		lacks = fmt.Sprintf("lacks %d", n)
	}
	return []string{cli.OneLine(k.AgentID[:min(idLength, len(k.AgentID))], 80), version, fmt.Sprintf("revision %d", k.Revision), cli.OneLine(k.Status, 12), lacks}
}

// shortestShown is how much of an id is shown at least.
const shortestShown = 8

// tellingApart returns how much of the ids of agents tells each from every other.
func tellingApart(all []agentOut) int {
	least := shortestShown
	for i := 1; i < len(all); i++ { // they are in order
		a, b := all[i-1].AgentID, all[i].AgentID
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		least = max(least, n+1)
	}
	return least
}

// agentPlace says where a kept document goes.
type agentPlace struct {
	Output string `short:"o" help:"The file to write, CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`
	CBOR   bool   `name:"cbor" help:"Write CBOR, whatever the name of the file."`

	overFlags
}

// put writes a document.
func (p agentPlace) put(a *cli.App, v canon.Value) error {
	form := ""
	if p.CBOR {
		form = formCBOR
	}
	return putDocument(a, placement{p.Output, form, p.overFlags}, v)
}

type agentGetCmd struct {
	ID       string `arg:"" help:"The agent's id, or its first characters, as satchel agent list shows it."`
	Revision int    `help:"The number of the revision. Default: the newest." placeholder:"N"`

	agentPlace
}

// Run gives a definition away as it is kept, so that its signature holds.
func (c *agentGetCmd) Run(a *cli.App) error {
	if c.Revision < 0 {
		return cli.Usagef("revisions are counted from 1")
	}
	return keeping(a, cli.Reading, func(o *cli.Opened, s *agents.Service) error {
		k, err := agentKept(a, o, s, c.ID, c.Revision)
		if err != nil {
			return err
		}
		if len(k.CannotRun) > 0 && cli.IsStdout(c.Output) { // a file goes where that is known
			a.Say("kept, cannot run here: %s", cli.Clean(strings.Join(k.CannotRun, "; ")))
		}
		if len(k.Off) > 0 && cli.IsStdout(c.Output) {
			a.Say("off here: %s", cli.Clean(strings.Join(k.Off, ", ")))
		}
		return c.put(a, k.Document)
	})
}
