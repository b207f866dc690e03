package documents

import (
	"io"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
)

// signBundle writes the signature of a bundle.
func (c *SignCmd) signBundle(a *cli.App, d *document) error {
	to := c.Output
	switch {
	case to == "" && c.File == source.Stdin:
		return cli.Usagef("say with -o where the signature of standard input goes")
	case to == "":
		to = aimem.SignatureName(c.File)
	}
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	owner, err := a.OwnerKey(h, conf.Owner)
	if err != nil {
		return err
	}
	key, err := aimem.ProducerKey(owner, conf.CurrentProducer().Generation)
	if err != nil {
		return err
	}
	b, err := d.bundle(a, aimem.Options{ForeignIDs: true, Policy: aimem.SkipSignature})
	if err != nil {
		return err
	}
	defer b.Close()
	if name := b.Envelope().Producer; name != conf.CurrentProducer().Name && !c.Again {
		return cli.Refusedf("this bundle is of %s, and this store's leave as %s: who knows %s by its keys would refuse the signature; --again signs it all the same",
			cli.Clean(name), conf.CurrentProducer().Name, cli.Clean(name))
	}
	signature, err := aimem.Sign(key, aimem.PayloadOf(b, 0))
	if err != nil {
		return err
	}
	if err := a.Place(to, func(w io.Writer) error { _, err := w.Write(signature); return err }); err != nil {
		return err
	}
	if a.JSON && !cli.IsStdout(to) {
		return a.Emit(map[string]any{"signature": to, "producer": b.Envelope().Producer, "key": key.DID(), "checksum": b.Checksum()})
	}
	a.Say("signed by %s: %s", key.DID(), cli.Clean(to))
	return nil
}

// bundleVerdict is what verify says about a bundle.
type bundleVerdict struct {
	Checksum  string        `json:"checksum"`
	Producer  string        `json:"producer"`
	Signature aimem.Outcome `json:"signature"`
	From      string        `json:"signature_file,omitempty"`
	Key       string        `json:"key,omitempty"`
}

// verifyBundle checks the checksum and the signature of a bundle.
func (c *VerifyCmd) verifyBundle(a *cli.App, d *document) error {
	beside, err := signatureBeside(c.What, c.Signature)
	if err != nil {
		return err
	}
	trusted, err := trusting(a, c.Key)
	if err != nil {
		return err
	}
	b, err := d.bundle(a, aimem.Options{ForeignIDs: true, Signature: beside.signature, Trusted: trusted})
	if err != nil {
		return beside.advised(err, "")
	}
	defer b.Close()
	outcome, key := b.Signature()
	v := bundleVerdict{b.Checksum(), b.Envelope().Producer, outcome, beside.from, key.Name()}
	if a.JSON {
		err = a.Emit(v)
	} else {
		v.show(a)
	}
	if err == nil && outcome != aimem.Verified && (outcome != aimem.Absent || !c.AllowUnsigned) {
		err = cli.Silent(cli.ExitRefused)
	}
	return err
}

func (v bundleVerdict) show(a *cli.App) {
	a.Print("checksum   %s", v.Checksum)
	switch v.Signature {
	case aimem.Verified:
		a.Print("signature  of %s, by a key of it that is trusted: %s", v.Producer, cli.Clean(v.Key))
	case aimem.Untrusted:
		a.Print("signature  valid, by a key that nobody vouches for: %s", cli.Clean(v.Key))
		a.Say("If it is the key of %s: %s", v.Producer, trustLine(v.Producer, v.Key))
	default:
		a.Print("signature  none")
	}
}
