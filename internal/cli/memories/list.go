package memories

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ListCmd is the command satchel list.
type ListCmd struct {
	cli.ProjectFlags
	Kind       []memory.Kind       `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind. May be repeated." placeholder:"K"`
	Status     []memory.Status     `enum:"active,candidate,tombstoned" help:"Only this status: active, candidate or tombstoned. May be repeated. Default: active." placeholder:"S"`
	Visibility []memory.Visibility `enum:"private,shared,public" help:"Only private, shared or public memories. May be repeated." placeholder:"V"`
	Tag        []string            `help:"Only memories with this tag. May be repeated: any of them." placeholder:"T"`
	Since      cli.When            `help:"Only memories written since this time." placeholder:"TIME"`
	At         cli.When            `help:"Only memories that were true at this time." placeholder:"TIME"`
	Import     int64               `help:"Only memories of the import with this number. import --list shows the numbers." placeholder:"N"`
	All        bool                `help:"Superseded and expired memories too."`
	Oldest     bool                `help:"Oldest first. Default: newest first."`
	Full       bool                `help:"On a terminal: show whole texts. Default: their first line."`
	Limit      int                 `default:"50" help:"Show at most this many, up to 1000." placeholder:"N"`
	After      string              `help:"Start here: the cursor that the page before printed." placeholder:"CURSOR"`
}

// mostListed is how many memories a page has at most.
const mostListed = 1000

// Run prints one page.
func (c *ListCmd) Run(a *cli.App) error {
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	if err := checkLimit(c.Limit, mostListed); err != nil {
		return err
	}
	at := c.At.Time
	if at.IsZero() && !c.All && len(c.Status) == 0 {
		at = a.Now()
	}
	return a.With(cli.Reading, func(o *cli.Session) error {
		if c.Import != 0 {
			if _, err := documents.Imported(o, a, c.Import); err != nil {
				return err
			}
		}
		page, err := c.page(a, o, vault.ListQuery{
			Project: project, Kinds: c.Kind, Statuses: c.Status, Since: c.Since.Time, ValidAt: at,
			Import: c.Import, Newest: !c.Oldest, After: c.After, Limit: c.Limit, Forks: !a.JSON,
		})
		if memory.KindOf(err) == memory.InvalidRecord {
			return cli.WithStatus(cli.ExitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if a.JSON {
			records, err := cli.RawRecords(page.Records)
			if err != nil {
				return err
			}
			out := map[string]any{"records": records, "next": page.Next, "total": page.Total}
			if c.sifts() { // the total was not counted
				delete(out, "total")
			}
			return a.Emit(out)
		}
		table(a, o, page, c.Full)
		switch {
		case len(page.Records) == 0:
			a.Say("nothing to list")
		case page.Next != "" && c.sifts():
			a.Say("%d shown; the next page: --after %s", len(page.Records), page.Next)
		case page.Next != "":
			a.Say("%d of %d; the next page: --after %s", len(page.Records), page.Total, page.Next)
		}
		return nil
	})
}

// sifts reports whether the store's own filter is not enough.
func (c *ListCmd) sifts() bool { return len(c.Visibility)+len(c.Tag) > 0 }

// wants reports whether a record has the wanted visibility and a wanted tag.
func (c *ListCmd) wants(rec memory.Record) bool {
	if len(c.Visibility) > 0 && !slices.Contains(c.Visibility, visibilityOf(rec)) {
		return false
	}
	return len(c.Tag) == 0 || slices.ContainsFunc(tagsOf(rec), func(tag string) bool { return slices.Contains(c.Tag, tag) })
}

// tagsOf returns the tags of a record.
func tagsOf(rec memory.Record) []string {
	var structured struct {
		Tags []string `json:"tags"`
	}
	if json.Unmarshal(rec.Body.Structured, &structured) != nil {
		return nil
	}
	return structured.Tags
}

// page reads a page of matching records.
func (c *ListCmd) page(a *cli.App, o *cli.Session, q vault.ListQuery) (vault.Page, error) {
	if !c.sifts() {
		return o.List(a.Ctx, o.Caller(), q)
	}
	out := vault.Page{Forked: map[memory.ID]bool{}}
	most := q.Limit
	for {
		q.Limit = mostListed
		page, err := o.List(a.Ctx, o.Caller(), q)
		if err != nil {
			return out, err
		}
		maps.Copy(out.Forked, page.Forked)
		for i, rec := range page.Records {
			if !c.wants(rec) {
				continue
			}
			if out.Records = append(out.Records, rec); len(out.Records) == most {
				q.Limit = i + 1 // up to here, to learn where the next page begins
				page, err = o.List(a.Ctx, o.Caller(), q)
				out.Next = page.Next
				return out, err
			}
		}
		if page.Next == "" {
			return out, nil
		}
		q.After = page.Next
	}
}
