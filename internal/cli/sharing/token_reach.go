package sharing

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// tellReach says how many memories a new token shows, and how many it hides: most are
// private until the owner shares them.
func tellReach(o *cli.Session, a *cli.App, g store.Grant, projects []string) error {
	c, err := claimsOf(g.Claims)
	if err != nil || a.Quiet || c.Subject != "" || c.Scope.Runtime != nil || !slices.Contains(c.Verbs, memory.ReadVerb) {
		return err
	}
	have, err := visibilities(o, a, projects, c.Scope.Agent)
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
		a.Say("there is nothing to show yet")
	case c.whole() || c.Scope.Visibility == memory.Private:
		a.Say("it shows all there is: %s", cli.Plural(all, "memory", "memories"))
	case c.Scope.Visibility == memory.Public:
		a.Say("%s public%s%s", are(public), there, hidden(all-public, "not", memory.Public, "publishes"))
	default:
		a.Say("%s shared%s%s", are(shared+public), there, hidden(private, "private", memory.Shared, "shares"))
	}
	return nil
}

func are(n int) string { return cli.Plural(n, "memory is", "memories are") }

// hidden says how many memories stay hidden, and how to show them.
func hidden(n int, why string, wanted memory.Visibility, does string) string {
	if n == 0 {
		return ""
	}
	return ", " + cli.Plural(n, "is "+why+" and stays", "are "+why+" and stay") + " hidden: satchel revise ID --visibility " + string(wanted) + " " + does + " one"
}

// visibilities counts the valid memories by visibility: of the projects, or of all if none
// is named, and of the agent, if one is.
func visibilities(o *cli.Session, a *cli.App, projects []string, agent string) (map[memory.Visibility]int, error) {
	var counts map[memory.Visibility]int
	now := a.Now()
	err := o.Store.View(a.Ctx, o.Owner, func(r store.Reader) error {
		counts = map[memory.Visibility]int{}
		return documents.EachRow(a.Ctx, r, store.Filter{Projects: projects, Statuses: []memory.Status{memory.Active}, ValidAt: now}, func(row store.Row) {
			c := row.Columns
			if (agent == "" || c.Agent == agent) && (c.Expires.IsZero() || now.Before(c.Expires)) {
				counts[c.Visibility]++
			}
		})
	})
	return counts, err
}
