package main

import (
	"encoding/base64"
	"io"

	"github.com/satchel-memory/satchel/aimem"
)

type keysCmd struct {
	Show   keysShowCmd   `cmd:"" help:"Show the public keys: the owner's key, and the keys that sign bundles and contexts."`
	Rotate keysRotateCmd `cmd:"" help:"Sign bundles, or contexts, with a new key from now on."`
	Revoke keysRevokeCmd `cmd:"" help:"Revoke a key that signs contexts. Everything it signed is refused."`
	Issuer keysIssuerCmd `cmd:"" help:"Set the name and address that contexts are issued under."`
	Rename keysRenameCmd `cmd:"" help:"Change the name that your bundles carry."`
}

type keysShowCmd struct {
	Output string `short:"o" help:"Write the public key that signs bundles to a file, as a COSE_Key, for others to trust." placeholder:"FILE"`
}

// keysOut is what there is to know of keys, for machines.
type keysOut struct {
	Owner      string `json:"owner"`
	Producer   string `json:"producer"`
	Generation int    `json:"generation"`
	Key        string `json:"producer_key"` // did:key
	COSE       string `json:"cose_key"`     // base64
	// Issuer is of the keys that sign contexts.
	Issuer *issuerOut `json:"issuer,omitempty"`
}

// Run shows the public halves of the keys.
func (c *keysShowCmd) Run(a *app) error {
	return a.with(signing, func(o *opened) error {
		out, encoded, err := o.keysOut()
		if err != nil {
			return err
		}
		issuer, err := o.issuerOut(a)
		if err != nil {
			return err
		}
		if !stdout(c.Output) {
			err := a.place(c.Output, func(w io.Writer) error { _, err := w.Write(encoded); return err })
			if err != nil {
				return err
			}
		}
		if a.json {
			out.Issuer = &issuer
			return a.emit(out)
		}
		out.show(a)
		issuer.show(a)
		return nil
	})
}

func (o *opened) keysOut() (keysOut, []byte, error) {
	key, err := o.producerKey()
	if err != nil {
		return keysOut{}, nil, err
	}
	encoded, err := aimem.EncodeKey(aimem.PublicKey(key))
	p := o.config.producer()
	return keysOut{Owner: string(o.config.Owner), Producer: p.Name, Generation: p.Generation, Key: string(key.DID()), COSE: base64.StdEncoding.EncodeToString(encoded)}, encoded, err
}

func (k keysOut) show(a *app) {
	a.print("owner        %s", k.Owner)
	a.print("producer     %s", k.Producer)
	a.print("signs with   %s (key %d)", k.Key, k.Generation)
	a.print("as COSE_Key  %s", k.COSE)
}

type keysRotateCmd struct {
	Issuer bool `help:"Rotate the key that signs contexts. Default: the key that signs bundles."`
}

// Run goes over to the next key.
func (c *keysRotateCmd) Run(a *app) error {
	if c.Issuer {
		return a.rotateIssuer()
	}
	return a.changeProducer("key", func(p *producer) { p.Generation++ }, func(out keysOut) {
		a.say("Bundles are signed with the new key from now on. Servers and programs that are running sign with the old one until they are started again.\n"+
			"Whoever verifies your bundles has to trust the new key beside the old one:\n  satchel trust add %s %s", out.Producer, out.Key)
	})
}

type keysRenameCmd struct {
	Name string `arg:"" help:"The name: 1 to 63 of a-z, 0-9 and -. Begin it like a domain of yours."`
}

// Run goes over to another name.
func (c *keysRenameCmd) Run(a *app) error {
	if err := checkProducer(c.Name); err != nil {
		return err
	}
	return a.changeProducer("name", func(p *producer) { p.Name = c.Name }, func(out keysOut) {
		a.say("Bundles leave as %s from now on. Memories have other ids in them: whoever took bundles in before takes these for new ones.\n"+
			"Whoever verifies your bundles has to know the name:\n  satchel trust add %s %s", out.Producer, out.Producer, out.Key)
	})
}

// changeProducer changes config.json and the log together.
func (a *app) changeProducer(what string, change func(*producer), told func(keysOut)) error {
	return a.with(signing, func(o *opened) error {
		before := o.config.producer()
		next := before
		change(&next)
		if next == before {
			return o.unchanged(a)
		}
		err := o.ChangeProducer(a.ctx, o.operator(), next.Name, what, func() error {
			o.config.Producer = &next
			return o.writeConfig(o.config)
		})
		if err != nil {
			return err
		}
		out, _, err := o.keysOut()
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(out)
		}
		out.show(a)
		told(out)
		return nil
	})
}

// unchanged says that there was nothing to change.
func (o *opened) unchanged(a *app) error {
	out, _, err := o.keysOut()
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(out)
	}
	out.show(a)
	a.say("Bundles leave as %s already; nothing was changed.", out.Producer)
	return nil
}
