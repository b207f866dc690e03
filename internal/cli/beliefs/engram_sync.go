package beliefs

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/memory"
)

type engramSyncCmd struct {
	engramStore

	Since    string        `help:"Print the changes after this time, and end." placeholder:"TIME"`
	Interval time.Duration `help:"Ask again after this time, until interrupted." placeholder:"D"`
	Signed   bool          `name:"require-signed" help:"Fetch whole contexts, which are signed, instead of changes, which are not."`
}

// Run prints one line for each change, or with --json the store's own form.
func (c *engramSyncCmd) Run(a *cli.App) error {
	client, err := c.client(a, func(o *engram.ClientOptions) { o.RequireSigned = c.Signed })
	if err != nil {
		return err
	}
	if c.Since != "" {
		since, ok := memory.ParseInstant(c.Since)
		if !ok || c.Signed {
			return cli.Usagef("--since is an RFC 3339 time such as 2026-04-19T10:00:00Z, and what changed is not signed")
		}
		delta, err := client.Changes(a.Ctx, since)
		if err != nil {
			return engramError(a, err)
		}
		return changed(a, delta)
	}
	for first := true; ; first = false {
		was, _ := client.Snapshot()
		held, err := client.Sync(a.Ctx)
		switch {
		case err != nil && (first || a.Ctx.Err() != nil):
			return engramError(a, err)
		case err != nil:
			a.Warn("%s", cli.Describe(err))
		case first:
			a.Say("%s: %s, %s, good until %s", cli.Clean(c.URL), cli.Plural(len(held.Document.Beliefs), "belief", "beliefs"), held.Trust, held.Until.Format(time.RFC3339))
		default:
			if err := changed(a, compared(was.Document, held)); err != nil {
				return err
			}
		}
		if !first && c.Interval == 0 {
			return nil
		}
		if sleep.For(a.Ctx, c.Interval) != nil {
			return nil
		}
	}
}

// compared is the difference between two states of a client.
func compared(was engram.Document, held engram.Snapshot) engram.Delta {
	d := engram.Delta{Since: was.IssuedAt, GeneratedAt: held.Since}
	before := map[string]engram.Belief{}
	for _, b := range was.Beliefs {
		before[b.ID] = b
	}
	for _, b := range held.Document.Beliefs {
		old, had := before[b.ID]
		switch delete(before, b.ID); {
		case !had:
			d.Added = append(d.Added, b)
		case old.Text != b.Text || old.Status != b.Status || old.Category != b.Category || old.Confidence != b.Confidence:
			d.Updated = append(d.Updated, b)
		}
	}
	for _, b := range was.Beliefs {
		if _, gone := before[b.ID]; gone {
			d.Deleted = append(d.Deleted, engram.Tombstone{ID: b.ID, DeletedAt: held.Fetched})
		}
	}
	return d
}

// changed prints what changed.
func changed(a *cli.App, d engram.Delta) error {
	if a.JSON {
		return a.Emit(json.RawMessage(engram.EncodeDelta(d)))
	}
	for _, b := range d.Added {
		a.Print("added   %s %s: %s", cli.Clean(b.ID), cli.Clean(b.Key), cli.Clean(b.Text))
	}
	for _, b := range d.Updated {
		a.Print("updated %s %s: %s (%s)", cli.Clean(b.ID), cli.Clean(b.Key), cli.Clean(b.Text), cli.Clean(string(b.Status)))
	}
	for _, t := range d.Deleted {
		a.Print("deleted %s", cli.Clean(t.ID))
	}
	for _, c := range d.Corrections {
		a.Print("correction %s of %s: %s (%s)", cli.Clean(c.ID), cli.Clean(c.Belief), cli.Clean(c.New), cli.Clean(cmp.Or(string(c.Status), string(c.Method))))
	}
	return nil
}
