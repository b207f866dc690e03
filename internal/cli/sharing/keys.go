package sharing

import (
	"encoding/base64"
	"io"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
)

// KeysCmd is the command satchel keys.
type KeysCmd struct {
	Show   keysShowCmd   `cmd:"" help:"Show the public keys: the owner's key, and the keys that sign bundles and contexts."`
	Rotate keysRotateCmd `cmd:"" help:"Sign bundles, or contexts, with a new key from now on."`
	Revoke keysRevokeCmd `cmd:"" help:"Revoke a key that signs contexts. Everything it signed is refused."`
	Issuer keysIssuerCmd `cmd:"" help:"Set the name and address that contexts are issued under."`
	Kit    keysKitCmd    `cmd:"" help:"Show the recovery kit of your key, to write down."`
	Rename keysRenameCmd `cmd:"" help:"Change the name that your bundles carry."`
}

type keysShowCmd struct {
	Output string `short:"o" help:"Write the public key that signs bundles to a file, as a COSE_Key, for others to trust." placeholder:"FILE"`
}

// keysOut describes keys for machines.
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
func (c *keysShowCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		out, encoded, err := showKeys(o)
		if err != nil {
			return err
		}
		issuer, err := showIssuer(o, a)
		if err != nil {
			return err
		}
		if !cli.IsStdout(c.Output) {
			err := a.Place(c.Output, func(w io.Writer) error { _, err := w.Write(encoded); return err })
			if err != nil {
				return err
			}
		}
		if a.JSON {
			out.Issuer = &issuer
			return a.Emit(out)
		}
		out.show(a)
		issuer.show(a)
		return nil
	})
}

func showKeys(o *cli.Session) (keysOut, []byte, error) {
	key, err := o.ProducerKey()
	if err != nil {
		return keysOut{}, nil, err
	}
	encoded, err := aimem.EncodeKey(aimem.PublicKey(key))
	p := o.Config.CurrentProducer()
	return keysOut{Owner: string(o.Config.Owner), Producer: p.Name, Generation: p.Generation, Key: string(key.DID()), COSE: base64.StdEncoding.EncodeToString(encoded)}, encoded, err
}

func (k keysOut) show(a *cli.App) {
	a.Print("owner        %s", k.Owner)
	a.Print("producer     %s", k.Producer)
	a.Print("signs with   %s (key %d)", k.Key, k.Generation)
	a.Print("as COSE_Key  %s", k.COSE)
}

type keysRotateCmd struct {
	Issuer bool `help:"Rotate the key that signs contexts. Default: the key that signs bundles."`
}

// Run changes to the next key.
func (c *keysRotateCmd) Run(a *cli.App) error {
	if c.Issuer {
		return rotateIssuer(a)
	}
	return changeProducer(a, "key", func(p *cli.Producer) { p.Generation++ }, func(out keysOut) {
		a.Say("Bundles are signed with the new key from now on. Servers and programs that are running sign with the old one until they are started again.\n"+
			"Whoever verifies your bundles has to trust the new key beside the old one:\n  satchel trust add %s %s", out.Producer, out.Key)
	})
}

type keysRenameCmd struct {
	Name string `arg:"" help:"The name: 1 to 63 of a-z, 0-9 and -. Begin it like a domain of yours."`
}

// Run changes the producer's name.
func (c *keysRenameCmd) Run(a *cli.App) error {
	if err := cli.CheckProducer(c.Name); err != nil {
		return err
	}
	return changeProducer(a, "name", func(p *cli.Producer) { p.Name = c.Name }, func(out keysOut) {
		a.Say("Bundles leave as %s from now on. Memories have other ids in them: whoever took bundles in before takes these for new ones.\n"+
			"Whoever verifies your bundles has to know the name:\n  satchel trust add %s %s", out.Producer, out.Producer, out.Key)
	})
}

// changeProducer changes config.json and the log together.
func changeProducer(a *cli.App, what string, change func(*cli.Producer), told func(keysOut)) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		before := o.Config.CurrentProducer()
		next := before
		change(&next)
		if next == before {
			return unchanged(o, a)
		}
		err := o.ChangeProducer(a.Ctx, o.Operator(), next.Name, what, func() error {
			o.Config.Producer = &next
			return o.WriteConfig(o.Config)
		})
		if err != nil {
			return err
		}
		out, _, err := showKeys(o)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(out)
		}
		out.show(a)
		told(out)
		return nil
	})
}

// unchanged says that there was nothing to change.
func unchanged(o *cli.Session, a *cli.App) error {
	out, _, err := showKeys(o)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(out)
	}
	out.show(a)
	a.Say("Bundles leave as %s already; nothing was changed.", out.Producer)
	return nil
}
