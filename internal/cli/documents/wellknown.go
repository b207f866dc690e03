package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// site is a folder that a web server can serve as it is (UMP 4.3, decision UD-29):
//
//	.well-known/ump.json             the manifest
//	.well-known/ump/public.ump.json  the records that anyone may read
//	.well-known/ump/public.ndjson    the same, a record a line
//	.well-known/ump/ID.ump.md        the same, a file a record, if asked for
//
// The manifest names every file of ours. It is written before a file appears that it
// does not name yet, and again when one has gone. So after an interrupted export the
// next one still knows which files are its own.
type site struct {
	dir      string // .well-known
	way      *Way
	named    []umphttp.Export // in the existing manifest
	manifest umphttp.Manifest // without exports
}

// wellKnown publishes the records that anyone may read. They leave for good, so the
// rules for peers apply.
func (c *ExportCmd) wellKnown(a *cli.App, o *cli.Session, way *Way, q vault.ExportQuery) error {
	q.PublicOnly, q.ToPeer = true, true
	s, err := c.site(a, o, way)
	if err != nil {
		return err
	}
	if err := s.write(with(s.named, umphttp.PublicDocuments()...)); err != nil {
		return err
	}
	report, losses, err := s.documents(a, o, q)
	if err != nil {
		return err
	}
	files := umphttp.PublicDocuments()
	if c.Markdown {
		pages, lost, err := s.pages()
		if err != nil {
			return err
		}
		files, losses = append(files, pages...), append(losses, lost...)
	}
	removed, err := s.remove(files)
	if err != nil {
		return err
	}
	if err := s.write(files); err != nil {
		return err
	}
	if removed > 0 {
		a.Say("removed %s of memories that are not published any more", cli.Plural(removed, "file", "files"))
	}
	all := c.Ledger()
	all.Lost(OnWriting, "ump", losses)
	if err := c.report(a, report, all); err != nil {
		return err
	}
	c.next(a, report)
	return nil
}

// next says how to use a published folder.
func (c *ExportCmd) next(a *cli.App, r vault.ExportReport) {
	switch {
	case r.Written == 0:
		a.Say("no memory is public yet: satchel revise ID --visibility public makes one so; then run this again")
	default:
		a.Say("put what is in %s at the root of a web site, so that it answers at https://HOST/.well-known/ump.json, and run this again after changes", cli.Clean(c.WellKnown))
	}
	if c.Endpoint == "" {
		a.Say("the manifest names no server: --endpoint URL adds that of satchel serve --public, if others are to ask it")
	}
}

// site checks the folder. It refuses a folder that holds foreign files in the places
// of ours.
func (c *ExportCmd) site(a *cli.App, o *cli.Session, way *Way) (*site, error) {
	s := &site{dir: filepath.Join(c.WellKnown, ".well-known"), way: way}
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "ump")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return nil, cli.Refusedf("%s is a link to elsewhere; nothing was written", dir)
		}
	}
	offered, err := o.Capabilities(a.Ctx, memory.Caller{Owner: o.Owner})
	if err != nil {
		return nil, err
	}
	offered.Owner = ""
	if c.Endpoint != "" {
		offered.Bindings = append(slices.Clone(offered.Bindings), "http")
	}
	s.manifest = umphttp.NewManifest(offered, c.Endpoint, nil)
	if s.named, err = s.read(); err != nil {
		return nil, err
	}
	for _, e := range umphttp.PublicDocuments() {
		if cli.Exists(s.path(e)) && !slices.Contains(s.named, e) {
			return nil, foreign(s.path(e))
		}
	}
	return s, nil
}

func (s *site) file() string { return filepath.Join(s.dir, "ump.json") }

func (s *site) path(e umphttp.Export) string {
	name, err := url.PathUnescape(strings.TrimPrefix(e.URL, "ump/"))
	if err != nil {
		return ""
	}
	return filepath.Join(s.dir, "ump", name)
}

func foreign(path string) error {
	return cli.Refusedf("%s is not of satchel's making and was left alone; move it away, or publish into another folder", path)
}

// read returns the files that the manifest names and that can be ours.
func (s *site) read() ([]umphttp.Export, error) {
	info, err := os.Lstat(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, foreign(s.file())
	}
	data, err := cli.ReadBounded(s.file(), cli.MaxSettings)
	if err != nil {
		return nil, err
	}
	var m umphttp.Manifest
	if json.Unmarshal(data, &m) != nil || m.UMP == "" || m.Conformance == "" {
		return nil, foreign(s.file())
	}
	return slices.DeleteFunc(m.Exports, func(e umphttp.Export) bool {
		return !slices.Contains(umphttp.PublicDocuments(), e) && !isPage(e)
	}), nil
}

