package conform

import (
	"crypto/rand"
	"errors"
	"strings"

	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

type conformanceEngramCmd struct {
	cli.Server

	Issuer   string `help:"The expected issuer. Default: the address of the store." placeholder:"URL"`
	Narrow   string `help:"A token for the scope professional, to test that it sees no more." placeholder:"T"`
	Expired  string `help:"An expired token, to test refusals." placeholder:"T"`
	Reads    string `help:"A token that may not propose corrections, to test refusals." placeholder:"T"`
	ReadOnly bool   `help:"Propose no correction."`
	Runtime  bool   `help:"Test an assistant: the words after -- are its command. {url}, {token} and {audience} are replaced, and $$ENGRAM_URL and $$ENGRAM_TOKEN are set. The command prints its system prompt behind $$ENGRAM_BASE_PROMPT, or fails and prints nothing."`
	Level    string `default:"full" enum:"minimal,full" help:"With --runtime: minimal tests only what the smallest assistant does." placeholder:"L"`
	Correct  string `name:"runtime-correct" help:"With --runtime: the command that proposes a correction, with {belief} and {value}." placeholder:"COMMAND"`
	Sync     string `name:"runtime-sync" help:"With --runtime: the command that asks for changes since {since}." placeholder:"COMMAND"`

	Command []string `arg:"" optional:"" help:"With --runtime: the rest of its command."`
}

// Run tests the store and ends with status 1 unless it passes every row that counts.
func (c *conformanceEngramCmd) Run(a *cli.App) (err error) {
	switch {
	case c.Runtime:
		return c.runRuntime(a)
	case len(c.Command) > 0:
		return cli.Usagef("one store is tried at a time: %s is too much; a runtime is tried with --runtime -- COMMAND", cli.Clean(c.Command[0]))
	}
	for i, id := range rowsOf("ENGRAM-", c.Only) {
		if !engramsuite.Tries(id) {
			return cli.Usagef("there is no row %s; conformance/requirements/engram.tsv lists them", cli.Clean(c.Only[i]))
		}
	}
	client, err := c.Client()
	if err != nil {
		return err
	}
	target := engramsuite.Target{
		URL: c.URL, Client: client, Issuer: c.Issuer, Narrow: c.Narrow, Expired: c.Expired, Reads: c.Reads, ReadOnly: c.ReadOnly, Strict: c.Strict,
		Only: rowsOf("ENGRAM-", c.Only), Now: a.Now, Random: rand.Reader,
	}
	done, err := c.credentials(a, &target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := reachable(a, client, c.URL); err != nil {
		return c.WithAdvice(err)
	}
	tried, clear := progress(a)
	summary, err := engramsuite.Run(a.Ctx, target, tried)
	clear()
	switch {
	case errors.Is(err, engramsuite.ErrToken):
		return cli.Refusedf("%w: give --token or --token-file; of satchel, token mint --runtime NAME --scope full makes one", err)
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

// credentials finds the tokens, and acts for the owner if the store is this one. The caller
// calls the returned function at the end.
func (c *conformanceEngramCmd) credentials(a *cli.App, t *engramsuite.Target) (func() error, error) {
	nothing := func() error { return nil }
	u, err := c.Address()
	if err != nil {
		return nothing, err
	}
	if t.Token, err = c.ReadToken(a); err != nil {
		return nothing, err
	}
	own := t.Token == "" && c.Own
	if t.Token == "" && !own {
		return nothing, cli.Usagef("a run needs a token for the whole context: give --token or --token-file, or --own for the server of this store")
	}
	if err := c.Unread(u); err != nil || !own {
		return nothing, err
	}
	o, err := a.Open(cli.Signing)
	if err != nil {
		return nothing, err
	}
	h := &engramHands{opened: o}
	done := func() error { return errors.Join(h.revoke(a), o.Close()) }
	if err := h.tokens(a, t); err != nil {
		return nothing, errors.Join(err, done())
	}
	a.Say("using tokens of the store in %s; what is stated in it is deleted in the end, and leaves tombstones; what is proposed is rejected", o.Dir)
	return done, nil
}

// tell prints the results, the tier, and the requirements of a listing (section 6).
func (c *conformanceEngramCmd) tell(a *cli.App, s engramsuite.Summary) error {
	if a.JSON {
		return a.Emit(map[string]any{
			"store": c.URL, "name": s.Issuer.Name, "url": s.Issuer.URL, "tier": s.Tier, "strict": c.Strict, "ok": s.OK(), "partial": s.Partial, "counts": s.Counts,
			"rows": s.Rows, "left": cli.OrEmpty(s.Left),
		})
	}
	printRows(a, c.All, engramRow, s.Rows)
	if len(s.Left) > 0 {
		a.Say("waiting for the owner, who may reject them: %s", cli.Clean(strings.Join(s.Left, ", ")))
	}
	a.Print("to list it: %s, %s, tier %s, and a link to its documentation", cli.Clean(s.Issuer.Name), cli.Clean(s.Issuer.URL), tierOf(s))
	a.Print("%s %s: %s", cli.Clean(c.URL), standing("Engram 0.1", s.OK(), s.Partial), tally(s.Counts))
	return nil
}

// engramRow is the form of a row in print.
const engramRow = "%-14s %-18s %-8s %s"

func tierOf(s engramsuite.Summary) string {
	if s.Tier == "" {
		return "none"
	}
	return string(s.Tier)
}
