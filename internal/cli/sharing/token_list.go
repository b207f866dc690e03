package sharing

import (
	"fmt"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
)

type tokenListCmd struct {
	All bool `help:"Expired and revoked tokens too."`
}

// Run lists tokens and what they allow; the store does not keep the tokens themselves.
func (c *tokenListCmd) Run(a *cli.App) error {
	return a.With(cli.Looking, func(o *cli.Session) error {
		grants, err := o.Tokens(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		out := []tokenOut{}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, g := range grants {
			shown := showToken(a, g)
			if !c.All && shown.State != inForce && shown.State != tooEarly {
				continue
			}
			out = append(out, shown)
			if a.JSON {
				continue
			}
			said, err := claimsOf(g.Claims)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%s\t%s, until %s\t%s\n", cli.Clean(g.ID), cli.OrDash(cli.OneLine(calledBy(g), 40)), shown.State, cli.Local(g.Expires), described(g, said))
		}
		if a.JSON {
			return a.Emit(map[string]any{"tokens": out})
		}
		if len(out) == 0 {
			a.Say("no tokens")
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
