package operate

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/memory"
)

// AuditReadsCmd is the command satchel audit reads.
type AuditReadsCmd struct {
	Memory    string   `help:"Only readings of this memory." placeholder:"ID"`
	Host      string   `help:"Only readings by this assistant, by its name in satchel connect, or as it names itself." placeholder:"HOST"`
	Since     cli.When `help:"Only readings since this time." placeholder:"TIME"`
	Limit     int      `default:"50" help:"Show at most this many, the latest." placeholder:"N"`
	Questions string   `enum:"on,off,as-is" default:"as-is" help:"on: keep the questions of assistants from now on; off: no longer." placeholder:"on|off"`
	Erase     bool     `help:"Empty this journal."`
}

// Help says what the journal is.
func (c *AuditReadsCmd) Help() string {
	return "Lists which memories assistants were given, latest last: the owner's own assistants and the holders of tokens. " +
		"It names memories and holds no text, and no question unless you say --questions on. It forgets after 90 days, and at once what you erase. " +
		"It is no proof: unlike the audit log it is not signed, and a killed program loses the last second."
}

// Run lists the readings.
func (c *AuditReadsCmd) Run(a *cli.App) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return cli.Usagef("--limit must be from 1 to 1000")
	}
	switch {
	case c.Erase:
		return a.With(cli.Signing, func(o *cli.Session) error {
			if err := o.Assistants().EraseReadings(a.Ctx, o.Caller()); err != nil {
				return err
			}
			a.Print("the journal of readings is empty")
			return nil
		})
	case c.Questions != "as-is":
		return a.With(cli.Signing, func(o *cli.Session) error {
			if err := o.Assistants().KeepQuestions(a.Ctx, o.Caller(), c.Questions == "on"); err != nil {
				return err
			}
			a.Print("questions are %s from now on", map[bool]string{true: "kept", false: "not kept"}[c.Questions == "on"])
			return nil
		})
	}
	return a.With(cli.Probing, func(o *cli.Session) error { return c.list(a, o) })
}

// readingOut is a reading for machines.
type readingOut struct {
	At       time.Time   `json:"at"`
	Way      string      `json:"way"`
	Host     string      `json:"host"`
	Token    string      `json:"token,omitempty"`
	Project  string      `json:"project,omitempty"`
	Times    int         `json:"times"`
	Given    int         `json:"given"`
	Memories []memory.ID `json:"memories"`
	Question string      `json:"question,omitempty"`
}

func (c *AuditReadsCmd) list(a *cli.App, o *cli.Session) error {
	name, also := namesOf(c.Host)
	q := assistant.Query{Hosts: append(also, name), Since: c.Since.Time, Limit: c.Limit}
	if c.Memory != "" {
		id, err := o.FindID(a.Ctx, c.Memory)
		if err != nil {
			return err
		}
		q.Memory = id
	}
	page, err := o.Assistants().Readings(a.Ctx, o.Caller(), q)
	if err != nil {
		return err
	}
	rows := []readingOut{}
	for i := len(page.Readings) - 1; i >= 0; i-- {
		r := page.Readings[i]
		rows = append(rows, readingOut{r.At, r.Way, r.Host, r.Token, r.Project, r.Times, r.Given, append([]memory.ID{}, r.IDs...), r.Question})
	}
	if a.JSON {
		return a.Emit(map[string]any{"readings": rows, "more": page.Next != ""})
	}
	return showReadings(a, o, rows, page.Next != "")
}

// showReadings writes readings for people.
func showReadings(a *cli.App, o *cli.Session, rows []readingOut, more bool) error {
	var ids []memory.ID
	for _, r := range rows {
		ids = append(ids, r.Memories...)
	}
	short, err := o.ShortIDs(a.Ctx, o.Caller(), ids)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		var names []string
		for _, id := range r.Memories[:min(len(r.Memories), namedInRow)] {
			names = append(names, short[id])
		}
		if len(r.Memories) > namedInRow {
			names = append(names, "…")
		}
		who := cli.OrDash(cli.OneLine(r.Host, 40))
		if r.Token != "" {
			who += " by token"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cli.Local(r.At), who, r.Way, cli.Plural(r.Given, "memory", "memories"),
			cli.OrDash(cli.OneLine(r.Project, 40)), strings.Join(names, " "), cli.OneLine(r.Question, 80))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case len(rows) == 0:
		a.Say("no assistant read anything")
	case more:
		a.Say("there are earlier ones; --limit shows more")
	}
	return nil
}

// namedInRow is how many memories a row names.
const namedInRow = 8
