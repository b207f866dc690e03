package agentdoc

import (
	"crypto/ed25519"
	"crypto/rand"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

type agentVerifyCmd struct {
	File          string   `arg:"" help:"A definition, a conformance report or a checkpoint, or - for standard input."`
	Key           []string `help:"A key that may have signed, as a did:key, a COSE_Key in base64, a file or a URL. May be repeated. Default: the owner's key, and the keys that satchel trust knows under the document's authored_by and source_platform." placeholder:"KEY"`
	AllowUnsigned bool     `help:"Accept a document without a signature."`
}

// agentSignature is the result of verify, for JSON.
type agentSignature struct {
	Kind    aaif.Kind  `json:"kind"`
	Status  string     `json:"status"` // verified, invalid, untrusted, missing; of a checkpoint verified or invalid
	Code    string     `json:"code,omitempty"`
	Rule    string     `json:"rule,omitempty"`
	Message string     `json:"message,omitempty"`
	Key     memory.DID `json:"key,omitempty"`
	Author  string     `json:"author,omitempty"`     // as the document states
	For     string     `json:"signed_for,omitempty"` // the known owner of the key, if there is only one
	Own     bool       `json:"own_key,omitempty"`    // the owner's key
}

// Run verifies a document. It ends with status 4 if that fails.
func (c *agentVerifyCmd) Run(a *cli.App) error {
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	if d.Kind == aaif.StateKind {
		return c.checkpoint(a, d)
	}
	if err := signableAgent(d); err != nil {
		return err
	}
	out := agentSignature{Kind: d.Kind, Status: "verified"}
	if names := agentAuthors(d); len(names) > 0 {
		out.Author = names[0]
	}
	key, err := c.verify(a, d, &out)
	err = changedSince(a, d, err)
	found := parseErrors(err)
	switch {
	case err == nil:
		out.Key = keys.DID(key)
	case len(found) == 0: // the store, a key
		return err
	default:
		out.Status, out.Code, out.Rule, out.Message = signatureStatus(err), string(aaif.CodeOf(err)), found[0].Rule, found[0].Err.Error()
	}
	return c.tell(a, out)
}

// verify verifies a signature with the named or known keys. A signature only proves the
// owner of its key: if keys of the author are known, the platform's do not count, and for
// the owner's documents only the owner's count.
func (c *agentVerifyCmd) verify(a *cli.App, d aaif.Document, out *agentSignature) (ed25519.PublicKey, error) {
	if len(c.Key) > 0 {
		trusted, err := publicKeys(a, c.Key)
		if err != nil {
			return nil, err
		}
		return verifyAgent(d, trusted)
	}
	names := agentAuthors(d)
	for i, name := range append(names, "") {
		own, theirs, err := authorKeys(a, name)
		switch {
		case err != nil:
			return nil, err
		case len(theirs) == 0 && i < len(names):
			continue
		}
		if key, err := verifyAgent(d, own); err == nil {
			out.Own = true
			return key, nil
		}
		named, mine, err := isOwnAuthor(a, d)
		switch {
		case err != nil:
			return nil, err
		case named:
			theirs = own
		case mine:
			theirs = append(theirs, own...)
		}
		key, err := verifyAgent(d, theirs)
		if err == nil {
			out.For = name
		}
		return key, err
	}
	return nil, nil
}

// isOwnAuthor reports whether a definition names the owner as author, and whether its
// agent's kept definition is signed by the owner under the same name.
func isOwnAuthor(a *cli.App, d aaif.Document) (named, mine bool, err error) {
	if d.Kind != aaif.AgentKind || !hasStore(a) {
		return false, false, nil
	}
	said := aaif.ReadDefinition(d.Value)
	err = a.With(cli.Reading, func(o *cli.Session) error {
		author := said.Provenance.AuthoredBy
		if named = trust.ProducerOf(author) == o.CurrentProducer().Name || author == string(o.Owner); named || said.ID == "" {
			return nil
		}
		s, err := agents.New(agents.Options{Vault: o.Vault, Now: a.Now, Random: rand.Reader, Release: cli.Release()})
		if err != nil {
			return err
		}
		k, err := s.Agent(a.Ctx, o.Caller(), said.ID, 0)
		if memory.KindOf(err) == memory.NotFound {
			return nil
		}
		mine = err == nil && k.Signer == o.Owner && aaif.ReadDefinition(k.Document).Provenance.AuthoredBy == author
		return err
	})
	return named, mine, err
}

// agentAuthors returns the stated authors of a document.
func agentAuthors(d aaif.Document) []string {
	from, names := d.Value.Get("provenance"), []string{"authored_by", "source_platform"}
	if d.Kind == aaif.ReportKind {
		from, names = d.Value.Get("attestation"), []string{"attested_by"}
	}
	var all []string
	for _, name := range names {
		if author := from.Get(name).Text(); author != "" {
			all = append(all, author)
		}
	}
	if d.Kind == aaif.ReportKind {
		all = append(all, d.Value.Get("platform").Get("name").Text())
	}
	return all
}

func signatureStatus(err error) string {
	switch aaif.CodeOf(err) {
	case aaif.SignatureMissing:
		return "missing"
	case aaif.SignatureUntrusted:
		return "untrusted"
	}
	return "invalid"
}

// checkpoint verifies the checksum of a checkpoint, which does not prove who made it.
func (c *agentVerifyCmd) checkpoint(a *cli.App, d aaif.Document) error {
	if len(c.Key) > 0 {
		return cli.Usagef("--key goes with a definition or a report; a checkpoint carries a checksum")
	}
	out := agentSignature{Kind: d.Kind, Status: "verified"}
	if found := parseErrors(aaif.VerifyChecksum(d.Value)); len(found) > 0 {
		out.Status, out.Code, out.Rule, out.Message = "invalid", string(aaif.CodeOf(found[0])), found[0].Rule, found[0].Err.Error()
		if !d.Value.Get("provenance").Has("checksum") {
			out.Status = "missing"
		}
	}
	return c.tell(a, out)
}

func (c *agentVerifyCmd) tell(a *cli.App, out agentSignature) error {
	if a.JSON {
		if err := a.Emit(out); err != nil {
			return err
		}
	} else {
		out.show(a)
	}
	if out.Status == "verified" || out.Status == "missing" && c.AllowUnsigned {
		return nil
	}
	return cli.Silent(cli.ExitRefused)
}

func (s agentSignature) show(a *cli.App) {
	switch {
	case s.Status != "verified":
		a.Print("%s: %s [%s]", s.Code, cli.Clean(s.Message), s.Rule)
	case s.Kind == aaif.StateKind:
		a.Print("verified: the checksum is that of this checkpoint")
	case s.Own:
		a.Print("verified: signed by %s, which is your own key", s.Key)
	case s.For != "":
		a.Print("verified: signed by %s, for %s", s.Key, cli.OneLine(s.For, 80))
		if s.Author != s.For {
			a.Warn("that is not %s, who made it by its own word: this signature does not show that", cli.OneLine(s.Author, 80))
		}
	default:
		a.Print("verified: signed by %s", s.Key)
	}
	if s.Code == string(aaif.SignatureInvalid) && s.Kind != aaif.StateKind {
		a.Say("if the document is yours and the change is wanted, satchel agent sign --again signs it as it is")
	}
	if s.Code != string(aaif.SignatureUntrusted) {
		return
	}
	a.Say("whose key made the signature is not known here: another's, or the document was changed after it was signed; if it is yours, satchel agent sign --again signs it as it is")
	switch producer := trust.ProducerOf(s.Author); producer {
	case "", "satchel":
		a.Say("it does not say who made it; name the key that you expect with --key")
	default:
		a.Say("if you know the key of %s from elsewhere: satchel trust add %s did:key:…", cli.OneLine(s.Author, 80), producer)
	}
}
