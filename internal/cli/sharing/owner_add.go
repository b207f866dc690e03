package sharing

import (
	"crypto/rand"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

type ownerAddCmd struct {
	Label  string     `help:"A name for the owner." placeholder:"NAME"`
	Public memory.DID `xor:"key" help:"The owner's public key, as a did:key. The owner's own programs keep the key and sign." placeholder:"DID"`
	Key    string     `xor:"key" help:"Use the key in this file. Default: a new key." placeholder:"FILE"`
	TTL    cli.Span   `name:"ttl" help:"How long the owner's first token is valid: 24h, 30d, 1y or P30D, up to a year. Default: 90d." placeholder:"TIME"`
	quotaFlags
}

// firstToken is how long an owner's first token is valid by default.
const firstToken = 90 * cli.Day

// added is a new owner, for machines.
type added struct {
	Owner   memory.DID `json:"owner"`
	Label   string     `json:"label,omitempty"`
	Quota   *quotaOut  `json:"quota,omitempty"`
	Key     string     `json:"key"` // here or client
	Token   string     `json:"token,omitempty"`
	Expires string     `json:"expires,omitempty"`
}

// Run adds an owner. The first token goes to standard output; the store does not keep it.
func (c *ownerAddCmd) Run(a *cli.App) error {
	order, err := c.order(a)
	if err != nil {
		return err
	}
	expires, err := c.expires(a.Now())
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		info, err := o.AddOwner(a.Ctx, o.Operator(), order)
		if err != nil {
			return err
		}
		done := added{Owner: info.Owner, Label: info.Label, Key: "client"}
		if info.Quota != (store.Quota{}) {
			done.Quota = &quotaOut{info.Quota.Records, info.Quota.Bytes}
		}
		if c.Public == "" {
			done.Key, done.Expires = "here", cli.Stamp(expires)
			if done.Token, err = mintFirstToken(o, a, info.Owner, expires); err != nil {
				return err
			}
		}
		return done.report(a, expires)
	})
}

// order reads the order. It makes a key if none is given.
func (c *ownerAddCmd) order(a *cli.App) (order vault.AccountOrder, err error) {
	order = vault.AccountOrder{Label: c.Label, Public: c.Public, Quota: c.over(store.Quota{})}
	if c.Public != "" {
		return order, nil
	}
	if c.Key == "" {
		order.Key, err = keys.Generate(rand.Reader)
		return order, err
	}
	sources := a.EnvironmentPassphrases()
	if a.Interactive() {
		sources = append(sources, a.AskPassphrase("Passphrase of the key in "+c.Key))
	}
	order.Key, _, err = cli.UnlockWith(c.Key, sources)
	return order, err
}

func (c *ownerAddCmd) expires(now time.Time) (time.Time, error) {
	switch {
	case c.TTL.Text == "":
		return now.Add(firstToken).Truncate(time.Second), nil
	case c.Public != "":
		return time.Time{}, cli.Usagef("--ttl is about a token, which whoever has the key makes; leave it out with --public")
	}
	end := c.TTL.After(now).Truncate(time.Second)
	switch {
	case end.After(now.AddDate(1, 0, 0)):
		return end, cli.Usagef("--ttl is for at most a year; another token can be made at any time with satchel --owner DID token mint --self")
	case !end.After(now):
		return end, cli.Usagef("--ttl must be above 0")
	}
	return end, nil
}

// mintFirstToken issues a token with which an owner acts in person.
func mintFirstToken(o *cli.Session, a *cli.App, owner memory.DID, expires time.Time) (string, error) {
	if err := o.Open(a.Ctx, owner); err != nil {
		return "", err
	}
	token, _, err := o.MintToken(a.Ctx, memory.Caller{Owner: owner, Role: memory.Owner}, vault.TokenOrder{Own: true, Expires: expires, Name: "first"})
	return token, err
}

// report prints the new owner, and how to get in.
func (d added) report(a *cli.App, expires time.Time) error {
	if a.JSON {
		return a.Emit(d)
	}
	a.Print("owner  %s", d.Owner)
	if d.Label != "" {
		a.Print("label  %s", cli.OneLine(d.Label, 0))
	}
	if d.Token == "" {
		a.Say("the owner's own programs sign every memory, and make the tokens by which they come in: with Satchel, satchel token mint --self " +
			"over the store that has the key; see docs/http.md")
		return nil
	}
	a.Print("token  %s", d.Token)
	a.Warn("whoever has this token is the owner, until %s; it is shown this once", cli.Local(expires))
	a.Say("the key is kept in the store, sealed by that of the home folder; another token like this: satchel --owner %s token mint --self", d.Owner)
	return nil
}
