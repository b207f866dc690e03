package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/engram"
)

type beliefListCmd struct {
	Status   []string          `enum:"active,archived,deleted,pending" help:"Only this status: active, archived, deleted, or pending (a correction is proposed). May be repeated." placeholder:"S"`
	Category []engram.Category `help:"Only this category. May be repeated." placeholder:"C"`
	Tag      []string          `help:"Only with this tag. May be repeated." placeholder:"T"`
}

// beliefOut is a belief for machines, with what is proposed for it.
type beliefOut struct {
	Belief  json.RawMessage   `json:"belief"`
	Pending []json.RawMessage `json:"pending"`
}

// Run lists beliefs in every state (ENGRAM-1-1).
func (c *beliefListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		v, err := o.whole(a)
		if err != nil {
			return err
		}
		twins, err := o.Twins(a.ctx, o.owner())
		if err != nil {
			return err
		}
		for _, t := range twins {
			a.warn("%s", t)
		}
		waiting := map[string][]engram.Correction{}
		for _, k := range v.Corrections {
			if k.Status == engram.Pending {
				waiting[k.Belief] = append(waiting[k.Belief], k)
			}
		}
		wanted := slices.DeleteFunc(v.Beliefs, func(b engram.Belief) bool { return !c.wants(b, len(waiting[b.ID]) > 0) })
		if a.json {
			out := []beliefOut{}
			for _, b := range wanted {
				out = append(out, beliefOut{wired(b.Wire()), wires(waiting[b.ID])})
			}
			return a.emit(map[string]any{"beliefs": out})
		}
		if len(wanted) == 0 {
			a.say("no beliefs; satchel belief add states one, and what is remembered is one, too")
		}
		return c.show(a, wanted, waiting)
	})
}

func (c *beliefListCmd) wants(b engram.Belief, waits bool) bool {
	status := len(c.Status) == 0 || slices.Contains(c.Status, string(b.Status)) || waits && slices.Contains(c.Status, "pending")
	category := len(c.Category) == 0 || slices.Contains(c.Category, b.Category)
	tagged := len(c.Tag) == 0 || slices.ContainsFunc(c.Tag, func(t string) bool { return slices.Contains(b.Tags, t) })
	return status && category && tagged
}

// show writes a line for each belief, and one for each proposal below it.
func (c *beliefListCmd) show(a *app, list []engram.Belief, waiting map[string][]engram.Correction) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	now := a.now()
	for _, b := range list {
		value := oneLine(b.Text, a.room(70))
		if b.Status == engram.Deleted {
			value = "– since " + local(b.DeletedAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", begins(b.ID), b.Status, oneLine(string(b.Category), 20), certain(b, engram.Effective(b, now)), oneLine(b.Key, 30), value)
		for _, k := range waiting[b.ID] {
			fmt.Fprintf(w, "\tpending\t\t\t%s proposes\t%s (correction %s)\n", proposer(k), oneLine(k.New, a.room(90)), begins(k.ID))
		}
	}
	return w.Flush()
}

// certain says how certain a belief is, and how far that has faded.
func certain(b engram.Belief, effective float64) string {
	if b.Status == engram.Deleted {
		return ""
	}
	text := strconv.FormatFloat(b.Confidence, 'f', -1, 64)
	if effective < b.Confidence {
		text += ", stale: " + strconv.FormatFloat(effective, 'f', -1, 64)
	}
	return text
}

// proposer says who proposes a correction.
func proposer(k engram.Correction) string {
	switch {
	case k.Runtime != "":
		return oneLine(k.Runtime, 60)
	case k.By == engram.BySystem:
		return "a contradiction"
	}
	return string(k.By)
}
