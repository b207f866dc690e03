package agentdoc

import (
	"crypto/ed25519"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/keys"
)

type agentSignCmd struct {
	File   string `arg:"" help:"A definition or a conformance report, or - for standard input."`
	Output string `short:"o" help:"The file for the signed document. It is CBOR if the name ends in .cbor, and may be FILE. Default: standard output." placeholder:"FILE"`
	Key    string `help:"Sign with this key file, such as keys/owner.key of a store. Default: the owner's key." placeholder:"FILE"`
	Signer bool   `help:"Name the key in the document as x-aaif-signer. A reader without the key can then tell a change from an unknown signer."`
	Again  bool   `help:"Sign a document that already has a signature."`
	Level  string `help:"Sign a definition only if the signed definition has this level: ${levels}." placeholder:"LEVEL"`

	OverFlags
	CheckFlags
}

// Run signs a document that is valid and holds no secret.
func (c *agentSignCmd) Run(a *cli.App) error {
	level, err := LevelNamed(c.Level)
	if err != nil {
		return err
	}
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	if err := signableAgent(d); err != nil {
		return err
	}
	if err := j.requireSound(a, d, c.File); err != nil {
		return err
	}
	if err := checkClaims(a, d, c.File); err != nil {
		return err
	}
	key, err := SigningKey(a, c.Key)
	if err != nil {
		return err
	}
	already, err := c.already(d, key)
	if err != nil {
		return err
	}
	signed := d
	if !already {
		signed = c.sign(d, key)
	}
	if err := j.withFilesOf(c.File).reach(signed, level); err != nil {
		return err
	}
	if err := Put(a, Placement{c.Output, "", c.OverFlags}, signed.Value); err != nil {
		return err
	}
	RememberSigned(a, signed)
	return c.tell(a, key, signed, already)
}

// signableAgent refuses documents that carry no signature.
func signableAgent(d aaif.Document) error {
	switch d.Kind {
	case aaif.AgentKind, aaif.ReportKind:
		return nil
	case aaif.StateKind:
		return cli.Usagef("a checkpoint carries a checksum: satchel agent checksum sets it; the token that it migrates with is what is signed")
	}
	return cli.Usagef("a document of type %s carries no signature; definitions and conformance reports do", d.Kind)
}

// checkClaims refuses to attest to claims that a report does not prove (AAIF-6-20), and
// warns of others that it should prove (AAIF-6-16).
func checkClaims(a *cli.App, d aaif.Document, path string) error {
	if d.Kind != aaif.ReportKind {
		return nil
	}
	for _, p := range aaif.ReadReport(d.Value).UnprovenClaims() {
		if !p.Warning {
			return cli.Refusedf("%s claims what it does not show, at %s: %s [%s]", cli.Clean(path), cli.Clean(p.Path), cli.Clean(p.Err.Error()), p.Rule)
		}
		a.Warn("%s: %s [%s]", cli.Clean(p.Path), cli.Clean(p.Err.Error()), p.Rule)
	}
	return nil
}

// already reports whether a key signed the document as it is. It refuses to replace
// another key's signature unasked.
func (c *agentSignCmd) already(d aaif.Document, key keys.Private) (bool, error) {
	_, err := verifyAgent(d, PublicOf(key))
	switch {
	case err == nil:
		return !c.Signer || d.Value.Get("x-aaif-signer").Text() == string(key.DID()), nil
	case aaif.CodeOf(err) == aaif.SignatureMissing || c.Again:
		return false, nil
	}
	return false, cli.Refusedf("%s carries a signature that is not of this key, or was changed after it was signed; --again signs it as it is", cli.Clean(c.File))
}

func (c *agentSignCmd) sign(d aaif.Document, key keys.Private) aaif.Document {
	v := d.Value
	if d.Kind == aaif.ReportKind {
		return aaif.Document{Kind: d.Kind, Value: aaif.Attest(v, key)}
	}
	if c.Signer {
		v = aaif.WithSigner(v, key.DID())
	} else if hint := v.Get("x-aaif-signer"); hint.Type() == canon.TypeString && hint.Text() != string(key.DID()) {
		v = v.Without("x-aaif-signer") // it would name another key
	}
	return aaif.Document{Kind: d.Kind, Value: aaif.Sign(v, key)}
}

func (c *agentSignCmd) tell(a *cli.App, key keys.Private, d aaif.Document, already bool) error {
	if a.JSON && !cli.IsStdout(c.Output) {
		member := map[aaif.Kind]string{aaif.AgentKind: "provenance", aaif.ReportKind: "attestation"}[d.Kind]
		return a.Emit(map[string]any{
			"file": c.Output, "kind": d.Kind, "signer": key.DID(), "signature": d.Value.Get(member).Get("signature").Text(), "already_signed": already,
		})
	}
	if already {
		a.Say("signed already by %s, and left as it is", key.DID())
		return nil
	}
	a.Say("signed by %s", key.DID())
	return nil
}

// verifyAgent verifies the signature of a definition or a report.
func verifyAgent(d aaif.Document, trusted []ed25519.PublicKey) (ed25519.PublicKey, error) {
	if d.Kind == aaif.ReportKind {
		return aaif.VerifyAttestation(d.Value, trusted)
	}
	return aaif.Verify(d.Value, trusted)
}
