package documents

import (
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ConvertCmd is the command satchel convert.
type ConvertCmd struct {
	In              string `arg:"" help:"A file, a folder, an archive, or - for standard input."`
	Out             string `arg:"" help:"A file or a folder, or - for standard output. A name that ends in / or has no ending is a folder."`
	From            string `help:"The format to read: ${reads}. Default: detected." placeholder:"FORMAT"`
	To              string `help:"The format to write: ${writes}. Default: by the name of OUT; ump-md for a folder or .md, else ump." placeholder:"FORMAT"`
	NDJSON          bool   `name:"ndjson" help:"One record per line."`
	FrontMatterJSON bool   `name:"frontmatter-json" help:"In Markdown, write the front matter as one JSON object."`
	StrictLosses    bool   `help:"End with 5 if anything was lost. The result is written in any case."`

	Force bool `help:"Replace a file even if it holds something else, or has a signature beside it."`

	maskFlags
	ReportFlags
	contextFlags
}

// Run converts without a store. It ignores consent, since the result stays with the
// document's holder.
func (c *ConvertCmd) Run(a *cli.App) error {
	to, err := targetOf(c.Out, c.To)
	if err != nil {
		return err
	}
	file, err := c.writing(to.Format, c.Out)
	if err != nil {
		return err
	}
	if err := to.mayReplace(a, c.Force); err != nil {
		return err
	}
	d, err := ReadDocument(a, c.In, c.From)
	if err != nil {
		return err
	}
	defer d.Close()
	by, err := c.whose(a, d, to.Format)
	if err != nil {
		return err
	}
	tree := d.watchTree()
	r, err := d.Open(d.Source, codec.Options{Owner: by.owner, Now: a.Now, Unsigned: !to.Whole})
	if err != nil {
		return err
	}
	defer r.Close()
	opt := codec.Options{
		NDJSON: c.NDJSON || to.lines, FrontMatterJSON: c.FrontMatterJSON, Now: a.Now, Producer: by.producer, Spool: tempSpool, Owner: by.ownerOf(d.Format, to.Format),
	}
	n, all, err := c.convert(a, to, opt, d.Format, r, func(rec memory.Record) {
		file.saw(rec)
		by.saw(rec)
	}, file)
	if err != nil {
		return err
	}
	if err := all.File(); err != nil {
		return err
	}
	if err := c.tell(a, n, d.Format.Name, to.Format, all, by); err != nil {
		return err
	}
	tellUnread(a, d.Format.Name, tree, r.Losses())
	TellStayed(a, file.counts, c.Redact)
	if n := leftOutIn(all.Losses); n > 0 {
		notWhole(a, d.Source.Name, n, "was converted. A better copy has what is missing")
		return cli.Silent(cli.ExitInvalid)
	}
	if c.StrictLosses && len(all.Losses) > 0 {
		a.Warn("%s lost on the way, and --strict-losses was given", cli.Plural(len(all.Losses), "detail was", "details were"))
		return cli.Silent(cli.ExitDiffers)
	}
	return nil
}

// tell reports the conversion and its losses.
func (c *ConvertCmd) tell(a *cli.App, n int, from string, to codec.Format, all *ledger, by *convertOwner) error {
	left := 0
	if !to.Whole {
		left = all.leftOut()
	}
	if a.JSON && !cli.IsStdout(c.Out) {
		out := map[string]any{
			"file": c.Out, "from": from, "to": to.Name, "records": n, "written": n - left, "losses": append([]LossOut{}, all.Losses...),
		}
		if all.secrets.some() {
			out["secrets"] = all.secrets
		}
		if by.used {
			out["made_up_owner"] = by.owner
		}
		return a.Emit(out)
	}
	all.secrets.showConverted(a, c.Out)
	all.show(a)
	by.show(a)
	rest := ""
	if left > 0 {
		rest = "; " + cli.Plural(left, "was", "were") + " left out"
	}
	a.Say("converted %s from %s to %s%s", cli.Plural(n-left, "memory", "memories"), from, to.Name, rest)
	return nil
}

// whose returns the owner for records that name none, and the producer's name for
// documents. Both come from the store, if there is one.
func whose(a *cli.App) (owner memory.DID, producer string) {
	owner = memory.DID(a.Owner)
	_, conf, err := a.ExistingStore()
	if err != nil {
		return owner, ""
	}
	if owner == "" {
		owner = conf.Owner
	}
	return owner, conf.CurrentProducer().Name
}

// convert writes every record and returns their number.
func (c *ConvertCmd) convert(a *cli.App, to target, opt codec.Options, from codec.Format, r codec.Reader, saw func(memory.Record), file *contextOut) (n int, all *ledger, err error) {
	all = c.Ledger()
	all.secrets = c.newSecrets()
	done, err := to.write(a, anyway(a), opt, false, file.through, func(w codec.Writer) error {
		n, err = copyWhole(r, all.secrets.mask, func(rec memory.Record) error {
			all.saw(from.Name, rec)
			saw(rec)
			return w.Write(rec)
		})
		return err
	})
	if !to.Whole {
		clear(all.kept) // the writer reports what did not survive
	}
	all.Lost(OnReading, from.Name, r.Losses())
	all.Lost(OnWriting, to.Name, ofSource(append(done.losses, file.losses...), from))
	return n, all, err
}

// ofSource returns the losses of the source's data. If the source has no IDs, it
// skips losses of the new IDs.
func ofSource(losses []codec.Loss, from codec.Format) []codec.Loss {
	if from.Whole {
		return losses
	}
	return slices.DeleteFunc(losses, func(l codec.Loss) bool { return l.Pointer == "/id" })
}

// ownerTo returns the owner of a document of the format. If the format names no owner, its
// reader owns it.
func ownerTo(f codec.Format, owner memory.DID) memory.DID {
	if f.Whole {
		return ""
	}
	return owner
}

// copyWhole passes every record to write, masked and with an ID, and counts the memories.
func copyWhole(r codec.Reader, mask func(memory.Record) memory.Record, write func(memory.Record) error) (n int, err error) {
	err = each(r, func(rec memory.Record) error {
		rec, err := whole(mask(rec))
		if err != nil {
			return err
		}
		if !aimem.IsManifest(rec) {
			n++
		}
		return write(rec)
	})
	return n, err
}

// whole gives a record without an ID a new one.
func whole(rec memory.Record) (memory.Record, error) {
	if rec.ID != "" {
		return rec, nil
	}
	return ump.Author(rec, nil)
}
