package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// publicFile is the public document the manifest points at, beside it.
const publicFile = "public.ump.json"

// wellKnown publishes below a folder: the manifest of UMP 4.3 and the public
// memories it points at.
func (c *exportCmd) wellKnown(a *app, o *opened, q vault.ExportQuery) error {
	f, err := formats.Named("ump")
	if err != nil {
		return err
	}
	q.PublicOnly = true
	dir := filepath.Join(c.WellKnown, ".well-known")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return refusedf("%s is a link to elsewhere; nothing was written", dir)
	}
	name, kind := publicFile, "ump.json"
	if c.NDJSON {
		name, kind = "public.ump.ndjson", "ndjson"
	}
	var report vault.ExportReport
	var losses []codec.Loss
	err = atomicfile.Replace(filepath.Join(dir, name), 0o644, func(out io.Writer) (err error) {
		report, losses, err = c.write(a, o, f, q, out)
		return err
	})
	if err != nil {
		return err
	}
	stranger := memory.Caller{Owner: o.Owner}
	offered, err := o.Capabilities(a.ctx, stranger)
	if err != nil {
		return err
	}
	manifest := umphttp.NewManifest(offered, "", []umphttp.Export{{URL: name, Format: kind}})
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, "ump.json"), 0o644, append(data, '\n')); err != nil {
		return err
	}
	return c.report(a, report, losses)
}

// writeRecord writes a record to a file of its own and returns the file's name.
func writeRecord(dir string, f codec.Format, rec memory.Record) (string, []codec.Loss, error) {
	name, err := ump.FileName(rec.ID)
	if err != nil {
		return "", nil, err
	}
	var losses []codec.Loss
	err = atomicfile.Replace(filepath.Join(dir, name), 0o600, func(out io.Writer) error {
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
