package sharing

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// AuditShowCmd is the command satchel audit show.
type AuditShowCmd struct {
	Since cli.When    `help:"Only entries since this time." placeholder:"TIME"`
	Act   []audit.Act `help:"Only this act, such as read, export, grant or erase. May be repeated." placeholder:"A"`
	ID    *string     `name:"id" help:"Only entries about this memory, or about an agent or checkpoint by its whole id. It may be erased." placeholder:"ID"`
	Token *string     `help:"Only entries about this token, by name or jti." placeholder:"NAME|JTI"`
	Limit int         `default:"50" help:"Show at most this many, the latest." placeholder:"N"`
}

// page is how many entries are read at once.
const page = 1000

// Run shows the latest entries that match the flags.
func (c *AuditShowCmd) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	need := cli.Probing
	if c.ID != nil {
		need = cli.Signing // the log names memories by marks that only the key can make
	}
	return a.With(need, func(o *cli.Session) error {
		l, err := log(o, a)
		if err != nil {
			return err
		}
		w, err := c.wanted(a, l)
		if err != nil {
			return err
		}
		entries, more, err := c.latest(a, l, w)
		if err != nil {
			return err
		}
		ids, err := l.idsOf(a, entries)
		if err == nil {
			l.runs, err = l.runsOf(a, entries)
		}
		if err != nil {
			return err
		}
		if a.JSON {
			out := make([]audit.Line, len(entries))
			for i, e := range entries {
				out[i] = l.machineEntry(e, ids)
			}
			return a.Emit(map[string]any{"entries": out, "more": more})
		}
		return l.entries(a, entries, ids, more)
	})
}

func (c *AuditShowCmd) check() error {
	switch {
	case c.Limit < 1:
		return cli.Usagef("--limit must be at least 1")
	case c.ID != nil && strings.TrimSpace(*c.ID) == "":
		return cli.Usagef("--id names nothing; leave it out to see all")
	case c.Token != nil && strings.TrimSpace(*c.Token) == "":
		return cli.Usagef("--token names no token; leave it out to see all")
	}
	for _, act := range c.Act {
		if !slices.Contains(audit.Acts(), act) {
			return cli.Usagef("%q is no act; --act may be %s", act, strings.Join(actNames(), ", "))
		}
	}
	return nil
}

func actNames() []string {
	var names []string
	for _, act := range audit.Acts() {
		names = append(names, string(act))
	}
	return names
}

// wanted selects entries, besides acts and times.
type wanted struct {
	marks  []string // of the entry's subjects; none: any
	tokens []string // by jti; none: any
}

func (c *AuditShowCmd) wanted(a *cli.App, l ownersLog) (w wanted, err error) {
	if c.ID != nil {
		w.marks, err = l.marksOf(a, *c.ID)
	}
	if c.Token == nil {
		return w, err
	}
	for jti, name := range l.called {
		if jti == *c.Token || name == *c.Token {
			w.tokens = append(w.tokens, jti)
		}
	}
	if len(w.tokens) == 0 { // issued elsewhere, or erased
		w.tokens = []string{*c.Token}
	}
	return w, err
}

// latest reads the log and keeps the last matching entries. more is the number of earlier
// ones.
func (c *AuditShowCmd) latest(a *cli.App, l ownersLog, w wanted) (kept []audit.Entry, more int, err error) {
	for from := int64(0); ; {
		entries, err := l.Audit(a.Ctx, l.caller, from, page)
		if err != nil || len(entries) == 0 {
			return kept, more, err
		}
		from += int64(len(entries))
		for _, e := range entries {
			if c.wants(e, w) {
				kept = append(kept, e)
			}
		}
		if extra := len(kept) - c.Limit; extra > 0 {
			kept, more = slices.Delete(kept, 0, extra), more+extra
		}
	}
}

func (c *AuditShowCmd) wants(e audit.Entry, w wanted) bool {
	switch {
	case e.At.Before(c.Since.Time) && !e.At.IsZero(),
		len(c.Act) > 0 && !slices.Contains(c.Act, e.Act),
		len(w.marks) > 0 && !slices.ContainsFunc(w.marks, func(mark string) bool { return e.Agent == mark || slices.Contains(e.Records, mark) }),
		len(w.tokens) > 0 && !slices.Contains(w.tokens, e.Token) && !slices.Contains(w.tokens, bearer(e)):
		return false
	}
	return true
}

// bearer returns the jti of the token behind an act, "" for none.
func bearer(e audit.Entry) string {
	jti, ok := strings.CutPrefix(e.Who, cli.TokenMark)
	if !ok {
		return ""
	}
	return jti
}

// entries writes entries for people.
func (l ownersLog) entries(a *cli.App, entries []audit.Entry, ids map[string]memory.ID, more int) error {
	w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
	for _, e := range entries {
		who := e.Who
		if jti := bearer(e); jti != "" {
			who = cli.TokenName(jti, l.called)
		}
		if e.Via != "" {
			who += " by " + e.Via
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", e.Number, cli.Local(e.At), e.Act, cli.OrDash(cli.OneLine(who, 70)), l.details(e, ids))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case len(entries) == 0:
		a.Say("nothing in the log")
	case more > 0:
		a.Say("%s not shown; --limit shows more", cli.Plural(more, "earlier entry is", "earlier entries are"))
	}
	return nil
}

// details says in one line what else an entry holds.
func (l ownersLog) details(e audit.Entry, ids map[string]memory.ID) string {
	var parts []string
	say := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, cli.OneLine(value, 60)))
		}
	}
	switch e.Act {
	case audit.Unreadable:
		return "this entry was changed and cannot be read"
	case audit.Missing:
		return "this entry is not there"
	case audit.Propose, audit.Correct, audit.Approve, audit.Reject, audit.Read, audit.Import, audit.Undo, audit.Export, audit.Forget, audit.Erase, audit.EraseOwner, audit.Expire, audit.Hold, audit.Restore:
		parts = append(parts, cli.Plural(e.Count, "memory", "memories")+l.which(e, ids))
	case audit.RunStart, audit.RunResume, audit.RunCall, audit.RunApprove, audit.RunEnd, audit.RunRemove: // they count the marks of a run and of what it does
		if named, step := l.runOf(e); named.id != "" {
			say("run %s", named.id[:min(8, len(named.id))])
			say("%s", step.String())
		}
	case audit.AddMachine, audit.NameMachine, audit.DropMachine:
		if say("machine %s", e.Result); e.Reason != "" {
			parts = append(parts, "as another machine of yours says")
		}
		return strings.Join(parts, ", ")
	default:
		if e.Count > 1 {
			parts = append(parts, fmt.Sprintf("%d times", e.Count))
		}
	}
	if e.Import != 0 {
		parts = append(parts, fmt.Sprintf("import %d", e.Import))
	}
	say("%s", e.Format)
	say("of %s", e.Producer)
	say("signature %s", e.Signature)
	say("%s", e.Reason)
	say("%s", e.Result)
	if e.Token != "" {
		say("%s", cli.TokenName(e.Token, l.called))
	}
	for _, verb := range e.Verbs {
		say("%s", string(verb))
	}
	for _, need := range e.Needs {
		say("lacks %s", need)
	}
	say("%s", string(e.Visibility))
	if !e.Until.IsZero() {
		say("until %s", cli.Local(e.Until))
	}
	return strings.Join(parts, ", ")
}
