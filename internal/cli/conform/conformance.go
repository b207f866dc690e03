package conform

import (
	"crypto/rand"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	umpsuite "github.com/satchel-memory/satchel/conformance/ump"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Cmd is the command satchel conformance.
type Cmd struct {
	UMP    conformanceUMPCmd    `cmd:"" name:"ump" help:"Test a server against UMP, in the edition that it announces." set:"token=A token of the owner's side"`
	AIMEM  conformanceAIMEMCmd  `cmd:"" name:"aimem" help:"Test a server against the AIMEM Bundle. The run imports some hundred chunks." set:"token=A token that may export and import"`
	Engram conformanceEngramCmd `cmd:"" name:"engram" help:"Test a store or an assistant against Engram." set:"token=A token for the whole context"`
	AAIF   conformanceAAIFCmd   `cmd:"" name:"aaif" help:"Test documents or a platform against AAIF (SC-006 3.4)." set:"token=A token that may have definitions taken in"`
}

type conformanceUMPCmd struct {
	cli.Server

	Level   string `default:"" enum:",L0,L1,L2,L3" help:"The level to test: L0 to L3. Default: the level that the server announces." placeholder:"L"`
	Patient bool   `help:"Wait up to 20 seconds for a stream's sign of life, and as long for an event."`
}

// Run tests the server and ends with status 1 unless it passes every row that counts.
func (c *conformanceUMPCmd) Run(a *cli.App) (err error) {
	client, err := c.Client()
	if err != nil {
		return err
	}
	target := umpsuite.Target{
		URL: c.URL, Owner: memory.DID(a.Owner), Level: c.Level, Strict: c.Strict, Only: rowsOf("UMP-", c.Only), Now: a.Now, Random: rand.Reader, Client: client,
	}
	if c.Patient {
		target.Patience, target.Heartbeat = patience, patience
	}
	done, err := c.credentials(a, &target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	tried, clear := progress(a)
	summary, err := umpsuite.Run(a.Ctx, target, tried)
	clear()
	switch {
	case err != nil:
		return c.WithAdvice(err)
	case len(summary.Rows) == 0:
		return cli.Usagef("there is no row %s; conformance/requirements/ump.tsv lists them", cli.Clean(strings.Join(c.Only, ", ")))
	}
	if err := c.tell(a, summary); err != nil {
		return err
	}
	if !summary.OK() {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// credentials finds the token, and the key for the store's own server. The caller calls the
// returned function at the end.
func (c *conformanceUMPCmd) credentials(a *cli.App, t *umpsuite.Target) (func() error, error) {
	nothing := func() error { return nil }
	u, err := c.Address()
	if err != nil {
		return nil, err
	}
	if t.Token, err = c.ReadToken(a); err != nil {
		return nil, err
	}
	own := t.Token == "" && (c.Own || ownServer(a, u))
	if t.Token != "" || own {
		if err := c.Unread(u); err != nil {
			return nil, err
		}
	}
	if !own {
		return nothing, nil
	}
	o, err := a.Open(cli.Signing)
	if err != nil {
		return nil, err
	}
	if t.Token, err = o.ReadToken(); err == nil && o.Owner != o.Config.Owner {
		err = cli.Usagef("the token of the home folder is its owner's: give one of %s with --token", o.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	key := o.Key
	t.Key, t.Owner = &key, o.Owner
	t.Revoke = func(jti string) error { return o.RevokeToken(a.Ctx, o.Caller(), jti) }
	a.Say("using the token and the key of the store in %s; what is written is erased in the end", o.Dir)
	return o.Close, nil
}

// ownServer reports whether an address is that of satchel serve for this store.
func ownServer(a *cli.App, u *url.URL) bool {
	_, config, err := a.ExistingStore()
	_, port, split := net.SplitHostPort(u.Host)
	return err == nil && split == nil && httpkit.OnThisMachine(u) && port == strconv.Itoa(config.Port)
}

// tell prints the results.
func (c *conformanceUMPCmd) tell(a *cli.App, s umpsuite.Summary) error {
	for _, id := range s.Left {
		a.Warn("could not be removed from the server: %s", cli.Clean(string(id)))
	}
	if a.JSON {
		return a.Emit(map[string]any{
			"server": s.Server, "ump": s.Edition, "owner": s.Owner, "level": s.Level, "strict": c.Strict, "ok": s.OK(),
			"partial": s.Partial, "counts": s.Counts, "rows": s.Rows, "extra": cli.OrEmpty(s.Extra), "before": cli.OrEmpty(s.Before), "left": cli.OrEmpty(s.Left),
		})
	}
	printRows(a, c.All, "%-14s %-11s %-8s %s", s.Rows)
	if len(s.Extra) > 0 {
		a.Print("members that the specification does not name: %s", cli.Clean(strings.Join(s.Extra, ", ")))
	}
	if len(s.Before) > 0 {
		a.Print("in records that were there before, which do not count: %s", cli.Clean(strings.Join(s.Before, ", ")))
	}
	a.Print("%s %s: %s", cli.Clean(s.Server), standing("UMP "+cli.Clean(s.Edition)+" / "+s.Level, s.OK(), s.Partial), tally(s.Counts))
	return nil
}

// patience is how long --patient waits: longer than a stream may be silent.
const patience = 20 * time.Second
