package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/memory"
)

type auditCmd struct {
	Show   auditShowCmd   `cmd:"" default:"withargs" help:"Show who did what, latest last."`
	Verify auditVerifyCmd `cmd:"" help:"Find out whether the log was tampered with."`
}

type auditShowCmd struct {
	Since when        `help:"Only what was done since then." placeholder:"TIME"`
	Act   []audit.Act `help:"Only this act, such as read, export, grant or erase; may be given more than once." placeholder:"A"`
	ID    string      `name:"id" help:"Only what concerns this memory, which may have been erased." placeholder:"ID"`
	Limit int         `default:"50" help:"How many, the latest." placeholder:"N"`
}

// page is how many entries are read at once.
const page = 1000

// Run shows the latest entries that are wanted.
func (c *auditShowCmd) Run(a *app) error {
	if c.Limit < 1 {
		return usagef("--limit must be at least 1")
	}
	for _, act := range c.Act {
		if !slices.Contains(audit.Acts(), act) {
			return usagef("%q is no act; --act may be %s", act, strings.Join(actNames(), ", "))
		}
	}
	need := looking
	if c.ID != "" {
		need = signing // the log names memories by marks that only the key can make
	}
	return a.with(need, func(o *opened) error {
		mark, err := c.mark(a, o)
		if err != nil {
			return err
		}
		entries, more, err := c.latest(a, o, mark)
		if err != nil {
			return err
		}
		if a.json {
			out := make([]entryOut, len(entries))
			for i, e := range entries {
				out[i] = machineEntry(e)
			}
			return a.emit(map[string]any{"entries": out, "more": more})
		}
		return a.entries(entries, more)
	})
}

func actNames() []string {
	var names []string
	for _, act := range audit.Acts() {
		names = append(names, string(act))
	}
	return names
}

// mark returns what stands for the memory that is asked about, "" for none.
func (c *auditShowCmd) mark(a *app, o *opened) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	id, err := o.resolve(a.ctx, c.ID)
	if memory.KindOf(err) == memory.NotFound { // erased, perhaps: the log remembers whole IDs
		id, err = memory.ID("urn:ump:"+strings.TrimPrefix(c.ID, "urn:ump:")), nil
	}
	if err != nil {
		return "", err
	}
	mark := o.AuditMark(o.owner(), string(id))
	if mark == "" {
		err = errors.New("the owner's key is not at hand, without which the log does not tell memories apart")
	}
	return mark, err
}

// latest reads the log and keeps the last of the entries that are wanted. more
// is how many there are before them.
func (c *auditShowCmd) latest(a *app, o *opened, mark string) (kept []audit.Entry, more int, err error) {
	for from := int64(0); ; {
		entries, err := o.Audit(a.ctx, o.owner(), from, page)
		if err != nil || len(entries) == 0 {
			return kept, more, err
		}
		from += int64(len(entries))
		for _, e := range entries {
			if c.wants(e, mark) {
				kept = append(kept, e)
			}
		}
		if extra := len(kept) - c.Limit; extra > 0 {
			kept, more = slices.Delete(kept, 0, extra), more+extra
		}
	}
}

func (c *auditShowCmd) wants(e audit.Entry, mark string) bool {
	switch {
	case e.At.Before(c.Since.Time) && !e.At.IsZero(),
		len(c.Act) > 0 && !slices.Contains(c.Act, e.Act),
		mark != "" && !slices.Contains(e.Records, mark):
		return false
	}
	return true
}

// entries writes entries for people.
func (a *app) entries(entries []audit.Entry, more int) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, e := range entries {
		who := e.Who
		if e.Via != "" {
			who += " by " + e.Via
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", e.Number, local(e.At), e.Act, orDash(oneLine(who, 50)), told(e))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case len(entries) == 0:
		a.say("nothing in the log")
	case more > 0:
		a.say("%d earlier are not shown; --limit shows more", more)
	}
	return nil
}

// told says in one line what else an entry holds.
func told(e audit.Entry) string {
	var parts []string
	say := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, oneLine(value, 60)))
		}
	}
	switch e.Act {
	case audit.Unreadable:
		return "this entry was changed and cannot be read"
	case audit.Missing:
		return "this entry is not there"
	case audit.Read, audit.Import, audit.Undo, audit.Export, audit.Forget, audit.Erase, audit.EraseOwner, audit.Expire, audit.Restore:
		parts = append(parts, plural(e.Count, "memory", "memories"))
	default:
		if e.Count > 1 {
			parts = append(parts, fmt.Sprintf("%d times", e.Count))
		}
	}
	if e.Import != 0 {
		parts = append(parts, fmt.Sprintf("import %d", e.Import))
	}
	say("%s", e.Format)
	say("%s", e.Reason)
	say("%s", e.Result)
	say("token %s", e.Token)
	for _, verb := range e.Verbs {
		say("%s", string(verb))
	}
	say("%s", string(e.Visibility))
	if !e.Until.IsZero() {
		say("until %s", local(e.Until))
	}
	return strings.Join(parts, ", ")
}

// entryOut is an entry for machines, under the names it has in the log.
type entryOut struct {
	Number     int64         `json:"number"`
	At         string        `json:"at,omitempty"`
	Act        audit.Act     `json:"act"`
	Who        string        `json:"who,omitempty"`
	Via        string        `json:"via,omitempty"`
	Records    []string      `json:"records,omitempty"`
	Count      int           `json:"count,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Result     string        `json:"result,omitempty"`
	Format     string        `json:"format,omitempty"`
	Import     int64         `json:"import,omitempty"`
	Token      string        `json:"token,omitempty"`
	Verbs      []memory.Verb `json:"verbs,omitempty"`
	Project    string        `json:"project,omitempty"`
	Agent      string        `json:"agent,omitempty"`
	Visibility string        `json:"visibility,omitempty"`
	Until      string        `json:"until,omitempty"`
}

func machineEntry(e audit.Entry) entryOut {
	return entryOut{
		Number: e.Number, At: stamp(e.At), Act: e.Act, Who: e.Who, Via: e.Via, Records: e.Records, Count: e.Count,
		Reason: e.Reason, Result: e.Result, Format: e.Format, Import: e.Import, Token: e.Token, Verbs: e.Verbs,
		Project: e.Project, Agent: e.Agent, Visibility: string(e.Visibility), Until: stamp(e.Until),
	}
}
