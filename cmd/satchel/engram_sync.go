package main

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

type engramSyncCmd struct {
	engramStore

	Since    string        `help:"Print the changes after this time, and end." placeholder:"TIME"`
	Interval time.Duration `help:"Ask again after this time, until interrupted." placeholder:"D"`
	Signed   bool          `name:"require-signed" help:"Fetch whole contexts, which are signed, instead of changes, which are not."`
}

// Run prints what changed, each change in a line; with --json the changes as the store
// tells them.
func (c *engramSyncCmd) Run(a *app) error {
	client, err := c.client(a, func(o *engram.ClientOptions) { o.RequireSigned = c.Signed })
	if err != nil {
		return err
	}
	if c.Since != "" {
		since, ok := memory.ParseInstant(c.Since)
		if !ok || c.Signed {
			return usagef("--since is an RFC 3339 time such as 2026-04-19T10:00:00Z, and what changed is not signed")
		}
		delta, err := client.Changes(a.ctx, since)
		if err != nil {
			return engramError(a, err)
		}
		return a.changed(delta)
	}
	for first := true; ; first = false {
		was, _ := client.Held()
		held, err := client.Sync(a.ctx)
		switch {
		case err != nil && (first || a.ctx.Err() != nil):
			return engramError(a, err)
		case err != nil:
			a.warn("%s", describe(err))
		case first:
			a.say("%s: %s, %s, good until %s", clean(c.URL), plural(len(held.Document.Beliefs), "belief", "beliefs"), held.Trust, held.Until.Format(time.RFC3339))
		default:
			if err := a.changed(compared(was.Document, held)); err != nil {
				return err
			}
		}
		if !first && c.Interval == 0 {
			return nil
		}
		if pause(a.ctx, c.Interval) != nil {
			return nil
		}
	}
}

// compared is what has changed between two states of a client.
func compared(was engram.Document, held engram.Held) engram.Delta {
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
func (a *app) changed(d engram.Delta) error {
	if a.json {
		return a.emit(json.RawMessage(engram.EncodeDelta(d)))
	}
	for _, b := range d.Added {
		a.print("added   %s %s: %s", clean(b.ID), clean(b.Key), clean(b.Text))
	}
	for _, b := range d.Updated {
		a.print("updated %s %s: %s (%s)", clean(b.ID), clean(b.Key), clean(b.Text), clean(string(b.Status)))
	}
	for _, t := range d.Deleted {
		a.print("deleted %s", clean(t.ID))
	}
	for _, c := range d.Corrections {
		a.print("correction %s of %s: %s (%s)", clean(c.ID), clean(c.Belief), clean(c.New), clean(cmp.Or(string(c.Status), string(c.Method))))
	}
	return nil
}
