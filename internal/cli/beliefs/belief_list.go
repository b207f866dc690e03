package beliefs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

type beliefListCmd struct {
	Status   []string          `enum:"active,archived,deleted,pending" help:"Only this status: active, archived, deleted, or pending (a correction is proposed). May be repeated." placeholder:"S"`
	Category []engram.Category `help:"Only this category. May be repeated." placeholder:"C"`
	Tag      []string          `help:"Only with this tag. May be repeated." placeholder:"T"`
}

// beliefOut is a belief for machines, with its proposals.
type beliefOut struct {
	Belief  json.RawMessage   `json:"belief"`
	Pending []json.RawMessage `json:"pending"`
}

// Run lists beliefs in every state (ENGRAM-1-1).
func (c *beliefListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		v, err := whole(o, a)
		if err != nil {
			return err
		}
		twins, err := o.Beliefs().Twins(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		for _, t := range twins {
			a.Warn("%s", t)
		}
		waiting := map[string][]engram.Correction{}
		for _, k := range v.Corrections {
			if k.Status == engram.Pending {
				waiting[k.Belief] = append(waiting[k.Belief], k)
			}
		}
		wanted := slices.DeleteFunc(v.Beliefs, func(b engram.Belief) bool { return !c.wants(b, len(waiting[b.ID]) > 0) })
		if a.JSON {
			out := []beliefOut{}
			for _, b := range wanted {
				out = append(out, beliefOut{wired(b.Wire()), wires(waiting[b.ID])})
			}
			return a.Emit(map[string]any{"beliefs": out})
		}
		if len(wanted) == 0 {
			a.Say("no beliefs; satchel belief add states one, and what is remembered is one, too")
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
func (c *beliefListCmd) show(a *cli.App, list []engram.Belief, waiting map[string][]engram.Correction) error {
	w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
	now := a.Now()
	for _, b := range list {
		value := cli.OneLine(b.Text, a.Room(70))
		if b.Status == engram.Deleted {
			value = "– since " + cli.Local(b.DeletedAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", cli.ShortPartID(b.ID), b.Status, cli.OneLine(string(b.Category), 20), certain(b, engram.Effective(b, now)), cli.OneLine(b.Key, 30), value)
		for _, k := range waiting[b.ID] {
			fmt.Fprintf(w, "\tpending\t\t\t%s proposes\t%s (correction %s)\n", proposer(k), cli.OneLine(k.New, a.Room(90)), cli.ShortPartID(k.ID))
		}
	}
	return w.Flush()
}

// certain says how certain a belief is, and how far its certainty has faded.
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
		return cli.OneLine(k.Runtime, 60)
	case k.By == engram.BySystem:
		return "a contradiction"
	}
	return string(k.By)
}

// localOr is local, "" for no time.
func localOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return cli.Local(t)
}
