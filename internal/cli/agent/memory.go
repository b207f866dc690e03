package agent

import (
	"cmp"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/memory"
)

type agentMemoryCmd struct {
	Agent      string `arg:"" help:"The agent's id, or its first characters."`
	User       string `help:"Only notes about this person, by the name that the runs had for them." placeholder:"NAME"`
	Forget     string `help:"Forget the notes under this key. Those that you have confirmed stay your memories: satchel forget." placeholder:"KEY" xor:"act"`
	EndSession string `name:"end-session" help:"End this session: forget what was noted in it." placeholder:"NAME" xor:"act"`
}

// noteOut is a note as JSON.
type noteOut struct {
	Scope   string     `json:"scope"`
	User    string     `json:"user,omitempty"`
	Session string     `json:"session,omitempty"`
	Key     string     `json:"key"`
	Content string     `json:"content"`
	Run     string     `json:"run_id"`
	At      time.Time  `json:"at"`
	Ends    *time.Time `json:"ends,omitempty"`
	Record  string     `json:"record,omitempty"`
	State   string     `json:"state"`
}

// Run shows what an agent remembers beyond its runs, or forgets some of it.
func (c *agentMemoryCmd) Run(a *cli.App) error {
	need := cli.Signing
	if c.Forget != "" || c.EndSession != "" {
		need = cli.Writing
	}
	return withEngine(a, need, engineFlags{}, func(e *engine) error {
		k, err := agentKept(a, e.opened, e.keeper, c.Agent, 0)
		if err != nil {
			return err
		}
		notes := notestore.New(e.opened.Vault)
		if need == cli.Writing {
			return c.remove(e, notes, k.AgentID)
		}
		all, err := notes.List(a.Ctx, e.opened.Caller(), k.AgentID, "")
		if err != nil {
			return err
		}
		return c.show(a, all)
	})
}

// remove forgets notes.
func (c *agentMemoryCmd) remove(e *engine, notes *notestore.Service, agent string) error {
	a := e.app
	n, pending, err := notes.Drop(a.Ctx, e.opened.Caller(), agent, "", func(n notestore.Note) bool {
		switch {
		case c.User != "" && n.User != c.User:
			return false
		case c.EndSession != "":
			return n.Session == c.EndSession
		}
		return n.Key == c.Forget
	})
	if err != nil {
		return err
	}
	if n == 0 && c.Forget != "" {
		return &memory.Error{Kind: memory.NotFound, Op: "forget", Message: "no note has the key " + cli.Clean(c.Forget) + "; satchel agent memory " + agent + " lists the notes"}
	}
	if a.JSON {
		return a.Emit(map[string]any{"forgotten": n, "pending": pending})
	}
	a.Print("%s forgotten", cli.Plural(n, "note", "notes"))
	if pending {
		a.Warn("%s", e.opened.TracesLeft())
	}
	return nil
}

// show lists notes, oldest first.
func (c *agentMemoryCmd) show(a *cli.App, all []notestore.Note) error {
	out := []noteOut{}
	table := tabwriter.NewWriter(a.Out, 0, 0, len(gap), ' ', 0)
	for _, n := range all {
		if c.User != "" && n.User != c.User {
			continue
		}
		one := noteOut{Scope: n.Scope, User: n.User, Session: n.Session, Key: n.Key, Content: n.Text, Run: n.By, At: n.At, Record: string(n.Record), State: stateOf(n)}
		if !n.Ends.IsZero() {
			one.Ends = &n.Ends
		}
		out = append(out, one)
		whose := cmp.Or(n.User, "you")
		if n.Scope == "long_term" {
			whose = "everybody"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", n.Scope, cli.OneLine(whose, 40), cli.OneLine(n.Key, 40), cli.OneLine(n.Text, 80), one.State)
	}
	if a.JSON {
		return a.Emit(out)
	}
	if len(out) == 0 {
		a.Say("the agent remembers nothing")
	}
	return table.Flush()
}

// stateOf says what becomes of a note.
func stateOf(n notestore.Note) string {
	switch {
	case n.Confirmed:
		return "confirmed"
	case n.Record != "":
		return "waits for you"
	case n.Sealed:
		return "sealed"
	}
	return "ends with its session"
}
