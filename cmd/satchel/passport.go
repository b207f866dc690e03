package main

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
)

type passportCmd struct {
	Set []string `sep:"none" help:"Change a member: display_name, timezone, locale, role, domains (separated by commas) or bio. May be repeated. NAME= removes the member." placeholder:"NAME=VALUE"`
}

// Run shows the identity, changed first where that was asked for (ENGRAM-4-3).
func (c *passportCmd) Run(a *app) error {
	need := reading
	if len(c.Set) > 0 {
		need = writing
	}
	return a.with(need, func(o *opened) error {
		v, err := o.whole(a)
		if err != nil {
			return err
		}
		if len(c.Set) > 0 {
			if err := c.set(&v.Identity); err != nil {
				return err
			}
			if v.Identity, err = o.Identify(a.ctx, o.owner(), v.Identity); err != nil {
				return err
			}
		}
		if a.json {
			return a.emit(map[string]any{"identity": wired(v.Identity.Wire()), "counts": countsOf(v.Memory)})
		}
		showPassport(a, v)
		return nil
	})
}

// set changes members of an identity.
func (c *passportCmd) set(i *engram.Identity) error {
	for _, arg := range c.Set {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return usagef("%q sets nothing; write a member and its value, such as timezone=Asia/Singapore", clean(arg))
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
			return usagef("a passport has no %q; it has display_name, timezone, locale, role, domains and bio", clean(name))
		}
	}
	return nil
}

// counts says how much of what a memory holds.
type counts struct {
	Beliefs     map[engram.Status]int `json:"beliefs"`
	Changes     int                   `json:"evolution"`
	Corrections int                   `json:"corrections"`
	Pending     int                   `json:"pending"`
	Constraints int                   `json:"constraints"`
}

func countsOf(m engram.Memory) counts {
	n := counts{Beliefs: map[engram.Status]int{}, Changes: len(m.Evolution), Corrections: len(m.Corrections)}
	for _, b := range m.Beliefs {
		n.Beliefs[b.Status]++
	}
	for _, k := range m.Corrections {
		if k.Status == engram.Pending {
			n.Pending++
		}
	}
	for _, k := range m.Constraints {
		if k.Status != string(engram.Deleted) {
			n.Constraints++
		}
	}
	return n
}

func showPassport(a *app, v engram.View) {
	i := v.Identity
	for _, line := range [][2]string{
		{"name", i.DisplayName}, {"timezone", i.Timezone}, {"locale", i.Locale}, {"role", i.Role},
		{"domains", strings.Join(i.Domains, ", ")}, {"bio", i.Bio}, {"since", localOr(i.CreatedAt)}, {"updated", localOr(i.LastUpdated)},
	} {
		if line[1] != "" {
			a.print("%-11s %s", line[0], oneLine(line[1], 0))
		}
	}
	n := countsOf(v.Memory)
	a.print("beliefs     %d active, %d archived, %d deleted", n.Beliefs[engram.Active], n.Beliefs[engram.Archived], n.Beliefs[engram.Deleted])
	a.print("history     %s, %s", plural(n.Changes, "change", "changes"), plural(n.Corrections-n.Pending, "correction", "corrections"))
	if n.Constraints > 0 {
		a.print("constraints %d", n.Constraints)
	}
	if n.Pending > 0 {
		a.print("waiting     %s: satchel corrections", plural(n.Pending, "correction", "corrections"))
	}
	if i.CreatedAt.IsZero() && i.LastUpdated.IsZero() {
		a.say("you have not said who you are: satchel passport --set display_name=Ada --set timezone=Europe/London")
	}
}
