package documents

import (
	"errors"
	"io"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// SignCmd is the command satchel sign.
type SignCmd struct {
	File   string `arg:"" help:"A UMP document or an AIMEM bundle, or - for standard input."`
	Output string `short:"o" help:"The file for the signed document, which may be FILE. Default: standard output. For a bundle: the file for the signature. Default: FILE.sig." placeholder:"FILE"`
	Again  bool   `help:"Sign records whose signature does not verify, and a bundle of another producer, too."`

	edition string // the memory's edition of UMP
}

// signingReport counts the signed, skipped and other records of a document.
type signingReport struct {
	Signed  int `json:"signed"`
	Already int `json:"already_signed"`
	Foreign int `json:"of_other_owners"`
}

// Run signs the owner's records of a document with the owner's key, or a bundle with
// the producer's. It stores nothing.
func (c *SignCmd) Run(a *cli.App) error {
	d, err := signable(a, c.File)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.isBundle() {
		return c.signBundle(a, d)
	}
	return c.signRecords(a, d)
}

func (c *SignCmd) signRecords(a *cli.App, d *document) error {
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	if d.Tree != nil {
		return cli.Usagef("%s is a folder; name one file of it", c.File)
	}
	key, err := a.OwnerKey(h, conf.Owner)
	if err != nil {
		return err
	}
	if c.edition, err = a.ReadEdition(); err != nil {
		return err
	}
	r, err := d.read(a, conf.Owner)
	if err != nil {
		return err
	}
	defer r.Close()
	var report signingReport
	err = a.Place(c.Output, func(out io.Writer) error {
		report, err = c.copy(d, r, out, key)
		return err
	})
	if err != nil {
		return err
	}
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(report)
	}
	a.Say("%d signed, %d signed already, %d of other owners left as they are", report.Signed, report.Already, report.Foreign)
	return nil
}

// copy writes the records of a document, signed.
func (c *SignCmd) copy(d *document, r codec.Reader, out io.Writer, key keys.Private) (report signingReport, err error) {
	w, err := d.Create(out, codec.Options{NDJSON: d.lines()})
	if err != nil {
		return report, err
	}
	err = each(r, func(rec memory.Record) error {
		rec, err := c.one(rec, key, &report)
		if err != nil {
			return err
		}
		return w.Write(rec)
	})
	return report, errors.Join(err, w.Close())
}

// one signs a record, if it is the owner's and unsigned.
func (c *SignCmd) one(rec memory.Record, key keys.Private, report *signingReport) (memory.Record, error) {
	switch {
	case rec.Scope.Owner != key.DID():
		report.Foreign++
		return rec, nil
	case rec.Integrity == nil:
	case ump.Verify(rec.Form()) == nil:
		report.Already++
		return rec, nil
	case !c.Again:
		return rec, cli.Refusedf("%s carries a signature that does not verify: it was changed after it was signed; --again signs it as it is", rec.ID)
	}
	report.Signed++
	if c.edition == ump.LaterEdition { // UMP1-0-3; a 0.1 memory takes both
		rec.Version = c.edition
	}
	return ump.Author(rec, &key)
}

// signable opens a document that sign can sign: UMP records, or a bundle.
func signable(a *cli.App, path string) (*document, error) {
	d, err := verifiable(a, path)
	if err == nil && d.isExport() {
		return nil, errors.Join(cli.Usagef("an Engram export is signed when it is made: satchel export --to %s", d.Format.Name), d.Close())
	}
	return d, err
}

// verifiable opens a document that carries signatures.
func verifiable(a *cli.App, path string) (*document, error) {
	d, err := ReadDocument(a, path, "")
	if err != nil {
		return nil, err
	}
	if d.Format.Name != "ump" && d.Format.Name != cli.MarkdownFormat && !d.isBundle() && !d.isExport() {
		return nil, errors.Join(cli.Invalidf("%s is in the format %s; only UMP records, AIMEM bundles and Engram exports carry signatures", cli.Clean(d.Source.Name), d.Format.Name), d.Close())
	}
	return d, nil
}
