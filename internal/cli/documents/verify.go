package documents

import (
	"cmp"
	"errors"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// VerifyCmd is the command satchel verify.
type VerifyCmd struct {
	What          string   `arg:"" optional:"" name:"file|id" help:"A UMP document or a folder of them, an AIMEM bundle, an Engram export, - for standard input, or the id of a memory."`
	All           bool     `help:"Every memory in the store."`
	AllowUnsigned bool     `help:"Accept documents without a signature."`
	Key           []string `help:"For a bundle: the required key, as a did:key, a COSE_Key in base64, a file or a URL. May be repeated. For an export: a file or URL with the issuer's keys. Default: the keys that satchel trust knows." placeholder:"KEY"`
	Signature     string   `help:"For a bundle: the file with its signature. Default: FILE.sig." placeholder:"FILE"`

	JudgeFlags
}

// verdict is the result of verify for a record that did not pass.
type verdict struct {
	ID      memory.ID `json:"id"` // empty: of the store as a whole
	Message string    `json:"message"`
}

// Run checks every record. If any does not verify, it ends with status 4.
func (c *VerifyCmd) Run(a *cli.App) error {
	switch {
	case c.All == (c.What != ""):
		return cli.Usagef("name a document or a memory, or say --all for the whole store")
	case c.All || c.meansRecord():
		return c.stored(a)
	}
	d, err := verifiable(a, c.What)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.isExport() {
		return c.verifyExport(a, d)
	}
	if c.JudgeFlags != (JudgeFlags{}) {
		return cli.Usagef("--issuer, --audience and --fetch go with an Engram export")
	}
	if d.isBundle() {
		return c.verifyBundle(a, d)
	}
	if len(c.Key) > 0 || c.Signature != "" {
		return cli.Usagef("--key and --signature go with a bundle; records say themselves who signed them")
	}
	r, err := d.read(a, inspected)
	if err != nil {
		return err
	}
	defer r.Close()
	found, err := check(r)
	if err != nil {
		return err
	}
	return c.report(a, found)
}

// report prints the result and ends with its exit status.
func (c *VerifyCmd) report(a *cli.App, found verdicts) error {
	var err error
	if a.JSON {
		err = a.Emit(found)
	} else {
		for _, f := range found.Failed {
			a.Print("%s: %s", cmp.Or(f.ID, "the store"), cli.Clean(f.Message))
		}
		a.Print("%d verified, %d unsigned, %d failed", found.Verified, found.Unsigned, len(found.Failed))
	}
	if err == nil && (len(found.Failed) > 0 || found.Unsigned > 0 && !c.AllowUnsigned) {
		err = cli.Silent(cli.ExitRefused)
	}
	return err
}

// verdicts sums up a document.
type verdicts struct {
	Verified int       `json:"verified"`
	Unsigned int       `json:"unsigned"`
	Failed   []verdict `json:"failed"`
}

// check checks the signature of every record.
func check(r codec.Reader) (verdicts, error) {
	found := verdicts{Failed: []verdict{}}
	err := each(r, func(rec memory.Record) error {
		switch err := ump.Verify(rec.Form()); {
		case err == nil:
			found.Verified++
		case errors.Is(err, ump.ErrUnsigned):
			found.Unsigned++
		default:
			found.Failed = append(found.Failed, verdict{rec.ID, cli.Describe(err)})
		}
		return nil
	})
	for _, l := range r.Losses() {
		if l.Pointer == "/integrity" { // the reader took a signed record for unsigned
			found.Unsigned--
			found.Failed = append(found.Failed, verdict{l.ID, l.Reason})
		}
	}
	return found, err
}

// unresolvable reports whether a signature cannot be checked here, which does not
// make it wrong.
func unresolvable(err error) bool { return errors.Is(err, ump.ErrUnresolvable) }
