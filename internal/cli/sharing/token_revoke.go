package sharing

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type tokenRevokeCmd struct {
	Token     string `arg:"" help:"The token's jti or name, its assistant, the token itself, or - for standard input."`
	Elsewhere bool   `help:"Accept a jti that was not issued here."`
}

// Run ends a token.
func (c *tokenRevokeCmd) Run(a *cli.App) error {
	text, err := tokenText(a, c.Token)
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		grants, err := o.Tokens(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		id, err := c.tokenID(o, text, grants, a.Now())
		if err != nil {
			return err
		}
		at := slices.IndexFunc(grants, func(g store.Grant) bool { return g.ID == id && !g.Revoked.IsZero() })
		err = o.RevokeToken(a.Ctx, o.Caller(), id)
		if err == nil && at >= 0 {
			at, err = stillRevoked(o, a, grants[at])
		}
		switch {
		case err != nil:
			return err
		case a.JSON:
			return a.Emit(map[string]any{"jti": id, "result": revoked, "before": at >= 0})
		case at >= 0:
			a.Print("%s was revoked already, at %s", cli.Clean(id), cli.Local(grants[at].Revoked))
		default:
			a.Print("revoked %s: nobody is let in here with it any more", cli.Clean(id))
		}
		return nil
	})
}

// stillRevoked returns the place of an already revoked grant in the list, or -1 if this
// call revoked it: somebody had restored it to an earlier state.
func stillRevoked(o *cli.Session, a *cli.App, before store.Grant) (int, error) {
	grants, err := o.Tokens(a.Ctx, o.Caller())
	return slices.IndexFunc(grants, func(g store.Grant) bool { return g.ID == before.ID && g.Revoked.Equal(before.Revoked) }), err
}

// tokenID returns the jti of a token that is given as a token, a jti or a name.
func (c *tokenRevokeCmd) tokenID(o *cli.Session, text string, grants []store.Grant, now time.Time) (string, error) {
	if ump.IsToken(text) {
		read, err := ump.ReadToken(text)
		if err == nil && read.Issuer != o.Owner {
			err = cli.Refusedf("the token is of another owner, %s: nobody is let in here with it", cli.Clean(string(read.Issuer)))
		}
		return read.ID, err
	}
	if slices.ContainsFunc(grants, func(g store.Grant) bool { return g.ID == text }) || c.Elsewhere {
		return text, nil
	}
	return byName(text, grants, now)
}

// byName returns the jti of the token with a name, its own or its assistant's: of the one
// in force, else of the latest expired or revoked one.
func byName(name string, grants []store.Grant, now time.Time) (string, error) {
	good, ended := []string{}, ""
	for _, g := range grants { // latest first
		switch state := stateOf(g, now); {
		case g.Name != name && runtimeOf(g) != name || name == "":
		case state == inForce || state == tooEarly:
			good = append(good, g.ID)
		case ended == "":
			ended = g.ID
		}
	}
	switch {
	case len(good) > 1:
		return "", &cli.Failure{Status: cli.ExitFailed, Err: errors.New("several tokens have that name; name the one you mean by its jti, as token list shows it")}
	case len(good) == 1:
		return good[0], nil
	case ended != "":
		return ended, nil
	}
	return "", &memory.Error{Kind: memory.NotFound, Op: "token",
		Message: "no token has that jti or name; paste the token itself with -, or say --elsewhere if it was issued elsewhere"}
}
