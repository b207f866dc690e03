package documents

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ImportCmd is the command satchel import.
type ImportCmd struct {
	Path string `arg:"" optional:"" help:"A file, a folder, an archive, or - for standard input."`
	cli.ProjectFlags
	bringFlags
	takeInFlags
	secretFlags
	ReportFlags
	From   string `help:"The format: ${reads}. Default: detected." placeholder:"FORMAT"`
	Adopt  string `help:"Make the unsigned records of this owner yours, such as a plain name that another tool wrote." placeholder:"OWNER"`
	DryRun bool   `short:"n" help:"Show what would happen, and change nothing."`
	Undo   int64  `xor:"what" help:"Undo the import with this number. With -n: show what would go." placeholder:"N"`
	List   bool   `xor:"what" help:"List the imports."`

	account *ledger // of data that did not survive
}

// Run imports a document, undoes an import, or lists imports.
func (c *ImportCmd) Run(a *cli.App) error {
	switch {
	case (c.Path != "") == (c.Undo != 0 || c.List):
		return cli.Usagef("name what to import, or say --undo N or --list")
	case c.List:
		return c.list(a)
	case c.Undo != 0:
		return c.undo(a)
	}
	c.account = c.Ledger()
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	in, err := a.Source(c.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.From == "" && formats.Mixed(in.Source) {
		if c.given, err = keysGiven(a, c.Key); err != nil {
			return err
		}
		return c.folder(a, in, project)
	}
	return c.single(a, in, project)
}

// tellNotes says how a Markdown file is read that no format claims.
func tellNotes(a *cli.App, name, format string) {
	what := map[bool]string{true: "a list of memories", false: "one note"}[format == "paste"]
	a.Say("no format claims %s, so it is read as %s (%s); --from FORMAT names another", cli.Clean(name), what, format)
}

// single imports a source that is one document.
func (c *ImportCmd) single(a *cli.App, in *source.Input, project string) error {
	f, err := formatOf(in.Source, c.From)
	if err != nil {
		notes, ok := formats.Notes(in.Source)
		if said := foldersWithin(in.Source, c.Path); said != "" && c.From == "" {
			return &memory.Error{Kind: memory.Unsupported, Message: cli.Clean(in.Name) + " is a folder in no format known here" + said}
		}
		if !ok || c.From != "" {
			return archiveWithin(in.Source, "satchel import ", c.Path, err)
		}
		tellNotes(a, in.Name, notes.Name)
		f = notes
	}
	d := &document{in, f}
	if err := c.fits(d, true); err != nil {
		return err
	}
	if d.isExport() {
		c.judging, err = c.how(a, c.Key)
	} else {
		c.given, err = keysGiven(a, c.Key)
	}
	if err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		done, err := c.one(a, o, d, c.Path, project)
		if err != nil {
			cutOff(a, done)
			return err
		}
		var out any
		if a.JSON {
			if out, err = done.machineReadable(); err != nil {
				return err
			}
		}
		if err := c.end(a, out); err != nil {
			return err
		}
		if !a.JSON {
			done.show(a)
		}
		return allRead(a, done)
	})
}

// end reports losses and data beside the records, or for machines the whole result.
func (c *ImportCmd) end(a *cli.App, out any) error {
	if err := c.account.File(); err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(out)
	}
	c.account.showKept(a)
	return nil
}

// importResult is the result of one document's import.
type importResult interface {
	show(*cli.App)
	machineReadable() (any, error)
}

// one imports one document.
func (c *ImportCmd) one(a *cli.App, o *cli.Session, d *document, path, project string) (importResult, error) {
	if d.isBundle() && d.File != nil {
		done, err := c.takeBundle(a, o, d, path)
		c.account.Lost(OnReading, d.Format.Name, done.lost())
		return done, err
	}
	if d.isExport() {
		done, err := c.takeExport(a, o, d)
		c.account.Lost(OnReading, d.Format.Name, done.lost())
		return done, err
	}
	talks := c.account.talks
	came, err := c.take(a, o, d, path, project)
	c.account.Lost(OnReading, d.Format.Name, came.Losses)
	came.talks = c.account.talks - talks
	if err == nil {
		err = came.none()
	}
	return came, err
}

func (c *ImportCmd) take(a *cli.App, o *cli.Session, d *document, path, project string) (came takenRecords, err error) {
	digest, err := source.DigestToImport(d.Source, d.Format.Name, c.KeepSecrets, project, c.Adopt)
	if err != nil {
		return came, fmt.Errorf("read %s: %w", d.Source.Name, err)
	}
	bytes, tree := d.meter(), d.watchTree()
	r, err := d.readToKeep(a, o.Owner, project)
	if err != nil {
		return came, err
	}
	came.secrets = c.newSecrets()
	p := a.ProgressFar("read", farIn(r, bytes, d.Size))
	came.ImportReport, err = o.Import(a.Ctx, o.Caller(), memoriesOf(c.account.watch(d.Format.Name, r), came.secrets), vault.ImportOptions{
		Name: d.Source.Name, Format: d.Format.Name, Digest: digest, Place: placeOf(d.Format, path), Adopt: memory.DID(c.Adopt), DryRun: c.DryRun, Restore: c.Restore, Progress: p.Reached,
	})
	p.End()
	switch {
	case err != nil:
	case came.Known:
		came.Losses, err = notRead(r)
	case c.besides == nil:
		came.Losses = append(came.Losses, tree.lossesOfUnread(d.Format.Name, came.Losses)...)
	}
	if err == nil && c.besides != nil {
		c.besides.add(tree, r.Losses(), came.Known)
	}
	if err == nil && !came.Known {
		tellShare(a, r, path)
		tellTorn(a, r, path)
	}
	if err == nil && !came.Known && !c.DryRun {
		var now string
		now, err = source.DigestToImport(d.Source, d.Format.Name, c.KeepSecrets, project, c.Adopt)
		came.changed = now != digest
	}
	return came, errors.Join(err, r.Close())
}

// tellShare warns when the memories have less than a fifth of a document's text. A short
// document consists of names and times.
func tellShare(a *cli.App, r codec.Reader, path string) {
	const short = 512
	s, ok := r.(codec.Share)
	if !ok {
		return
	}
	if said, of := s.Shared(); of >= short && said*5 < of {
		a.Warn("%s: the memories have %d of %d bytes of its text, %d %%, less than a fifth; satchel validate %s names what is not understood, and satchel aicf migrate makes a file of it that is",
			cli.Clean(path), said, of, said*100/of, cli.Clean(path))
	}
}

// tellTorn warns of a document that ends within a line, which may have been cut there.
func tellTorn(a *cli.App, r codec.Reader, path string) {
	if t, ok := r.(codec.Torn); ok && t.Torn() {
		a.Warn("%s: its last line has no end: if the file was cut, import a whole copy of it", cli.Clean(path))
	}
}

// placeOf returns the place of a document, if the names in it are valid only there.
func placeOf(f codec.Format, path string) string {
	if !f.Placed || path == "-" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// notRead reads a document again that was imported before, to report its unreadable
// parts, which were not imported.
func notRead(r codec.Reader) ([]codec.Loss, error) {
	err := each(r, func(memory.Record) error { return nil })
	return slices.DeleteFunc(slices.Clone(r.Losses()), func(l codec.Loss) bool { return !codec.IsLeftOut(l) }), err
}
