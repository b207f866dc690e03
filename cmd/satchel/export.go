package main

import (
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type exportCmd struct {
	ID        []string      `arg:"" optional:"" help:"Only these, by ID or the beginning of it. Default: everything."`
	To        string        `help:"The format: ${writes}. Default: by the name of FILE: aimem for .aimem.json and .aimem.ndjson, engram for .engram.json, else ump." placeholder:"FORMAT"`
	Output    string        `short:"o" help:"The file, or for ump-md the folder. Default: standard output." placeholder:"FILE|DIR"`
	NDJSON    bool          `name:"ndjson" help:"One record per line."`
	ToPeer    bool          `help:"For somebody else: private memories stay behind."`
	Public    bool          `help:"Only what anyone may read."`
	Project   []string      `help:"Only of this project; may be given more than once." placeholder:"P"`
	Kind      []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind; may be given more than once." placeholder:"K"`
	Since     when          `help:"Only what was written since then." placeholder:"TIME"`
	WellKnown string        `help:"Publish: write .well-known/ump.json and what anyone may read below a folder." placeholder:"DIR"`
	Markdown  bool          `help:"With --well-known: a Markdown file of each memory too."`
	Endpoint  string        `help:"With --well-known: the address of the server that the manifest points at." placeholder:"URL"`
	Prune     bool          `help:"Remove .ump.md files from the folder that this export did not write."`

	bundleFlags
	engramFlags
}

// Run writes what may leave.
func (c *exportCmd) Run(a *app) error {
	if c.To == "" {
		lines := false
		c.To, lines = byEnding(c.Output)
		c.NDJSON = c.NDJSON || lines
	}
	if c.To == engram.Name {
		return c.engram(a)
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
	f, err := writable(c.To)
	if err != nil {
		return err
	}
	folder := f.Name == markdown
	switch {
	case c.WellKnown != "" && (c.Output != "" || c.ToPeer || len(c.ID) > 0 || c.To != "ump" || c.NDJSON):
		return usagef("--well-known writes its own files, as JSON and NDJSON; give it alone, or with --markdown, --endpoint, --project, --kind and --since")
	case c.WellKnown == "" && (c.Markdown || c.Endpoint != ""):
		return usagef("--markdown and --endpoint go with --well-known")
	case c.Endpoint != "" && !isEndpoint(c.Endpoint):
		return usagef("--endpoint is the address of a server, such as https://example.org/ump")
	case folder && c.WellKnown == "" && c.Output == "":
		return usagef("%s writes one file per memory; name the folder with -o", f.Name)
	case folder && c.NDJSON, c.Prune && !folder:
		return usagef("--ndjson is for ump, --prune for ump-md")
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
		switch {
		case c.WellKnown != "":
			return c.wellKnown(a, o, way, q)
		case folder:
			return c.folder(a, o, way, f, q)
		}
		return c.file(a, o, way, f, q)
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
		if err != nil {
			return q, err
		}
		q.IDs = append(q.IDs, id)
	}
	return q, nil
}

// file writes one document.
func (c *exportCmd) file(a *app, o *opened, way *exit, f codec.Format, q vault.ExportQuery) error {
	var report vault.ExportReport
	var losses []codec.Loss
	fill := func(out io.Writer) (err error) {
		report, losses, err = c.write(a, o, f, q, out)
		return err
	}
	if err := way.place(a, c.Output, fill); err != nil {
		return err
	}
	return c.report(a, report, losses)
}

func (c *exportCmd) write(a *app, o *opened, f codec.Format, q vault.ExportQuery, out io.Writer) (vault.ExportReport, []codec.Loss, error) {
	w, err := f.Create(out, codec.Options{NDJSON: c.NDJSON})
	if err != nil {
		return vault.ExportReport{}, nil, err
	}
	p := a.progress("exported")
	defer p.end()
	report, err := o.ordered(a, q, func(rec memory.Record) error {
		p.reached(p.done + 1)
		return w.Write(rec)
	})
	if err == nil {
		err = w.Close() // which says that the document is whole
	}
	return report, w.Losses(), err
}

// report says what left and what stayed behind.
func (c *exportCmd) report(a *app, r vault.ExportReport, losses []codec.Loss) error {
	if a.json && (!stdout(c.Output) || c.WellKnown != "") {
		return a.emit(map[string]any{"written": r.Written, "omitted": r.Omitted, "losses": append([]codec.Loss{}, losses...)})
	}
	a.lost(losses)
	a.say("exported %s", plural(r.Written, "memory", "memories"))
	for _, reason := range slices.Sorted(maps.Keys(r.Omitted)) {
		a.say("left out %d: %s", r.Omitted[reason], reason)
	}
	return nil
}

// folder writes one file per record.
func (c *exportCmd) folder(a *app, o *opened, way *exit, f codec.Format, q vault.ExportQuery) error {
	if err := os.MkdirAll(c.Output, 0o700); err != nil {
		return err
	}
	written := map[string]bool{}
	var losses []codec.Loss
	p := a.progress("exported")
	defer p.end()
	report, err := o.ordered(a, q, func(rec memory.Record) error {
		name, lost, err := writeRecord(c.Output, f, rec, 0o600, way.pass)
		written[name] = true
		losses = append(losses, lost...)
		p.reached(len(written))
		return err
	})
	if err != nil {
		return err
	}
	if err := c.strangers(a, written); err != nil {
		return err
	}
	return c.report(a, report, losses)
}

// strangers removes, or tells of, files in the folder that are not part of the
// export: of memories that were forgotten since an earlier one.
func (c *exportCmd) strangers(a *app, written map[string]bool) error {
	entries, err := os.ReadDir(c.Output)
	if err != nil {
		return err
	}
	left := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".ump.md") || written[name] || !entry.Type().IsRegular() {
			continue
		}
		if left++; c.Prune {
			if err := os.Remove(filepath.Join(c.Output, name)); err != nil {
				return err
			}
		}
	}
	switch {
	case left > 0 && c.Prune:
		a.say("removed %s of memories that are not exported any more", plural(left, "file", "files"))
	case left > 0:
		a.warn("%s in %s do not belong to this export; --prune removes them", plural(left, "file", "files"), c.Output)
	}
	return nil
}

// writeRecord writes a record to a file of its own, by way of a passage, and returns
// the file's name.
func writeRecord(dir string, f codec.Format, rec memory.Record, mode fs.FileMode, pass atomicfile.Passage) (string, []codec.Loss, error) {
	name, err := ump.FileName(rec.ID)
	if err != nil {
		return "", nil, err
	}
	var losses []codec.Loss
	err = atomicfile.ReplaceBy(filepath.Join(dir, name), mode, pass, func(out io.Writer) error {
		w, err := f.Create(out, codec.Options{})
		if err != nil {
			return err
		}
		if err := w.Write(rec); err != nil {
			return err
		}
		err = w.Close()
		losses = w.Losses()
		return err
	})
	return name, losses, err
}
