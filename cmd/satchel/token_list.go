package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/store"
)

type tokenListCmd struct {
	All bool `help:"Expired and revoked tokens too."`
}

// Run lists tokens by what they allow; the tokens themselves are not kept.
func (c *tokenListCmd) Run(a *app) error {
	return a.with(looking, func(o *opened) error {
		grants, err := o.Tokens(a.ctx, o.owner())
		if err != nil {
			return err
		}
		out := []tokenOut{}
		w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
		for _, g := range grants {
			shown := a.tokenOut(g)
			if !c.All && shown.State != inForce && shown.State != tooEarly {
				continue
			}
			out = append(out, shown)
			if a.json {
				continue
			}
			said, err := claimsOf(g.Claims)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%s\t%s, until %s\t%s\n", clean(g.ID), orDash(oneLine(calledBy(g), 40)), shown.State, local(g.Expires), described(g, said))
		}
		if a.json {
			return a.emit(map[string]any{"tokens": out})
		}
		if len(out) == 0 {
			a.say("no tokens")
		}
		return w.Flush()
	})
}

func described(g store.Grant, said claims) string {
	if len(g.Claims) == 0 {
		return "issued elsewhere"
	}
	return said.lets() + "; " + said.about()
}
