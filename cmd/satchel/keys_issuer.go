package main

import (
	"encoding/base64"
	"io"

	"github.com/satchel-memory/satchel/engram"
)

// issuerOut is what there is to know of an issuer's keys, for machines.
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

func (o *opened) issuerOut(a *app) (issuerOut, error) {
	i := o.config.issuer()
	out := issuerOut{Name: i.Name, URL: i.URL, DID: i.DID, Keys: []issuerKeyOut{}}
	list, err := i.public(o.key, a.now())
	for _, k := range list {
		out.Keys = append(out.Keys, issuerKeyOut{k.Kid, base64.RawURLEncoding.EncodeToString(k.Public), stamp(k.CreatedAt), stamp(k.ExpiresAt)})
	}
	return out, err
}

func (i issuerOut) show(a *app) {
	a.print("issuer       %s%s", clean(i.Name), map[bool]string{true: " at " + clean(i.URL)}[i.URL != ""])
	for n, k := range i.Keys {
		what := map[bool]string{true: "signs contexts", false: "signed before"}[n == 0]
		a.print("%-12s %s, %s, until %s", k.Kid, k.Public, what, localStamp(k.Expires))
	}
}

// rotateIssuer goes over to the next key for contexts.
func (a *app) rotateIssuer() error {
	return a.with(signing, func(o *opened) error {
		next := o.config.issuer().rotated(a.now())
		k, _ := next.current()
		if err := o.changeIssuer(a, k.Kid, "issuer_key", next); err != nil {
			return err
		}
		return o.toldIssuer(a, "Contexts are signed with %s from now on, by servers that are running, too. What the key before signed stays good until it ends, within %d hours at most.",
			k.Kid, int(engram.MaxLifetime.Hours()))
	})
}

// changeIssuer is withIssuer for a command.
func (o *opened) changeIssuer(a *app, kid, what string, next issuer) (err error) {
	o.config, err = o.withIssuer(a, o.config, kid, what, next)
	return err
}

// toldIssuer shows the keys after a change, and says what it was.
func (o *opened) toldIssuer(a *app, said string, args ...any) error {
	out, err := o.issuerOut(a)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(out)
	}
	out.show(a)
	a.say(said, args...)
	return nil
}

type keysRevokeCmd struct {
	Kid string `arg:"" help:"The key, as keys show lists it, such as key-2026-06."`
}

// Run takes a key for contexts back: what it signed is refused from now on.
func (c *keysRevokeCmd) Run(a *app) error {
	return a.with(signing, func(o *opened) error {
		next, err := o.config.issuer().without(c.Kid, a.now())
		if err == nil {
			err = o.changeIssuer(a, c.Kid, "issuer_key_revoked", next)
		}
		if err != nil {
			return err
		}
		return o.toldIssuer(a, "%s is not listed any more: whoever looks refuses the contexts that it signed.", clean(c.Kid))
	})
}

type keysIssuerCmd struct {
	Name *string `help:"The name of this store, for assistants." placeholder:"N"`
	URL  *string `name:"url" help:"The address of this store for assistants, whose list of keys they trust: https://…" placeholder:"URL"`
	DID  *string `name:"did" help:"A DID of this store, shown beside its name." placeholder:"DID"`

	Output string `short:"o" help:"Write the public keys that verify exports to a file, for others to trust." placeholder:"FILE"`
}

// Run says under what name and address contexts are issued, or hands their keys out.
func (c *keysIssuerCmd) Run(a *app) error {
	if c.URL != nil {
		if err := checkIssuerURL(*c.URL); err != nil {
			return err
		}
	}
	return a.with(signing, func(o *opened) error {
		var err error
		if o.config, err = o.renewed(a, o.config); err != nil {
			return err
		}
		if c.Name == nil && c.URL == nil && c.DID == nil {
			return c.handOut(a, o)
		}
		next := o.config.issuer()
		for to, said := range map[*string]*string{&next.Name: c.Name, &next.URL: c.URL, &next.DID: c.DID} {
			if said != nil {
				*to = *said
			}
		}
		k, _ := next.current()
		if err := o.changeIssuer(a, k.Kid, "issuer", next); err != nil {
			return err
		}
		if err := c.writeKeys(a, o); err != nil {
			return err
		}
		return o.toldIssuer(a, "Contexts are issued so from now on. Runtimes that expect another address refuse them.")
	})
}

// handOut writes the list of keys, and shows it.
func (c *keysIssuerCmd) handOut(a *app, o *opened) error {
	if err := c.writeKeys(a, o); err != nil {
		return err
	}
	return o.toldIssuer(a, "Whoever verifies your exports trusts these keys: satchel trust add %s FILE", clean(o.issuerURL()))
}

// writeKeys writes the list of keys as it is published (Engram 3.8).
func (c *keysIssuerCmd) writeKeys(a *app, o *opened) error {
	if c.Output == "" {
		return nil
	}
	list, err := o.config.issuer().public(o.key, a.now())
	if err != nil {
		return err
	}
	return a.place(c.Output, func(w io.Writer) error {
		_, err := w.Write(append(engram.EncodeKeys(list), '\n'))
		return err
	})
}
