package main

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type exportCmd struct {
	ID        []string      `arg:"" optional:"" help:"Only these, by ID or the beginning of it. Default: everything."`
	To        string        `help:"The format: ${writes}. Default: by the name of OUT: ump-md for a folder or .md, else the one format that has its ending, else ump." placeholder:"FORMAT"`
	Output    string        `short:"o" help:"A file or a folder. Formats that are a file or a folder of files are a folder where there is one, the name ends in /, or there is nothing yet and it has no ending. Default: standard output." placeholder:"OUT"`
	NDJSON    bool          `name:"ndjson" help:"One record per line."`
	ToPeer    bool          `help:"For somebody else: private memories stay behind."`
	Public    bool          `help:"Only what anyone may read."`
	Project   []string      `help:"Only of this project; may be given more than once." placeholder:"P"`
	Kind      []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind; may be given more than once." placeholder:"K"`
	Since     when          `help:"Only what was written since then." placeholder:"TIME"`
	WellKnown string        `help:"Publish: write .well-known/ump.json and what anyone may read below a folder." placeholder:"DIR"`
	Markdown  bool          `help:"With --well-known: a Markdown file of each memory too."`
	Endpoint  string        `help:"With --well-known: the address of the server that the manifest points at." placeholder:"URL"`
	Force     bool          `help:"Replace a file that holds something else, or that is signed beside."`
	Prune     bool          `help:"Remove files from the folder that an earlier export wrote and this one did not."`

	reportFlags
	bundleFlags
	engramFlags
	contextFlags

	named bool // the format was said
}

// Run writes what may leave.
func (c *exportCmd) Run(a *app) error {
	to, err := targetOf(c.Output, c.To)
	if err != nil {
		return err
	}
	c.named = c.To != ""
	c.To, c.NDJSON = to.Name, c.NDJSON || to.lines
	file, err := c.writing(to.Format, c.Output)
	if err != nil {
		return err
	}
	to.signs = c.To == bundles
	if err := to.mayReplace(a, c.Force); err != nil {
		return err
	}
	if c.To == engram.Name {
		return c.engram(a, to)
	}
	if c.engramFlags.given() {
		return usagef("--category, --exclude, --purpose, --issued-to, --valid-until, --as-of, --for, --with-residue, --no-pending and --engram-edition are for exports that assistants start from; say --to %s", engram.Name)
	}
	if c.To == bundles {
		return c.bundle(a)
	}
	if c.bundleFlags != (bundleFlags{}) {
		return usagef("--scope, --history, --include-embeddings, --embedding-model, --ids and --no-sign are for bundles; say --to %s", bundles)
	}
	switch {
	case c.WellKnown != "" && (c.Output != "" || c.ToPeer || len(c.ID) > 0 || c.To != "ump" || c.NDJSON):
		return usagef("--well-known writes its own files, as JSON and NDJSON; give it alone, or with --markdown, --endpoint, --project, --kind and --since")
	case c.WellKnown == "" && (c.Markdown || c.Endpoint != ""):
		return usagef("--markdown and --endpoint go with --well-known")
	case c.Endpoint != "" && !isEndpoint(c.Endpoint):
		return usagef("--endpoint is the address of a server, such as https://example.org/ump")
	case to.Name == markdown && !to.folder && c.WellKnown == "" && stdout(c.Output):
		return usagef("%s writes one file per memory; name the folder with -o", to.Name)
	case to.folder && c.NDJSON, c.Prune && !to.folder:
		return usagef("--ndjson is for ump, --prune for folders")
	}
	return a.with(signing, func(o *opened) error {
		way, err := o.leaving(a.ctx)
		if err != nil {
			return err
		}
		q, err := c.query(a, o)
		if err != nil {
			return err
		}
		if c.WellKnown != "" {
			return c.wellKnown(a, o, way, q)
		}
		return c.document(a, o, way, to, q, file)
	})
}

// isEndpoint reports whether an address can be a server's that all may know.
func isEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// markdown is the name of the format that has a file per record.
const markdown = "ump-md"

func (c *exportCmd) query(a *app, o *opened) (vault.ExportQuery, error) {
	q := vault.ExportQuery{ToPeer: c.ToPeer, PublicOnly: c.Public, Projects: c.Project, Kinds: c.Kind, Since: c.Since.Time}
	for _, arg := range c.ID {
		id, err := o.resolve(a.ctx, arg)
		if memory.KindOf(err) == memory.NotFound && strings.ContainsAny(arg, "./") {
			return q, usagef("%s is no ID; to write to it say -o %s", clean(arg), clean(arg))
		}
		if err != nil {
			return q, err
		}
		q.IDs = append(q.IDs, id)
	}
	return q, nil
}

// document writes one document, a file or a folder.
func (c *exportCmd) document(a *app, o *opened, out *exit, to target, q vault.ExportQuery, file *contextOut) error {
	var report vault.ExportReport
	all := c.ledger()
	opt := codec.Options{NDJSON: c.NDJSON, Now: a.now, Producer: o.producer().Name, Spool: o.spool, Owner: ownerTo(to.Format, o.Owner)}
	done, err := to.write(a, out.way(a), opt, c.Prune, file.through, func(w codec.Writer) (err error) {
		p := a.progress("exported")
		defer p.end()
		report, err = o.ordered(a, q, func(rec memory.Record) error {
			p.reached(p.done + 1)
			all.saw("", rec)
			file.saw(rec)
			return w.Write(rec)
		})
		return err
	})
	if err != nil {
		return err
	}
	a.tellLeft(c.Output, done.left, c.Prune)
	a.stayed(file.counts, c.Redact)
	all.lost(onWriting, to.Name, append(done.losses, file.losses...))
	if !to.Whole {
		report.Written -= all.leftOut() // which the format cannot say
	}
	return c.report(a, report, all)
}

// report says what left and what stayed behind.
func (c *exportCmd) report(a *app, r vault.ExportReport, all *ledger) error {
	if err := all.file(); err != nil {
		return err
	}
	if a.json && (!stdout(c.Output) || c.WellKnown != "") {
		return a.emit(map[string]any{"written": r.Written, "omitted": r.Omitted, "losses": append([]lossOut{}, all.losses...)})
	}
	all.show(a)
	as := ""
	if c.Output != "" && !stdout(c.Output) && !c.named {
		as = " as " + c.To
	}
	a.say("exported %s%s", plural(r.Written, "memory", "memories"), as)
	for _, reason := range slices.Sorted(maps.Keys(r.Omitted)) {
		a.say("left out %d: %s", r.Omitted[reason], reason)
	}
	return nil
}
