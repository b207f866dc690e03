package sharing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type tokenInspectCmd struct {
	Token    string `arg:"" help:"The token, or - for standard input."`
	Audience string `help:"Check for a server with this --audience. Default: the owner's DID." placeholder:"DID"`
}

// inspection is the result about a token.
type inspection struct {
	tokenOut
	Good bool   `json:"good"`
	Why  string `json:"why,omitempty"` // why a server would refuse it
	read ump.Claims
}

// Run says what a token allows. It asks only the store, which may be missing.
func (c *tokenInspectCmd) Run(a *cli.App) error {
	text, err := tokenText(a, c.Token)
	if err != nil {
		return err
	}
	read, err := ump.ReadToken(text)
	if err != nil {
		return err
	}
	found := inspection{Good: true, read: read, tokenOut: tokenOut{
		ID: read.ID, State: inForce, Expires: cli.Stamp(read.Expires), Claims: read.JSON(),
	}}
	switch err := found.look(a, c.Audience); {
	case err == nil:
	case memory.KindOf(err) == memory.Unauthorized:
		found.refuse(err)
	default:
		return err
	}
	if a.JSON {
		err = a.Emit(found)
	} else {
		err = found.show(a)
	}
	if err == nil && !found.Good {
		err = cli.Silent(cli.ExitRefused)
	}
	return err
}

// look checks a token as a server over the store would; without a store, by the token
// alone.
func (i *inspection) look(a *cli.App, audience string) error {
	if _, _, err := a.ExistingStore(); err != nil {
		a.Say("whether it was revoked is not known: %s", cli.Describe(err))
		return i.read.Check(a.Now(), cmp.Or(audience, i.read.Audience))
	}
	return a.With(cli.Looking, func(o *cli.Session) error {
		if err := letsIn(o, a.Ctx, i.read.Issuer); err != nil {
			return err
		}
		o.Owner = i.read.Issuer
		if err := i.read.Check(a.Now(), cmp.Or(audience, string(o.Owner))); err != nil {
			return err
		}
		grants, err := o.Tokens(a.Ctx, o.Caller())
		for _, g := range grants {
			if g.ID != i.read.ID {
				continue
			}
			i.Name, i.Issued, i.Revoked = calledBy(g), cli.Stamp(g.Issued), cli.Stamp(g.Revoked)
			if !g.Revoked.IsZero() {
				return ump.TokenError(ump.ErrTokenRevoked)
			}
		}
		return err
	})
}

// letsIn refuses the issuer of a token unless a server over the store would admit the
// caller it names.
func letsIn(o *cli.Session, ctx context.Context, issuer memory.DID) error {
	if issuer == o.Config.Owner {
		return nil
	}
	account, err := cli.AccountOf(ctx, o.Store, issuer)
	if err == nil && account.Added.IsZero() {
		err = &memory.Error{Kind: memory.Unauthorized, Message: "it is of another owner than this store", Err: ump.ErrTokenIssuer}
	}
	return err
}

// refuse notes why a server would refuse a token.
func (i *inspection) refuse(err error) {
	i.Good, i.Why = false, cli.Describe(err)
	if e, ok := errors.AsType[*memory.Error](err); ok {
		i.Why = e.Message
	}
	i.State = "refused"
	for state, cause := range map[string]error{expired: ump.ErrTokenExpired, tooEarly: ump.ErrTokenEarly, revoked: ump.ErrTokenRevoked} {
		if errors.Is(err, cause) {
			i.State = state
		}
	}
}

// show writes an inspection for people.
func (i *inspection) show(a *cli.App) error {
	said, err := claimsOf(i.Claims)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
	line := func(name, value string) { fmt.Fprintf(w, "%s\t%s\n", name, value) }
	line("token", cli.Clean(i.ID))
	if i.Name != "" {
		line("name", cli.OneLine(i.Name, 0))
	}
	line("issuer", string(i.read.Issuer)+", whose signature is good")
	line("allows", said.lets())
	line("about", said.about())
	if !i.read.NotBefore.IsZero() {
		line("from", cli.Local(i.read.NotBefore))
	}
	line("until", cli.Local(i.read.Expires))
	line("for", cmp.Or(cli.Clean(i.read.Audience), "any server that keeps the owner's memory"))
	verdict := "would be let in"
	if !i.Good {
		verdict = "would be refused: " + i.Why
	}
	line("verdict", verdict)
	return w.Flush()
}
