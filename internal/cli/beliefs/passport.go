package beliefs

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

// PassportCmd is the command satchel passport.
type PassportCmd struct {
	Set []string `sep:"none" help:"Change a member: display_name, timezone, locale, role, domains (separated by commas) or bio. May be repeated. NAME= removes the member." placeholder:"NAME=VALUE"`
}

// Run shows the identity, after the changes of the flags (ENGRAM-4-3).
func (c *PassportCmd) Run(a *cli.App) error {
	need := cli.Reading
	if len(c.Set) > 0 {
		need = cli.Writing
	}
	return a.With(need, func(o *cli.Session) error {
		v, err := whole(o, a)
		if err != nil {
			return err
		}
		if len(c.Set) > 0 {
			if err := c.set(&v.Identity); err != nil {
				return err
			}
			if v.Identity, err = o.Beliefs().Identify(a.Ctx, o.Caller(), v.Identity); err != nil {
				return err
			}
		}
		if a.JSON {
			return a.Emit(map[string]any{"identity": wired(v.Identity.Wire()), "counts": documents.CountsOf(v.Memory)})
		}
		showPassport(a, v)
		return nil
	})
}

// set changes members of an identity.
func (c *PassportCmd) set(i *engram.Identity) error {
	for _, arg := range c.Set {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return cli.Usagef("%q sets nothing; write a member and its value, such as timezone=Asia/Singapore", cli.Clean(arg))
		}
		switch value = strings.TrimSpace(value); name {
		case "display_name":
			i.DisplayName = value
		case "timezone":
			i.Timezone = value
		case "locale":
			i.Locale = value
		case "role":
			i.Role = value
		case "bio":
			i.Bio = value
		case "domains":
			i.Domains = slices.DeleteFunc(strings.Split(value, ","), func(s string) bool { return strings.TrimSpace(s) == "" })
			for n := range i.Domains {
				i.Domains[n] = strings.TrimSpace(i.Domains[n])
			}
		default:
			return cli.Usagef("a passport has no %q; it has display_name, timezone, locale, role, domains and bio", cli.Clean(name))
		}
	}
	return nil
}

func showPassport(a *cli.App, v engram.View) {
	i := v.Identity
	for _, line := range [][2]string{
		{"name", i.DisplayName}, {"timezone", i.Timezone}, {"locale", i.Locale}, {"role", i.Role},
		{"domains", strings.Join(i.Domains, ", ")}, {"bio", i.Bio}, {"since", localOr(i.CreatedAt)}, {"updated", localOr(i.LastUpdated)},
	} {
		if line[1] != "" {
			a.Print("%-11s %s", line[0], cli.OneLine(line[1], 0))
		}
	}
	n := documents.CountsOf(v.Memory)
	a.Print("beliefs     %d active, %d archived, %d deleted", n.Beliefs[engram.Active], n.Beliefs[engram.Archived], n.Beliefs[engram.Deleted])
	a.Print("history     %s, %s", cli.Plural(n.Changes, "change", "changes"), cli.Plural(n.Corrections-n.Pending, "correction", "corrections"))
	if n.Constraints > 0 {
		a.Print("constraints %d", n.Constraints)
	}
	if n.Pending > 0 {
		a.Print("waiting     %s: satchel corrections", cli.Plural(n.Pending, "correction", "corrections"))
	}
	if i.CreatedAt.IsZero() && i.LastUpdated.IsZero() {
		a.Say("you have not said who you are: satchel passport --set display_name=Ada --set timezone=Europe/London")
	}
}
