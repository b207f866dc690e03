package openmemory

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// memory makes a record of a memory, unless it is deleted or blank.
func (d *document) memory(c *codec.Checker) []memory.Record {
	if !c.IsObject(ruleMemory) {
		return nil
	}
	id, text := c.Required(ruleMemory, "id"), c.Text(ruleMemory, "content")
	state := c.Name(ruleMember, "state")
	c.Object(ruleMember, "metadata")
	created, updated, archived := c.Instant(ruleDate, "created_at"), c.Instant(ruleDate, "updated_at"), c.Instant(ruleDate, "archived_at")
	c.Instant(ruleDate, "deleted_at")
	if created.IsZero() {
		created = updated
	}
	created = c.Date(created)
	app, tags := d.app(c), d.categories(c, id)
	if reason := leftOut(state, text); reason != "" {
		c.Drop("", reason)
		return nil
	}
	r := c.Draft(memory.Semantic, text, formatName, formatName+"/"+id)
	r.Time.Created, r.Scope.Agent = created, app
	if state == "archived" || state == "paused" {
		r.Time.ValidTo = codec.Latest(created, d.putAway(id, state, archived, updated))
	}
	codec.Tag(&r, tags...)
	return []memory.Record{codec.WithResidue(r, formatName, d.residue(c.Value, id))}
}

// leftOut returns why a memory is left out; empty: it is not.
func leftOut(state, text string) string {
	switch {
	case state == "deleted":
		return lossDeleted
	case !slices.Contains([]string{"", "active", "archived", "paused"}, state):
		return lossState
	case strings.TrimSpace(text) == "":
		return lossBlank
	}
	return ""
}

// putAway returns when a memory was put away: the given date, else that of its last change
// of state, else that of its last change; zero: unknown.
func (d *document) putAway(id, state string, archived, updated time.Time) time.Time {
	if state == "archived" && !archived.IsZero() {
		return archived
	}
	var last time.Time
	for _, change := range d.known.history[id] {
		if change.to == state {
			last = codec.Latest(last, change.at)
		}
	}
	if last.IsZero() {
		return updated
	}
	return last
}

// app returns the name of the app that a memory comes from.
func (d *document) app(c *codec.Checker) string {
	if name := c.Name(ruleMember, "app"); name != "" || d.lines != nil {
		return name
	}
	id := c.Name(ruleMember, "app_id")
	name, ok := d.known.apps[id]
	if !ok && id != "" {
		c.Drop("/app_id", lossApp)
	}
	return name
}

// categories returns the names of a memory's categories: its own, and those of the table.
func (d *document) categories(c *codec.Checker, id string) (tags []string) {
	if d.lines != nil {
		return c.Names(ruleMember, "categories")
	}
	ids := slices.Concat(c.Names(ruleMember, "category_ids"), d.known.filed[id])
	for i, of := range ids {
		name, ok := d.known.categories[of]
		switch {
		case slices.Contains(ids[:i], of):
		case ok:
			tags = append(tags, name)
		default:
			c.Drop("/category_ids", lossCategory)
		}
	}
	return tags
}

// residue returns the other members of a memory, and its history.
func (d *document) residue(v canon.Value, id string) canon.Value {
	v = v.Without("content")
	var rows []canon.Value
	for _, change := range d.known.history[id] {
		rows = append(rows, change.row)
	}
	if len(rows) > 0 {
		v = v.With("status_history", canon.Array(rows...))
	}
	return v
}
