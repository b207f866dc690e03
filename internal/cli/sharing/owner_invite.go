package sharing

import (
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/roster"
	"github.com/satchel-memory/satchel/memory"
)

type ownerInviteCmd struct {
	Who string `arg:"" name:"owner" help:"The owner, by DID or label."`
	At  string `name:"at" help:"Where browsers reach the server, such as https://memory.example. Default: the server of this store that runs here." placeholder:"URL"`
}

// invitation lets an owner's browser in, for machines.
type invitation struct {
	Owner memory.DID `json:"owner"`
	URL   string     `json:"url"`
	Ends  time.Time  `json:"ends"`
}

// Run makes an invitation. Its link opens the owner's pages once, in the first browser that
// shows it.
func (c *ownerInviteCmd) Run(a *cli.App) error {
	if u, err := url.Parse(c.At); c.At != "" && (err != nil || u.Host == "" || u.Path != "" || u.Scheme != "https" && u.Scheme != "http") {
		return cli.Usagef("%s is no address of a server; write it as https://memory.example", cli.Clean(c.At))
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		owner, err := o.FindOwner(a.Ctx, c.Who)
		if err != nil {
			return err
		}
		info, err := o.Vault.Owner(a.Ctx, o.Operator(), owner)
		switch {
		case err != nil:
			return err
		case o.IsRemoved(info):
			return cli.RefuseRemoved(owner)
		}
		at := c.At
		if at == "" {
			if at = cli.RunningPages(o.Home); at == "" {
				return cli.Refusedf("no server of this store runs here: say with --at where browsers reach one")
			}
		}
		e, err := roster.New(o.Vault).Invite(a.Ctx, o.Operator(), owner)
		if err != nil {
			return err
		}
		out := invitation{Owner: owner, URL: pages.EntranceLink(at, "", e.Secret), Ends: e.Ends}
		if a.JSON {
			return a.Emit(out)
		}
		a.Print("%s", out.URL)
		a.Warn("whoever opens this link first, until %s, reads the memory of %s: send it where only the owner sees it", cli.Local(out.Ends), owner)
		return nil
	})
}
