package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type convertCmd struct {
	In              string `arg:"" help:"A file, a folder, or - for standard input."`
	Out             string `arg:"" help:"A file, a folder for ump-md, or - for standard output."`
	From            string `help:"The format to read: ${reads}. Default: detected." placeholder:"FORMAT"`
	To              string `help:"The format to write: ${writes}. Default: by the name of OUT." placeholder:"FORMAT"`
	NDJSON          bool   `name:"ndjson" help:"One record per line."`
	FrontMatterJSON bool   `name:"frontmatter-json" help:"In Markdown, write the front matter as one JSON object."`
	Report          string `help:"Write what did not survive to a file, as JSON." placeholder:"FILE"`
}

// Run converts without a store. Nothing is left out for consent: the result
// stays with whoever has the document.
func (c *convertCmd) Run(a *app) error {
	to, err := c.target()
	if err != nil {
		return err
	}
	d, err := a.document(c.In, c.From)
	if err != nil {
		return err
	}
	defer d.Close()
	owner := memory.DID(a.owner) // of the records that name none
	producer := ""
	if _, conf, err := a.existing(); err == nil {
		producer = conf.producer().Name
		if owner == "" {
			owner = conf.Owner
		}
	}
	r, err := d.read(a, owner, "")
	if err != nil {
		return err
	}
	defer r.Close()
	n, losses, err := c.convert(a, to, producer, r)
	if err != nil {
		return err
	}
	losses = append(append([]codec.Loss{}, r.Losses()...), losses...)
	if c.Report != "" {
		if err := writeReport(c.Report, losses); err != nil {
			return err
		}
	}
	a.lost(losses)
	a.say("converted %s from %s to %s", plural(n, "memory", "memories"), d.Format.Name, to.Name)
	return nil
}

// target finds the format to write.
func (c *convertCmd) target() (codec.Format, error) {
	if c.To == "" {
		info, err := os.Stat(c.Out)
		name := strings.ToLower(c.Out)
		switch {
		case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, "/"), err == nil && info.IsDir():
			c.To = markdown
		default:
			lines := false
			c.To, lines = byEnding(name)
			c.NDJSON = c.NDJSON || lines
		}
	}
	return writable(c.To)
}

// byEnding returns the format that the name of a file asks for, and whether one with a
// record a line.
func byEnding(name string) (to string, lines bool) {
	name = strings.ToLower(name)
	lines = strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
	if f, ok := formats.Claiming(name); ok && f.Create != nil && f.Name != markdown {
		return f.Name, lines
	}
	return "ump", lines
}

// convert writes every record and returns how many they were.
func (c *convertCmd) convert(a *app, to codec.Format, producer string, r codec.Reader) (n int, losses []codec.Loss, err error) {
	if c.folder(to) {
		if err := os.MkdirAll(c.Out, 0o700); err != nil {
			return 0, nil, err
		}
		n, err = copyWhole(r, func(rec memory.Record) error {
			_, lost, err := writeRecord(c.Out, to, rec, 0o600, nil)
			losses = append(losses, lost...)
			return err
		})
		return n, losses, err
	}
	err = a.place(c.Out, func(out io.Writer) error {
		w, err := to.Create(out, codec.Options{
			NDJSON: c.NDJSON, FrontMatterJSON: c.FrontMatterJSON, Now: a.now, Producer: producer, Spool: tempSpool,
		})
		if err != nil {
			return err
		}
		n, err = copyWhole(r, w.Write)
		err = errors.Join(err, w.Close())
		losses = w.Losses()
		return err
	})
	return n, losses, err
}

// folder reports whether OUT is a folder with a file for each record: it is one
// already, or nothing yet and named without the ending of a file.
func (c *convertCmd) folder(to codec.Format) bool {
	if to.Name != markdown || stdout(c.Out) {
		return false
	}
	if info, err := os.Stat(c.Out); err == nil {
		return info.IsDir()
	}
	return strings.HasSuffix(c.Out, "/") || filepath.Ext(c.Out) == ""
}

// copyWhole hands every record to write, with an ID, and counts those that are
// memories.
func copyWhole(r codec.Reader, write func(memory.Record) error) (n int, err error) {
	err = each(r, func(rec memory.Record) error {
		rec, err := whole(rec)
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

// whole gives a record that has none an ID of its own.
func whole(rec memory.Record) (memory.Record, error) {
	if rec.ID != "" {
		return rec, nil
	}
	return ump.Author(rec, nil)
}

func writeReport(path string, losses []codec.Loss) error {
	data, err := json.MarshalIndent(map[string]any{"losses": losses}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, append(data, '\n'))
}
