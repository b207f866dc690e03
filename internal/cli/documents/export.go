package documents

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ExportCmd is the command satchel export.
type ExportCmd struct {
	ID        []string      `arg:"" optional:"" help:"Only these memories, by id. Default: all."`
	To        string        `help:"The format: ${writes}. Default: by the name of OUT; ump-md for a folder or .md, else ump." placeholder:"FORMAT"`
	Output    string        `short:"o" help:"The file or folder to write. A name that ends in / or has no ending is a folder. Default: standard output." placeholder:"OUT"`
	NDJSON    bool          `name:"ndjson" help:"One record per line."`
	ToPeer    bool          `help:"Export for somebody else: leave private memories out."`
	Public    bool          `help:"Only public memories."`
	Project   []string      `help:"Only this project. May be repeated." placeholder:"P"`
	Kind      []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind. May be repeated." placeholder:"K"`
	Since     cli.When      `help:"Only memories written since this time." placeholder:"TIME"`
	WellKnown string        `help:"Publish: write .well-known/ump.json and the public memories below a folder." placeholder:"DIR"`
	Markdown  bool          `help:"With --well-known: write a Markdown file for each memory too."`
	Endpoint  string        `help:"With --well-known: the address of your server, for the manifest." placeholder:"URL"`
	Force     bool          `help:"Replace a file even if it holds something else, or has a signature beside it."`
	Prune     bool          `help:"Remove files of an earlier export that this export did not write."`

	ReportFlags
	bundleFlags
	engramFlags
	contextFlags

	named bool // the user named the format
}

// Run writes the memories that may leave.
func (c *ExportCmd) Run(a *cli.App) error {
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
		return cli.Usagef("--category, --exclude, --purpose, --issued-to, --valid-until, --as-of, --for, --with-residue, --no-pending, --no-consents and --engram-edition are for exports that assistants start from; say --to %s", engram.Name)
	}
	if c.To == bundles {
		return c.bundle(a)
	}
	if c.bundleFlags != (bundleFlags{}) {
		return cli.Usagef("--scope, --history, --include-embeddings, --embedding-model, --ids and --no-sign are for bundles; say --to %s", bundles)
	}
	switch {
	case c.WellKnown != "" && (c.Output != "" || c.ToPeer || len(c.ID) > 0 || c.To != "ump" || c.NDJSON):
		return cli.Usagef("--well-known writes its own files, as JSON and NDJSON; give it alone, or with --markdown, --endpoint, --project, --kind and --since")
	case c.WellKnown == "" && (c.Markdown || c.Endpoint != ""):
		return cli.Usagef("--markdown and --endpoint go with --well-known")
	case c.Endpoint != "" && !isEndpoint(c.Endpoint):
		return cli.Usagef("--endpoint is the address of a server, such as https://example.org/ump")
	case to.Name == cli.MarkdownFormat && !to.folder && c.WellKnown == "" && cli.IsStdout(c.Output):
		return cli.Usagef("%s writes one file per memory; name the folder with -o", to.Name)
	case to.folder && c.NDJSON, c.Prune && !to.folder:
		return cli.Usagef("--ndjson is for ump, --prune for folders")
	}
	return a.With(cli.Preparing, func(o *cli.Session) error {
		way, err := Leaving(o, a.Ctx)
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
		q.Verbatim = to.Name == "ump" || to.Name == cli.MarkdownFormat
		return c.document(a, o, way, to, q, file)
	})
}

// isEndpoint reports whether an address can be a public server's.
func isEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

func (c *ExportCmd) query(a *cli.App, o *cli.Session) (vault.ExportQuery, error) {
	q := vault.ExportQuery{ToPeer: c.ToPeer, PublicOnly: c.Public, Projects: c.Project, Kinds: c.Kind, Since: c.Since.Time}
	for _, arg := range c.ID {
		id, err := o.FindID(a.Ctx, arg)
		if memory.KindOf(err) == memory.NotFound && strings.ContainsAny(arg, "./") {
			return q, cli.Usagef("%s is no ID; to write to it say -o %s", cli.Clean(arg), cli.Clean(arg))
		}
		if err != nil {
			return q, err
		}
		q.IDs = append(q.IDs, id)
	}
	return q, nil
}

// document writes one document, a file or a folder.
func (c *ExportCmd) document(a *cli.App, o *cli.Session, out *Way, to target, q vault.ExportQuery, file *contextOut) error {
	var report vault.ExportReport
	all := c.Ledger()
	opt := codec.Options{NDJSON: c.NDJSON, Now: a.Now, Producer: o.CurrentProducer().Name, Spool: o.Spool, Owner: ownerTo(to.Format, o.Owner)}
	done, err := to.write(a, out.way(a), opt, c.Prune, file.through, func(w codec.Writer) (err error) {
		p := a.Progress("exported")
		defer p.End()
		report, err = ordered(o, a, q, func(rec memory.Record) error {
			p.Reached(p.Done + 1)
			all.saw("", rec)
			file.saw(rec)
			return w.Write(rec)
		})
		return err
	})
	if err != nil {
		return err
	}
	tellLeft(a, c.Output, done.left, c.Prune)
	TellStayed(a, file.counts, c.Redact)
	all.Lost(OnWriting, to.Name, slices.Concat(done.losses, file.losses, report.Losses))
	if !to.Whole {
		report.Written -= all.leftOut() // records that the format cannot hold
	}
	return c.report(a, report, all)
}

// report reports the numbers of exported and withheld memories.
func (c *ExportCmd) report(a *cli.App, r vault.ExportReport, all *ledger) error {
	if err := all.File(); err != nil {
		return err
	}
	if a.JSON && (!cli.IsStdout(c.Output) || c.WellKnown != "") {
		return a.Emit(map[string]any{"written": r.Written, "omitted": r.Omitted, "losses": append([]LossOut{}, all.Losses...)})
	}
	all.show(a)
	as := ""
	if c.Output != "" && !cli.IsStdout(c.Output) && !c.named {
		as = " as " + c.To
	}
	a.Say("exported %s%s", cli.Plural(r.Written, "memory", "memories"), as)
	for _, reason := range slices.Sorted(maps.Keys(r.Omitted)) {
		a.Say("left out %d: %s", r.Omitted[reason], reason)
		for _, loss := range r.Losses {
			if loss.Reason == reason { // UMP1-0-2: one by one
				a.Warn("  %s", cli.Clean(string(loss.ID)))
			}
		}
	}
	return nil
}
