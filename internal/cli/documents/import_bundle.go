package documents

import (
	"io/fs"
	"math"
	"runtime/debug"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/bundle"
)

// bringFlags steer the import of an AIMEM bundle.
type bringFlags struct {
	Verify           string   `enum:"require,verify,skip" default:"verify" help:"The signature of a bundle: require (a trusted key signed), verify (valid, or absent) or skip. An export needs a trusted issuer with require and verify. Default: verify." placeholder:"HOW"`
	Signature        string   `help:"For a bundle: the file with its signature. Default: FILE.sig and similar names." placeholder:"FILE"`
	Key              []string `help:"For a bundle: the required key, as a did:key, a COSE_Key in base64, a file or a URL. May be repeated. For an export: a file or URL with the issuer's keys. Default: the keys that satchel trust knows." placeholder:"KEY"`
	OnNewer          string   `name:"on-newer" enum:"reject,update" default:"reject" help:"For a bundle: a chunk newer than the stored one is rejected (reject) or taken (update). Default: reject." placeholder:"WHAT"`
	AcceptForeignIDs bool     `name:"accept-foreign-ids" help:"For a bundle: accept ids of other producers, as the reference implementation writes them."`
	Restore          bool     `help:"Import deleted memories again."`

	given   []aimem.Key  // the keys that Key names
	within  fs.FS        // the folder or archive that is imported document by document; nil: none
	besides *unreadByAll // of a folder that is imported once for each of its formats; nil: it is not
}

// fits refuses flags that have no meaning for a document, so that the user never
// relies on an ignored one. alone: the user named the document itself, not its
// folder.
func (c *ImportCmd) fits(d *document, alone bool) error {
	bundle := d.isBundle() && d.File != nil
	switch {
	case bundle && (c.Project != "" || c.Here || c.Adopt != ""):
		return cli.Usagef("%s is a bundle: what is in it says itself where it belongs, and becomes yours. Leave --project, --here and --adopt out, "+
			"or make records of it first (satchel convert) and import those", cli.Clean(d.Source.Name))
	case d.isExport():
		return c.fitsExport(d, alone)
	case alone && c.takeInFlags.said():
		return cli.Usagef("%s is a %s document; --allow-unsigned, --allow-expired and --fetch are for Engram exports", cli.Clean(d.Source.Name), d.Format.Name)
	case bundle:
		return nil
	case c.Verify == string(aimem.RequireSignature):
		return cli.Refusedf("%s is a %s document, and only bundles carry such a signature: --verify require takes in none but signed bundles", cli.Clean(d.Source.Name), d.Format.Name)
	case alone && (c.Signature != "" || len(c.Key) > 0 || c.OnNewer == string(aimem.UpdateNewer) || c.AcceptForeignIDs):
		return cli.Usagef("%s is a %s document; --signature, --key, --on-newer and --accept-foreign-ids are for bundles", cli.Clean(d.Source.Name), d.Format.Name)
	}
	return nil
}

// takeBundle opens the bundle at path, with the signature beside it, and imports it.
func (c *ImportCmd) takeBundle(a *cli.App, o *cli.Session, d *document, path string) (brought, error) {
	began := time.Now()
	beside, err := c.beside(path, d)
	if err != nil {
		return brought{}, err
	}
	producer := ""
	trusted := func(name string) ([]aimem.Key, error) {
		producer = name
		return c.keysOf(a, o, name)
	}
	b, err := d.bundle(a, aimem.Options{ForeignIDs: c.AcceptForeignIDs, Signature: beside.signature, Policy: aimem.Policy(c.Verify), Trusted: trusted})
	if err != nil {
		return brought{}, beside.advised(err, producer)
	}
	defer b.Close()
	done := origin(d, b, beside)
	known, err := c.keysOf(a, o, done.Producer)
	if err != nil {
		return brought{}, err
	}
	defer sparing(b.Counts())()
	p := a.ProgressOf("imported", "chunks", b.Counts().Chunks)
	defer p.End()
	done.report, err = bundle.New(o.Vault).ImportBrain(a.Ctx, o.Caller(), b, aimem.Import{
		Name: d.Source.Name, OnNewer: aimem.OnNewer(c.OnNewer), ForeignIDs: c.AcceptForeignIDs,
		Restore: c.Restore, DryRun: c.DryRun, Signature: done.Signature, Progress: p.Reached,
	})
	done.vouched, done.took = len(known) > 0, time.Since(began)
	if err != nil {
		return done, err
	}
	done.Secrets, err = c.inBundle(b)
	return done, err
}

// beside finds the signature of a bundle: beside its file, or inside the folder or
// archive that holds the bundle.
func (c *ImportCmd) beside(path string, d *document) (sidecar, error) {
	if c.within != nil {
		return signatureWithin(c.within, c.Path, d.Source.Name)
	}
	return signatureBeside(path, c.Signature)
}

// The limit of Go's memory for an import. The garbage collector works harder above
// it. The limit grows with the data about each chunk and entity.
const (
	spareBytes = 28 << 20
	spareEach  = 64
)

// sparing limits memory, however large the bundle, until the caller calls the result.
// It keeps a limit that was set from outside.
func sparing(n aimem.Counts) func() {
	before := debug.SetMemoryLimit(-1)
	if before != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(spareBytes + spareEach*int64(n.Chunks+n.Entities))
	return func() { debug.SetMemoryLimit(before) }
}

// keysOf returns the keys of a producer: the given ones, or those that the store's owner
// trusts.
func (c *ImportCmd) keysOf(a *cli.App, o *cli.Session, producer string) ([]aimem.Key, error) {
	if len(c.given) > 0 {
		return c.given, nil
	}
	return bundleKeys(o, a, producer)
}