// isPage reports whether an export can be a record file of ours.
func isPage(e umphttp.Export) bool {
	name, err := url.PathUnescape(strings.TrimPrefix(e.URL, "ump/"))
	return err == nil && e.Format == "ump.md" && strings.HasPrefix(e.URL, "ump/") && strings.HasSuffix(name, ".ump.md") &&
		name == filepath.Base(name) && !strings.ContainsAny(name, `/\`)
}

// write writes a manifest that names these files, unless it exists.
func (s *site) write(files []umphttp.Export) error {
	m := s.manifest
	m.Exports = files
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if old, err := cli.ReadBounded(s.file(), cli.MaxSettings); err != nil || !bytes.Equal(old, data) {
		err = atomicfile.ReplaceBy(s.file(), 0o644, s.way.pass, func(w io.Writer) error { _, err := w.Write(data); return err })
		if err != nil {
			return err
		}
	}
	s.named = files
	return nil
}

// documents writes the public records in both forms, from one snapshot.
func (s *site) documents(a *cli.App, o *cli.Session, q vault.ExportQuery) (report vault.ExportReport, losses []codec.Loss, err error) {
	docs := umphttp.PublicDocuments()
	err = atomicfile.ReplaceBy(s.path(docs[0]), 0o644, s.way.pass, func(list io.Writer) error {
		return atomicfile.ReplaceBy(s.path(docs[1]), 0o644, s.way.pass, func(lines io.Writer) error {
			report, losses, err = fillBoth(a, o, q, list, lines)
			return err
		})
	})
	return report, losses, err
}

func fillBoth(a *cli.App, o *cli.Session, q vault.ExportQuery, list, lines io.Writer) (vault.ExportReport, []codec.Loss, error) {
	var none vault.ExportReport
	f, err := formats.ByName("ump")
	if err != nil {
		return none, nil, err
	}
	one, err := f.Create(list, codec.Options{})
	if err != nil {
		return none, nil, err
	}
	other, err := f.Create(lines, codec.Options{NDJSON: true})
	if err != nil {
		return none, nil, err
	}
	p := a.Progress("exported")
	defer p.End()
	report, err := ordered(o, a, q, func(rec memory.Record) error {
		p.Reached(p.Done + 1)
		return errors.Join(one.Write(rec), other.Write(rec))
	})
	if err == nil {
		err = errors.Join(one.Close(), other.Close())
	}
	return report, one.Losses(), err
}

// pages writes a file for each record of the documents. The manifest names them
// before the first one appears.
func (s *site) pages() ([]umphttp.Export, []codec.Loss, error) {
	var pages []umphttp.Export
	err := s.each(func(rec memory.Record) error {
		name, err := ump.FileName(rec.ID)
		pages = append(pages, umphttp.Export{URL: "ump/" + url.PathEscape(name), Format: "ump.md"})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range pages {
		if cli.Exists(s.path(e)) && !slices.Contains(s.named, e) {
			return nil, nil, foreign(s.path(e))
		}
	}
	if err := s.write(with(s.named, pages...)); err != nil {
		return nil, nil, err
	}
	f, err := formats.ByName(cli.MarkdownFormat)
	if err != nil {
		return nil, nil, err
	}
	folder, err := atomicfile.OpenFolder(filepath.Join(s.dir, "ump"), atomicfile.FolderOptions{Mode: 0o644, Pass: s.way.pass, Ours: f.Wrote})
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	w, err := f.CreateIn(folder, codec.Options{})
	if err != nil {
		return nil, nil, err
	}
	err = errors.Join(s.each(w.Write), w.Close())
	return pages, w.Losses(), err
}

// each calls do for every record of the written documents.
func (s *site) each(do func(memory.Record) error) error {
	f, err := os.Open(s.path(umphttp.PublicDocuments()[1]))
	if err != nil {
		return err
	}
	defer f.Close()
	for e := canon.NewElements(f, canon.Options{}); ; {
		form, err := e.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		rec, err := ump.Decode(bytes.Clone(form), codec.Options{})
		if err != nil {
			return err
		}
		if err := do(rec); err != nil {
			return err
		}
	}
}

// remove removes the files of earlier exports that this one did not write.
func (s *site) remove(kept []umphttp.Export) (removed int, err error) {
	stay := make(map[umphttp.Export]bool, len(kept))
	for _, e := range kept {
		stay[e] = true
	}
	for _, e := range s.named {
		if stay[e] {
			continue
		}
		info, err := os.Lstat(s.path(e))
		if err != nil || !info.Mode().IsRegular() {
			continue // gone, or a foreign file
		}
		if err := os.Remove(s.path(e)); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, atomicfile.SyncFolder(filepath.Join(s.dir, "ump"))
}

// with returns list and those of more that it lacks.
func with(list []umphttp.Export, more ...umphttp.Export) []umphttp.Export {
	has := make(map[umphttp.Export]bool, len(list))
	for _, e := range list {
		has[e] = true
	}
	out := slices.Clone(list)
	for _, e := range more {
		if !has[e] {
			out = append(out, e)
		}
	}
	return out
}
