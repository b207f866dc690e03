package sharing

import (
	"encoding/base64"
	"io"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

// issuerOut describes an issuer's keys for machines.
type issuerOut struct {
	Name string         `json:"name"`
	URL  string         `json:"url,omitempty"`
	DID  string         `json:"did,omitempty"`
	Keys []issuerKeyOut `json:"keys"` // that are listed, the one that signs first
}

// issuerKeyOut is a key: the public half.
type issuerKeyOut struct {
	Kid     string `json:"kid"`
	Public  string `json:"public_key"` // base64url
	Created string `json:"created_at"`
	Expires string `json:"expires_at"`
}

func showIssuer(o *cli.Session, a *cli.App) (issuerOut, error) {
	i := o.Config.CurrentIssuer()
	out := issuerOut{Name: i.Name, URL: i.URL, DID: i.DID, Keys: []issuerKeyOut{}}
	list, err := i.Public(o.Key, a.Now())
	for _, k := range list {
		out.Keys = append(out.Keys, issuerKeyOut{k.Kid, base64.RawURLEncoding.EncodeToString(k.Public), cli.Stamp(k.CreatedAt), cli.Stamp(k.ExpiresAt)})
	}
	return out, err
}

func (i issuerOut) show(a *cli.App) {
	a.Print("issuer       %s%s", cli.Clean(i.Name), map[bool]string{true: " at " + cli.Clean(i.URL)}[i.URL != ""])
	for n, k := range i.Keys {
		what := map[bool]string{true: "signs contexts", false: "signed before"}[n == 0]
		a.Print("%-12s %s, %s, until %s", k.Kid, k.Public, what, documents.LocalStamp(k.Expires))
	}
}

// rotateIssuer changes to the next key for contexts.
func rotateIssuer(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		next := o.Config.CurrentIssuer().Rotated(a.Now())
		k, _ := next.Current()
		if err := changeIssuer(o, a, k.Kid, "issuer_key", next); err != nil {
			return err
		}
		return toldIssuer(o, a, "Contexts are signed with %s from now on, by servers that are running, too. What the key before signed stays good until it ends, within %d hours at most.",
			k.Kid, int(engram.MaxLifetime.Hours()))
	})
}

// changeIssuer is WithIssuer for a command.
func changeIssuer(o *cli.Session, a *cli.App, kid, what string, next cli.Issuer) (err error) {
	o.Config, err = o.WithIssuer(a, o.Config, kid, what, next)
	return err
}

// toldIssuer shows the keys after a change, and says what it was.
func toldIssuer(o *cli.Session, a *cli.App, said string, args ...any) error {
	out, err := showIssuer(o, a)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(out)
	}
	out.show(a)
	a.Say(said, args...)
	return nil
}

type keysRevokeCmd struct {
	Kid string `arg:"" help:"The key, as keys show lists it, such as key-2026-06."`
}

// Run revokes a key for contexts: from now on readers refuse what it signed.
func (c *keysRevokeCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		next, err := o.Config.CurrentIssuer().Without(c.Kid, a.Now())
		if err == nil {
			err = changeIssuer(o, a, c.Kid, "issuer_key_revoked", next)
		}
		if err != nil {
			return err
		}
		return toldIssuer(o, a, "%s is not listed any more: whoever looks refuses the contexts that it signed.", cli.Clean(c.Kid))
	})
}

type keysIssuerCmd struct {
	Name *string `help:"The name of this store, for assistants." placeholder:"N"`
	URL  *string `name:"url" help:"The address of this store for assistants, whose list of keys they trust: https://…" placeholder:"URL"`
	DID  *string `name:"did" help:"A DID of this store, shown beside its name." placeholder:"DID"`

	Output string `short:"o" help:"Write the public keys that verify exports to a file, for others to trust." placeholder:"FILE"`
}

// Run sets the name and address of the issuer, or writes its keys.
func (c *keysIssuerCmd) Run(a *cli.App) error {
	if c.URL != nil {
		if err := cli.CheckIssuerURL(*c.URL); err != nil {
			return err
		}
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		var err error
		if o.Config, err = o.Renewed(a, o.Config); err != nil {
			return err
		}
		if c.Name == nil && c.URL == nil && c.DID == nil {
			return c.handOut(a, o)
		}
		next := o.Config.CurrentIssuer()
		for to, said := range map[*string]*string{&next.Name: c.Name, &next.URL: c.URL, &next.DID: c.DID} {
			if said != nil {
				*to = *said
			}
		}
		k, _ := next.Current()
		if err := changeIssuer(o, a, k.Kid, "issuer", next); err != nil {
			return err
		}
		if err := c.writeKeys(a, o); err != nil {
			return err
		}
		return toldIssuer(o, a, "Contexts are issued so from now on. Runtimes that expect another address refuse them.")
	})
}

// handOut writes the list of keys, and shows it.
func (c *keysIssuerCmd) handOut(a *cli.App, o *cli.Session) error {
	if err := c.writeKeys(a, o); err != nil {
		return err
	}
	return toldIssuer(o, a, "Whoever verifies your exports trusts these keys: satchel trust add %s FILE", cli.Clean(documents.IssuerURL(o.Config)))
}

// writeKeys writes the list of keys as it is published (Engram 3.8).
func (c *keysIssuerCmd) writeKeys(a *cli.App, o *cli.Session) error {
	if c.Output == "" {
		return nil
	}
	list, err := o.Config.CurrentIssuer().Public(o.Key, a.Now())
	if err != nil {
		return err
	}
	return a.Place(c.Output, func(w io.Writer) error {
		_, err := w.Write(append(engram.EncodeKeys(list), '\n'))
		return err
	})
}
