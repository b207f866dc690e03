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
	ID        []string      `arg:"" optional:"" help:"Only these memories, by id. Default: all."`
	To        string        `help:"The format: ${writes}. Default: by the name of OUT; ump-md for a folder or .md, else ump." placeholder:"FORMAT"`
	Output    string        `short:"o" help:"The file or folder to write. A name that ends in / or has no ending is a folder. Default: standard output." placeholder:"OUT"`
	NDJSON    bool          `name:"ndjson" help:"One record per line."`
	ToPeer    bool          `help:"Export for somebody else: leave private memories out."`
	Public    bool          `help:"Only public memories."`
	Project   []string      `help:"Only this project. May be repeated." placeholder:"P"`
	Kind      []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind. May be repeated." placeholder:"K"`
	Since     when          `help:"Only memories written since this time." placeholder:"TIME"`
	WellKnown string        `help:"Publish: write .well-known/ump.json and the public memories below a folder." placeholder:"DIR"`
	Markdown  bool          `help:"With --well-known: write a Markdown file for each memory too."`
	Endpoint  string        `help:"With --well-known: the address of your server, for the manifest." placeholder:"URL"`
	Force     bool          `help:"Replace a file even if it holds something else, or has a signature beside it."`
	Prune     bool          `help:"Remove files of an earlier export that this export did not write."`

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
	return a.with(preparing, func(o *opened) error {
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
		q.Verbatim = to.Name == "ump" || to.Name == markdown
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
	all.lost(onWriting, to.Name, slices.Concat(done.losses, file.losses, report.Losses))
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
		for _, loss := range r.Losses {
			if loss.Reason == reason { // UMP1-0-2: one by one
				a.warn("  %s", clean(string(loss.ID)))
			}
		}
	}
	return nil
}
