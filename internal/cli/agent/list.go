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
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// agentTime writes a time for JSON; the zero time is "".
func agentTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

type agentListCmd struct{}

// Run lists the newest revision of every agent in the store.
func (c *agentListCmd) Run(a *cli.App) error {
	return withKeeper(a, cli.Reading, func(o *cli.Session, s *agents.Service) error {
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

// showAgents prints a line per agent, within the columns of the terminal; 0 means none.
// It counts what an agent lacks, and on a terminal shortens the ids as far as they stay
// unique.
func showAgents(a *cli.App, all []agentOut, width int) error {
	idLength, mostOfName := 80, 60
	if width > 0 {
		idLength = idLengthOf(all)
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

// gap separates the columns of a list.
const gap = "  "

// lacks counts what an agent lacks here.
func (k agentOut) lacks() int { return len(k.CannotRun) + len(k.Off) }

// columns returns the columns of an agent before its name.
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

// shortestShown is the fewest characters of an id that are shown.
const shortestShown = 8

// idLengthOf returns how many characters make the ids of agents unique.
func idLengthOf(all []agentOut) int {
	least := shortestShown
	for i := 1; i < len(all); i++ { // they are sorted
		a, b := all[i-1].AgentID, all[i].AgentID
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		least = max(least, n+1)
	}
	return least
}

// agentPlace is the destination of a kept document.
type agentPlace struct {
	Output string `short:"o" help:"The file to write, CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`
	CBOR   bool   `name:"cbor" help:"Write CBOR, whatever the name of the file."`

	agentdoc.OverFlags
}

// put writes a document.
func (p agentPlace) put(a *cli.App, v canon.Value) error {
	form := ""
	if p.CBOR {
		form = agentdoc.FormCBOR
	}
	return agentdoc.Put(a, agentdoc.Placement{Path: p.Output, Form: form, OverFlags: p.OverFlags}, v)
}

type agentGetCmd struct {
	ID       string `arg:"" help:"The agent's id, or its first characters, as satchel agent list shows it; or a run's, which is written as a checkpoint."`
	Revision int    `help:"The number of the revision. Default: the newest." placeholder:"N"`
	Clear    bool   `help:"Write a run in the clear even if its agent's policy is encrypt."`

	agentPlace
}

// Run writes a definition as it is kept, so that its signature stays valid.
func (c *agentGetCmd) Run(a *cli.App) error {
	if c.Revision < 0 {
		return cli.Usagef("revisions are counted from 1")
	}
	run := ""
	err := withEngine(a, cli.Reading, engineFlags{}, func(e *engine) error {
		k, err := agentKept(a, e.opened, e.keeper, c.ID, c.Revision)
		if isNotKept(err) && c.Revision == 0 {
			var failed error
			if run, failed = runID(a, e.opened, e.Host, c.ID); failed == nil {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if len(k.CannotRun) > 0 && cli.IsStdout(c.Output) { // a file goes to a platform that knows this
			a.Say("kept, cannot run here: %s", cli.Clean(strings.Join(k.CannotRun, "; ")))
		}
		if len(k.Off) > 0 && cli.IsStdout(c.Output) {
			a.Say("off here: %s", cli.Clean(strings.Join(k.Off, ", ")))
		}
		return c.put(a, k.Document)
	})
	if err != nil || run == "" {
		return err
	}
	return withEngine(a, cli.Signing, engineFlags{}, func(e *engine) error { return c.getRun(e, run) })
}
