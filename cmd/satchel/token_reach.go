package main

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// tellReach says how many memories a new token shows, and how many stay hidden
// from its bearer: most are private, and nobody sees them before they are shared.
func (o *opened) tellReach(a *app, g store.Grant, projects []string) error {
	c, err := claimsOf(g.Claims)
	if err != nil || a.quiet || c.Subject != "" || c.Scope.Runtime != nil || !slices.Contains(c.Verbs, memory.ReadVerb) {
		return err
	}
	have, err := o.visibilities(a, projects, c.Scope.Agent)
	if err != nil {
		return err
	}
	private, shared, public := have[memory.Private], have[memory.Shared], have[memory.Public]
	all := private + shared + public
	there := ""
	if len(projects) > 0 || c.Scope.Agent != "" {
		there = " there"
	}
	switch {
	case all == 0:
		a.say("there is nothing to show yet")
	case c.whole() || c.Scope.Visibility == memory.Private:
		a.say("it shows all there is: %s", plural(all, "memory", "memories"))
	case c.Scope.Visibility == memory.Public:
		a.say("%s public%s%s", are(public), there, hidden(all-public, "not", memory.Public, "publishes"))
	default:
		a.say("%s shared%s%s", are(shared+public), there, hidden(private, "private", memory.Shared, "shares"))
	}
	return nil
}

func are(n int) string { return plural(n, "memory is", "memories are") }

// hidden says how many memories stay hidden, and what shows one of them.
func hidden(n int, why string, wanted memory.Visibility, does string) string {
	if n == 0 {
		return ""
	}
	return ", " + plural(n, "is "+why+" and stays", "are "+why+" and stay") + " hidden: satchel revise ID --visibility " + string(wanted) + " " + does + " one"
}

// visibilities counts the memories that hold now by who may see them: those of
// the projects, or of all where none is named, and of the agent, if one is.
func (o *opened) visibilities(a *app, projects []string, agent string) (map[memory.Visibility]int, error) {
	var counts map[memory.Visibility]int
	now := a.now()
	err := o.store.View(a.ctx, o.Owner, func(r store.Reader) error {
		counts = map[memory.Visibility]int{}
		return eachRow(a.ctx, r, store.Filter{Projects: projects, Statuses: []memory.Status{memory.Active}, ValidAt: now}, func(row store.Row) {
			c := row.Columns
			if (agent == "" || c.Agent == agent) && (c.Expires.IsZero() || now.Before(c.Expires)) {
				counts[c.Visibility]++
			}
		})
	})
	return counts, err
}
