package main

import (
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type listCmd struct {
	projectFlags
	Kind   []memory.Kind   `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind; may be given more than once." placeholder:"K"`
	Status []memory.Status `enum:"active,candidate,tombstoned" help:"active, candidate or tombstoned; may be given more than once. Default: active." placeholder:"S"`
	Since  when            `help:"Only what was written since then." placeholder:"TIME"`
	At     when            `help:"Only what was true at that time." placeholder:"TIME"`
	All    bool            `help:"Also what was superseded or is not valid now."`
	Oldest bool            `help:"Oldest first. Default: newest first."`
	Limit  int             `default:"50" help:"How many, up to 1000." placeholder:"N"`
	After  string          `help:"Where the next page begins, as the page before said." placeholder:"CURSOR"`
}

// Run prints one page.
func (c *listCmd) Run(a *app) error {
	project, err := c.name(a)
	if err != nil {
		return err
	}
	if c.Limit < 1 {
		return usagef("--limit must be at least 1")
	}
	at := c.At.Time
	if at.IsZero() && !c.All && len(c.Status) == 0 {
		at = a.now()
	}
	return a.with(reading, func(o *opened) error {
		page, err := o.List(a.ctx, o.owner(), vault.ListQuery{
			Project: project, Kinds: c.Kind, Statuses: c.Status, Since: c.Since.Time, ValidAt: at,
			Newest: !c.Oldest, After: c.After, Limit: c.Limit,
		})
		if memory.KindOf(err) == memory.InvalidRecord {
			return as(exitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if a.json {
			records, err := raws(page.Records)
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"records": records, "next": page.Next, "total": page.Total})
		}
		a.table(page.Records)
		switch {
		case len(page.Records) == 0:
			a.say("nothing to list")
		case page.Next != "":
			a.say("%d of %d; the next page: --after %s", len(page.Records), page.Total, page.Next)
		}
		return nil
	})
}
