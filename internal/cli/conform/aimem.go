package conform

import (
	"crypto/rand"
	"errors"

	aimemsuite "github.com/satchel-memory/satchel/conformance/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
)

type conformanceAIMEMCmd struct {
	cli.Server

	ReaderToken string `help:"A token that may neither export nor import, to test refusals." placeholder:"T"`
	Erase       bool   `help:"Test erasure at the end. It erases everything that the token's owner has there."`
	Yes         bool   `help:"With --erase: do not ask."`
}

// Run tests the server and ends with status 1 unless it passes every row that counts.
func (c *conformanceAIMEMCmd) Run(a *cli.App) error {
	if missing := noRow(c.Only); missing != "" {
		return cli.Usagef("there is no row %s; conformance/requirements/aimem.tsv lists them", cli.Clean(missing))
	}
	client, err := c.Client()
	if err != nil {
		return err
	}
	token, err := c.credentials(a)
	if err != nil {
		return err
	}
	target := aimemsuite.Target{
		URL: c.URL, Token: token, Client: client, Reader: c.ReaderToken, Strict: c.Strict, Only: rowsOf("AIMEM-", c.Only), Erase: c.Erase, Now: a.Now, Random: rand.Reader,
	}
	if err := reachable(a, client, c.URL); err != nil {
		return c.WithAdvice(err)
	}
	a.Say("%s will take in some hundred chunks of the tenant of this token; on a satchel server import --list shows them, and import --undo takes them back", cli.Clean(c.URL))
	tried, clear := progress(a)
	summary, err := aimemsuite.Run(a.Ctx, target, tried)
	clear()
	switch {
	case errors.Is(err, aimemsuite.ErrToken):
		return cli.Refusedf("%w: give --token or --token-file; %s", err, whereTokens)
	case err != nil:
		return c.WithAdvice(err)
	}
	if err := c.tell(a, summary); err != nil {
		return err
	}
	if !summary.OK() {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// credentials returns the token. It goes to the named server only, and only where others
// cannot read it; a test that erases everything needs a yes.
func (c *conformanceAIMEMCmd) credentials(a *cli.App) (string, error) {
	u, err := c.Address()
	if err != nil {
		return "", err
	}
	token, err := c.ReadToken(a)
	if err != nil {
		return "", err
	}
	if token == "" && c.Own {
		if token, err = ownToken(a); err != nil {
			return "", err
		}
	}
	if token == "" {
		return "", cli.Usagef("a run needs a token that may export and import: give --token or --token-file, or --own for the server of this store; %s", whereTokens)
	}
	if err := c.Unread(u); err != nil {
		return "", err
	}
	if c.Erase && !c.Yes {
		return "", cli.Refusedf("--erase erases everything that the owner of the token has on %s: say --yes, too, if that is meant", cli.Clean(u.Host))
	}
	return token, nil
}

// tell prints the results.
func (c *conformanceAIMEMCmd) tell(a *cli.App, s aimemsuite.Summary) error {
	if a.JSON {
		return a.Emit(map[string]any{
			"server": c.URL, "producer": s.Producer, "strict": c.Strict, "ok": s.OK(), "partial": s.Partial, "counts": s.Counts, "rows": s.Rows,
			"wrote": s.Wrote, "left": s.Left,
		})
	}
	printRows(a, c.All, "%-14s %-13s %-10s %s", s.Rows)
	if s.Left {
		a.Say("%d chunks were taken in and stay there; of a satchel server, import --list and import --undo take them back", s.Wrote)
	}
	a.Print("%s (%s) %s: %s", cli.Clean(c.URL), cli.Clean(s.Producer), standing("AIMEM 1", s.OK(), s.Partial), tally(s.Counts))
	return nil
}
